"""Who may know whom, and what no file may hold."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import REPOSITORY

CODE = (
    ".cpp",
    ".hpp",
    ".inc",
    ".in",
    ".cu",
    ".cl",
    ".comp",
    ".cuh",
    ".glsl",
    ".py",
    ".sh",
    ".cmake",
)


def tracked(*folders: str) -> list[Path]:
    """Files of the repository, or every file where git does not know it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *folders],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    names = [name for name in listed.stdout.split("\0") if name]
    if listed.returncode != 0 or not names:
        paths = [p for folder in folders or (".",) for p in (REPOSITORY / folder).rglob("*")]
        return [p for p in paths if p.is_file() and not {".git", "build", ".venv"} & set(p.parts)]
    return [REPOSITORY / name for name in names if (REPOSITORY / name).is_file()]


def code_lines(path: Path) -> list[tuple[int, str]]:
    """Lines of a file without what stands behind `//`."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(number, re.sub(r"//.*", "", line)) for number, line in enumerate(lines, 1)]


def offences(folder: str, pattern: str) -> list[str]:
    found = []
    for path in tracked(folder):
        if path.suffix not in CODE and path.name != "CMakeLists.txt":
            continue
        for number, line in code_lines(path):
            if re.search(pattern, line):
                found.append(f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()}")
    return found


def workload_names() -> list[str]:
    kept = {"spin", "selftest"}
    return [p.name for p in (REPOSITORY / "shaders").iterdir() if p.is_dir() and p.name not in kept]


def test_the_check_would_notice() -> None:
    assert "vector_add" in workload_names()
    assert offences("workloads", r"\bvector_add\b")
    assert offences("harness", r"benchmark/benchmark\.h")


def test_backends_name_no_workload() -> None:
    assert offences("backends", rf"(?i:\b({'|'.join(workload_names())})\b)") == []


def test_only_gbench_includes_google_benchmark() -> None:
    including = {
        path.relative_to(REPOSITORY).as_posix()
        for path in tracked()
        if path.suffix in (".cpp", ".hpp") and "#include <benchmark/" in path.read_text()
    }
    assert including == {"harness/gbench.cpp"}
    assert offences("backends", r"(?i:\bbenchmark(::|/))") == []


def test_workloads_name_no_api() -> None:
    apis = [p.name for p in (REPOSITORY / "backends").iterdir() if p.is_dir()]
    assert {"cuda", "opencl", "vulkan", "host"} <= set(apis)
    apis.remove("host")  # an English word as well; the namespace is what counts
    assert (
        offences(
            "workloads",
            rf"(?i:\b({'|'.join(apis)})\b)|\bhost::|\b(vk|cl)[A-Z]\w+|backends/(?!device\.hpp)",
        )
        == []
    )


def test_the_schedule_and_statistics_know_no_api() -> None:
    for name in (
        "schedule.cpp",
        "stats.cpp",
        "case.cpp",
        "measure.cpp",
        "gbench.cpp",
        "worker.cpp",
    ):
        assert offences(f"harness/{name}", r"(?i:\b(cuda|opencl|vulkan)\b)|\b(vk|cl)[A-Z]\w+") == []


def test_no_file_names_a_machine_path() -> None:
    """Home folders, checkouts and temporary folders of a file's writer are nobody's business."""
    # Put together here, so that this file passes its own test.
    private = "|".join(
        ["/" + "home/[a-z]", "/" + "root/", "/" + "work/", "/" + "Users/", "/" + "mnt/"]
    )
    allowed = {"tests/scripts/test_cli.py"}  # makes a home of its own below a temporary folder
    found = []
    for path in tracked():
        name = path.relative_to(REPOSITORY).as_posix()
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if name not in allowed and re.search(rf"(?<![\w.$}}])({private})", line):
                found.append(f"{name}:{number}: {line.strip()[:120]}")
    assert found == []


@pytest.mark.parametrize("word", ["abort", "exit", "printf", "cout", "cerr"])
def test_backends_and_workloads_neither_print_nor_end(word: str) -> None:
    pattern = rf"(?<![\w.>])(std::)?{word}\s*(\(|<<)"
    assert offences("backends", pattern) + offences("workloads", pattern) == []
