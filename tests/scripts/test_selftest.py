"""`parallax selftest`: the list and the catch rate that it prints, and its exit codes. That every
fault is caught on every device is tested by tests/contract/selftest_test.cpp."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from conftest import Caller, card, machine

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
