"""`parallax selftest`: the list and the catch rate that it prints, and its exit codes. That every
fault is caught on every device is tested by tests/contract/selftest_test.cpp."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from conftest import REPOSITORY, Caller, card, machine

SUMMARY = re.compile(
    r"(?P<faults>\d+) faults, (?P<caught>\d+) of (?P<checks>\d+) checks caught "
    r"\((?P<rate>[\d.]+) %\), (?P<unsupported>\d+) unsupported: (?P<devices>.*)"
)


def test_lists_every_fault_and_the_catch_rate(parallax: Caller) -> None:
    lines = parallax("selftest", "--api", "host").expect(0).out.splitlines()
    summary = SUMMARY.fullmatch(lines[-1])
    assert summary is not None, lines[-1]
    faults = lines[1:-1]
    assert len(faults) == int(summary["faults"]) >= 40
    assert all(re.search(r" caught +\S", line) for line in faults)
    counts = Counter(line.split("/")[0] for line in faults)
    assert set(counts) == {"vector_add", "reduction", "gemm", "convolution"}
    assert min(counts.values()) >= 8
    assert summary["caught"] == summary["checks"] == summary["faults"]
    assert summary["rate"] == "100.0"
    assert summary["devices"] == f"host:0 {len(faults)} of {len(faults)}"


def test_what_is_not_caught_ends_4_with_the_reason(fake: Caller) -> None:
    lacking = {"call": "find_kernel", "kernel": "^selftest/", "absent": "no such kernel"}
    broken = {"call": "run", "kernel": "^vector_add", "effect": "flip_bit"}
    for fault, words in ((lacking, "unsupported: no such kernel"), (broken, "no control: ")):
        script = machine(fakea=[card(faults=[fault])], host=[card(type="cpu")])
        outcome = fake(script, "selftest", "--filter", "one_ulp").expect(4)
        assert f"fakea:0: {words}" in outcome.out
        assert "host:0 1 of 1" in outcome.out.splitlines()[-1]


def test_filters_choose_faults_and_devices(parallax: Caller) -> None:
    arguments = ["selftest", "--api", "host", "--workload", "gemm", "--filter", "missing_barrier"]
    out = parallax(*arguments).expect(0).out
    assert out.splitlines()[-1].startswith("1 faults, 1 of 1 checks caught (100.0 %)")
    assert "gemm/f32/tiled" in out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--workload", "gem"], "gemm"),
        (["--filter", "(["], "(["),
        (["--filter", "no_fault_is_called_so"], "no fault"),
        (["--api", "vulcan"], "vulkan"),
        (["--dtype", "f32"], "--dtype"),
        (["--preset", "quick"], "--preset"),
    ],
)
def test_usage_errors_end_2(parallax: Caller, arguments: list[str], word: str) -> None:
    assert word in parallax("selftest", *arguments).expect(2).one_line_error()


def test_without_the_api_that_was_asked_for(parallax: Caller) -> None:
    no_vulkan = {"VK_DRIVER_FILES": "/nonexistent.json", "VK_ICD_FILENAMES": None}
    assert parallax("selftest", "--api", "vulkan", env=no_vulkan).expect(77).out == ""


def configure_mutant(folder: Path, *changes: str) -> tuple[int, str]:
    """Configures a project with one kernel in two languages and one mutant of it."""
    kernels = folder / "sums"
    kernels.mkdir(parents=True)
    (kernels / "add.cpp").write_text("c[i] = a[i] + b[i]; // once; twice; twice\n")
    (kernels / "add.cl").write_text("c[i] = a[i] + b[i]; // once\n")
    mutate = REPOSITORY / "shaders/selftest/mutate.cmake"
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(P LANGUAGES NONE)\n"
        f"set(generated ${{CMAKE_BINARY_DIR}})\ninclude({mutate})\n"
        f"mutant(wrong sums/add f32 {' '.join(changes)})\n"
        'message(STATUS "mutants: ${mutant_names}")\n'
    )
    command = ["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, re.sub(r"\s+", " ", done.stdout + done.stderr)


def test_a_mutant_is_a_changed_copy(tmp_path: Path) -> None:
    changes = [f'sums/add.{suffix} "+ b[i];" "- b[i];"' for suffix in ("cpp", "cl")]
    code, text = configure_mutant(tmp_path, *changes)
    assert code == 0, text
    assert "mutants: selftest/wrong/f32;selftest/wrong/f32" in text
    copy = tmp_path / "build/mutants/wrong/shaders/sums/add.cpp"
    assert copy.read_text() == "c[i] = a[i] - b[i]; // once; twice; twice\n"
    assert "+ b[i]" in (tmp_path / "sums/add.cpp").read_text()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (['sums/add.cpp "never" "x"', 'sums/add.cl "once" "x"'], "not exactly once"),
        (['sums/add.cpp "twice" "x"', 'sums/add.cl "once" "x"'], "not exactly once"),
        (['sums/add.cpp "once" "x"'], "changes nothing of sums/add.cl"),
    ],
)
def test_a_mutant_that_changes_nothing_ends_configuring(
    tmp_path: Path, changes: list[str], words: str
) -> None:
    code, text = configure_mutant(tmp_path, *changes)
    assert code != 0
    assert "wrong" in text
    assert words in text
