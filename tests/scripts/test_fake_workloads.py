"""The field's faults of results and sizes, replayed for every workload by fake devices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import (
    Caller,
    Json,
    card,
    expect_no_numbers,
    machine,
    only_row,
    read_result,
    rows_of,
    run,
    run_arguments,
)


@dataclass(frozen=True)
class Sample:
    """A variant of a workload, and sizes of it from small to large."""

    workload: str
    variant: str
    sizes: tuple[str, str, str, str, str]

    @property
    def size(self) -> str:
        return self.sizes[-1]

    def arguments(self, *sizes: str) -> list[str]:
        chosen = [word for size in sizes or (self.size,) for word in ("--size", size)]
        return ["--workload", self.workload, "--variant", self.variant, *chosen]

    def case(self, size: str) -> str:
        return f"{self.workload}/f32/{size}/{self.variant}"

    def fault(self, **fields: Json) -> Json:
        """A fault of runs of this workload."""
        return {"call": "run", "kernel": f"^{self.workload}/", **fields}


def image(n: int) -> str:
    return f"n={n},c=3,h=10,w=9,k=7,r=3,s=3,stride=1,pad=1,layout=nchw"


SAMPLES = [
    Sample("vector_add", "naive", ("n=7", "n=499", "n=1021", "n=4096", "n=4097")),
    Sample("reduction", "tree", ("n=1021", "n=4096", "n=4097", "n=9999", "n=65537")),
    Sample(
        "gemm",
        "tiled",
        ("m=1,n=2,k=3", "m=5,n=7,k=9", "m=16,n=20,k=32", "m=20,n=21,k=22", "m=65,n=63,k=67"),
    ),
    Sample("convolution", "direct", (image(1), image(2), image(3), image(4), image(5))),
]
NAMES = [sample.workload for sample in SAMPLES]
of_every_workload = pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)


@of_every_workload
def test_the_samples_are_ok(fake: Caller, tmp_path: Path, sample: Sample) -> None:
    """What follows is due to the faults alone."""
    script = machine(fakea=[card()], fakeb=[card()])
    file = run(fake, tmp_path, script, *sample.arguments(*sample.sizes), code=0)
    assert [row["status"] for row in file["results"]] == ["ok"] * 10
    assert all(row["verify"]["bits"]["equal"] for row in file["results"] if row["api"] == "fakeb")


# --- correctness --------------------------------------------------------------------------------


@of_every_workload
@pytest.mark.parametrize(
    "effect", ["skip_last_third", "skip", "flip_bit", "write_past_end", "modify_input"]
)
def test_c01_a_wrong_result_has_no_numbers(
    fake: Caller, tmp_path: Path, sample: Sample, effect: str
) -> None:
    """C01: a wrong result is a status without numbers, and the exit code says so."""
    script = machine(fakea=[card(faults=[sample.fault(effect=effect)])], fakeb=[card()])
    path = tmp_path / "out.json"
    outcome = fake(script, *run_arguments(path, *sample.arguments())).expect(4)
    rows = rows_of(read_result(path))
    bad = rows[sample.case(sample.size), "fakea:0"]
    assert bad["status"] == "invalid"
    assert bad["reason"].startswith("wrong result")
    expect_no_numbers(bad)
    assert rows[sample.case(sample.size), "fakeb:0"]["status"] == "ok"
    assert read_result(path)["ratios"] == []
    (line,) = (line for line in outcome.out.splitlines() if "fakea:0" in line)
    assert "invalid" in line
    assert not re.search(r"\d [kMGT]?(B/s|FLOP/s)", line)


def test_c02_only_the_shape_that_is_wrong_is_invalid(fake: Caller, tmp_path: Path) -> None:
    """C02: a GEMM that is wrong only for k=100; driver and tool versions are in the file."""
    faults = [{"call": "run", "kernel": "^gemm/", "constants": {"2": 100}, "effect": "flip_bit"}]
    script = machine(fakea=[card(faults=faults, driver="fake 2.7", api_version="3.1")])
    shapes = [f"m=33,n=35,k={k}" for k in (10, 99, 100, 101, 1000)]
    sizes = [word for shape in shapes for word in ("--size", shape)]
    variants = ["--workload", "gemm", "--variant", "naive,vec4", "--dtype", "f32,i8"]
    file = run(fake, tmp_path, script, *variants, *sizes, "--verify-only", code=4)
    assert len(file["results"]) == 2 * 2 * len(shapes)
    for row in file["results"]:
        assert row["status"] == ("invalid" if row["size"]["k"] == 100 else "ok"), row["case"]
    (device,) = file["devices"]
    assert (device["driver"], device["api_version"]) == ("fake 2.7", "3.1")
    assert file["tool"]["version"]
    assert file["tool"]["build"]["compiler"]
    assert file["tool"]["build"]["glslang"]


@of_every_workload
def test_c09_timed_runs_that_do_nothing(fake: Caller, tmp_path: Path, sample: Sample) -> None:
    """C09: the checked runs are right, and none of the timed launches does a thing."""
    faults = [sample.fault(bracketed=True, effect="skip")]
    script = machine(fakea=[card(faults=faults)])
    row = only_row(run(fake, tmp_path, script, *sample.arguments(), code=4))
    assert row["status"] == "invalid"
    assert row["verify"]["before"] == "pass"
    assert row["verify"]["after"] == "fail"
    expect_no_numbers(row)


@of_every_workload
def test_c10_a_mismatch_ends_its_case_only(fake: Caller, tmp_path: Path, sample: Sample) -> None:
    """C10: a mismatch in case 2 of 5: cases 3 to 5 still run, and its place is printed."""
    # A case is run with integers, then with random data; one that is compared bitwise only once.
    second = 2 if sample.workload == "vector_add" else 3
    script = machine(fakea=[card(faults=[sample.fault(nth=second, effect="skip_last_third")])])
    path = tmp_path / "out.json"
    arguments = run_arguments(path, *sample.arguments(*sample.sizes), "--verify-only")
    outcome = fake(script, *arguments).expect(4)
    rows = read_result(path)["results"]
    assert [row["status"] for row in rows] == ["ok", "invalid", "ok", "ok", "ok"]
    assert re.search(r"element \d+ is ", rows[1]["reason"])
    assert rows[1]["reason"] in outcome.text
    if sample.workload != "reduction":  # which has one element
        assert rows[1]["verify"]["at"] > 0
    assert f"element {rows[1]['verify']['at']} is " in rows[1]["reason"]


# --- sizes ----------------------------------------------------------------------------------------


def test_s06_groups_over_the_limit(fake: Caller, tmp_path: Path) -> None:
    """S06: on a device that allows 128 lanes every case of the quick preset is unsupported, with
    both numbers: no group size adapts, in no workload."""
    path = tmp_path / "out.json"
    script = machine(fakea=[card(limits={"max_group_lanes": 128})])
    fake(script, "run", "--preset", "quick", "--output", path).expect(0)
    rows = read_result(path)["results"]
    assert {row["workload"] for row in rows} >= set(NAMES)
    for row in rows:
        assert row["status"] == "unsupported"
        if not row["reason"].startswith("no fake kernel"):
            assert "256 lanes" in row["reason"]
            assert "allows 128" in row["reason"]
        expect_no_numbers(row)


def bytes_of(rows: int, columns: int) -> int:
    """What a case allocates for a matrix of f32, its guard of 64 bytes included."""
    return rows * ((columns + 3) // 4 * 4) * 4 + 64


SQUARE = "m=500,n=510,k=520"
LAYER = "n=8,c=16,h=50,w=49,k=24,r=3,s=3,stride=1,pad=1,layout="


@pytest.mark.parametrize(
    ("workload", "size", "largest", "total"),
    [
        ("gemm", SQUARE, ("b", bytes_of(520, 510)), (500, 520, 520, 510, 500, 510)),
        (
            "convolution",
            LAYER + "nchw",
            ("y", bytes_of(8 * 24 * 50, 49)),
            (8 * 16 * 50, 49, 24, 144, 8 * 24 * 50, 49),
        ),
        (
            "convolution",
            LAYER + "nhwc",
            ("y", bytes_of(8 * 50 * 49, 24)),
            (8 * 50 * 49, 16, 24 * 9, 16, 8 * 50 * 49, 24),
        ),
    ],
    ids=["gemm", "convolution_nchw", "convolution_nhwc"],
)
@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("max_buffer_bytes", "largest buffer of"),
        ("max_binding_bytes", "largest storage-buffer range of"),
        ("memory_bytes", "memory of"),
    ],
)
def test_s01_s02_limits_are_told_apart(
    fake: Caller,
    tmp_path: Path,
    workload: str,
    size: str,
    largest: tuple[str, int],
    total: tuple[int, int, int, int, int, int],
    limit: str,
    words: str,
) -> None:
    """S01, S02: buffer, binding and memory limits, each by name, with limit and request in bytes;
    one byte more and the case runs."""
    what, needed = f"buffer {largest[0]}", largest[1]
    if limit == "memory_bytes":
        what = "the case"
        needed = sum(bytes_of(*total[i : i + 2]) for i in (0, 2, 4))
    variant = "naive" if workload == "gemm" else "direct"
    chosen = ["--workload", workload, "--size", size, "--variant", variant, "--verify-only"]
    short = machine(fakea=[card(limits={limit: needed - 1})])
    row = only_row(run(fake, tmp_path, short, *chosen, code=0))
    assert row["status"] == "unsupported"
    assert row["reason"] == (
        f"{what} needs {needed} bytes, over the device's {words} {needed - 1} bytes"
    )
    expect_no_numbers(row)
    enough = machine(fakea=[card(limits={limit: needed})])
    row = only_row(run(fake, tmp_path, enough, *chosen, "--force", code=0))
    assert row["status"] == "ok", row["reason"]


@of_every_workload
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_s09_a_failed_allocation_is_a_row(
    fake: Caller, tmp_path: Path, sample: Sample, nth: int
) -> None:
    """S09: whichever buffer finds no memory, its case is a row without numbers, the rest runs, and
    the reader takes the file."""
    first, *others = sample.sizes
    # The first allocation is the lead-in's; the probe of arithmetic asks for a few bytes.
    fault = {"call": "allocate", "min_bytes": 65, "nth": 1 + nth, "throw": "out_of_memory"}
    script = machine(fakea=[card(faults=[fault])])
    sizes = [*others, first]
    file = run(fake, tmp_path, script, *sample.arguments(*sizes), "--verify-only", code=4)
    rows = {row["case"]: row for row in file["results"]}
    bad = rows.pop(sample.case(sizes[0]))
    assert bad["status"] == "error"
    assert bad["reason"].startswith("out of memory")
    expect_no_numbers(bad)
    assert {row["status"] for row in rows.values()} == {"ok"}
    assert len(rows) == 4
