"""Adding a variant or a workload touches its own files and one line. Shown on a copy of the tracked
sources with a sample of each: the variant is a copy of another, the workload is tests/sample.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import REPOSITORY, call, clean_environment, read_result

LANGUAGES = ("cu", "cl", "comp", "cpp")
SAMPLE = REPOSITORY / "tests/sample"
OLD_VARIANT = '{.name = "naive", .tier = Tier::matched}'
NEW_VARIANT = OLD_VARIANT.replace("naive", "copycat")


def command(
    *words: str | Path, cwd: Path, environment: dict[str, str] | None = None, timeout_s: float = 300
) -> str:
    """Runs a program that must succeed and gives what it wrote."""
    finished = subprocess.run(
        words,
        cwd=cwd,
        env=clean_environment(environment),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout[-4000:] + finished.stderr[-4000:]
    return finished.stdout


@dataclass
class Copy:
    """A copy of the sources under git, in which changes can be counted."""

    root: Path

    @property
    def build(self) -> Path:
        return self.root / "build/extended"

    def changes(self) -> dict[str, tuple[int, int]]:
        """Lines added to and deleted from files that were there."""
        changed = command("git", "diff", "--numstat", cwd=self.root).splitlines()
        columns = [line.split("\t") for line in changed]
        return {name: (int(added), int(deleted)) for added, deleted, name in columns}

    def new_files(self) -> set[str]:
        listed = command("git", "ls-files", "--others", "--exclude-standard", cwd=self.root)
        return set(listed.splitlines())

    def configure(self) -> None:
        """Configures without CUDA and tests, as quick to build as can be."""
        launcher = shutil.which("ccache")
        options = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"] if launcher else []
        options += [f"-DPARALLAX_{name}=OFF" for name in ("CUDA", "TESTS", "FETCH")]
        options += ["-DPARALLAX_WERROR=ON", "-DCMAKE_BUILD_TYPE=Debug"]
        options += ["-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
        command("cmake", "-S", ".", "-B", self.build, "-G", "Ninja", *options, cwd=self.root)

    def make(self, *targets: str) -> None:
        # Paths below the copy do not count for the cache, so that it serves the next copy too.
        cache = {"CCACHE_BASEDIR": str(self.root), "CCACHE_NOHASHDIR": "1"}
        words = ["cmake", "--build", self.build, "--parallel", str(os.cpu_count() or 2)]
        command(*words, "--target", *targets, cwd=self.root, environment=cache, timeout_s=1200)

    def outputs(self, pattern: str) -> list[str]:
        """What the build can make, by name."""
        listed = command("ninja", "-C", self.build, "-t", "targets", "all", cwd=self.root)
        names = (line.split(":")[0] for line in listed.splitlines())
        return [name for name in names if re.fullmatch(pattern, name)]


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    tracked = command("git", "ls-files", "-z", cwd=REPOSITORY).split("\0")
    for name in filter(None, tracked):
        target = tmp_path / "sources" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPOSITORY / name, target)
    root = tmp_path / "sources"
    command("git", "init", "--quiet", cwd=root)
    command("git", "add", "--all", cwd=root)
    return Copy(root)


def add_variant(copy: Copy) -> None:
    folder = copy.root / "shaders/vector_add"
    for language in LANGUAGES:
        shutil.copy(folder / f"naive.{language}", folder / f"copycat.{language}")
    source = copy.root / "workloads/vector_add.cpp"
    text = source.read_text()
    assert text.count(OLD_VARIANT) == 1
    source.write_text(text.replace(OLD_VARIANT, f"{OLD_VARIANT}, {NEW_VARIANT}"))


def add_workload(copy: Copy) -> None:
    shutil.copytree(SAMPLE, copy.root, dirs_exist_ok=True)
    source = copy.root / "workloads/CMakeLists.txt"
    lines = source.read_text().splitlines(keepends=True)
    last = max(i for i, line in enumerate(lines) if line.startswith("add_workload("))
    source.write_text("".join([*lines[: last + 1], "add_workload(twice)\n", *lines[last + 1 :]]))


def test_a_variant_is_its_kernels_and_one_line(copy: Copy) -> None:
    add_variant(copy)
    assert copy.changes() == {"workloads/vector_add.cpp": (1, 1)}
    assert copy.new_files() == {f"shaders/vector_add/copycat.{end}" for end in LANGUAGES}


def test_a_workload_is_its_file_its_kernels_and_one_line(copy: Copy) -> None:
    add_workload(copy)
    assert copy.changes() == {"workloads/CMakeLists.txt": (1, 0)}
    kernels = {f"shaders/twice/naive.{end}" for end in LANGUAGES}
    assert copy.new_files() == {"workloads/twice.cpp"} | kernels


@pytest.mark.parametrize(
    ("add", "kernel", "dtypes"),
    [
        (add_variant, "vector_add_copycat", ("f16", "f32", "f64", "i32")),
        (add_workload, "twice_naive", ("f32",)),
    ],
)
def test_the_build_finds_what_was_added(
    copy: Copy, add: Callable[[Copy], None], kernel: str, dtypes: tuple[str, ...]
) -> None:
    """In every language and dtype. Compiles the workload, and its kernels where that does not ask
    for all the others."""
    add(copy)
    copy.configure()
    objects = copy.outputs(rf".*/(cl|spirv|host)_{kernel}_\w+\.cpp\.o")
    names = [f"{form}_{kernel}_{dtype}" for form in ("cl", "host", "spirv") for dtype in dtypes]
    assert sorted(Path(name).name for name in objects) == [f"{name}.cpp.o" for name in names]
    embedded = copy.outputs(rf"shaders/(cl|spirv)_{kernel}_\w+\.cpp")
    workloads = copy.outputs(r"workloads/.*/(twice|vector_add|registry)\.cpp\.o")
    copy.make(*embedded, *workloads)


@pytest.mark.skipif(
    "PARALLAX_ALL" not in os.environ, reason="builds all of Parallax; scripts/test.sh --all does"
)
def test_what_was_added_runs_in_every_api(copy: Copy) -> None:
    add_variant(copy)
    add_workload(copy)
    copy.configure()
    copy.make("parallax")
    path = copy.build / "out.json"
    sizes = ["--size", "n=1", "--size", "n=1021", "--size", "n=2^20"]
    chosen = ["--api", "host,opencl,vulkan", "--variant", "copycat,naive", "--verify-only"]
    workloads = ["--workload", "vector_add,twice"]
    arguments = ["run", *workloads, *chosen, *sizes, "--output", path]
    call(copy.build / "parallax", arguments, cwd=copy.build).expect(0)
    rows = read_result(path)["results"]
    assert {row["status"] for row in rows} == {"ok"}, [row["reason"] for row in rows]
    apis = {row["api"] for row in rows}
    assert len(rows) == 3 * (4 + 4 + 1) * len(apis)
    digests = {(row["case"].replace("copycat", "naive"), row["verify"]["digest"]) for row in rows}
    assert len(digests) == 3 * (4 + 1), "the copy of a kernel gives the same bits in every API"
