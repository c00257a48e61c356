"""The main job on this machine: vector_add through every API, verified, to JSON, in a minute."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import (
    SCHEMA_FILE,
    Json,
    Outcome,
    binary,
    call,
    device_of,
    read_result,
    skip_or_fail,
)

QUICK_S = 60
LARGEST_FILE = 5_000_000


@dataclass
class QuickRun:
    outcome: Outcome
    seconds: float
    path: Path
    file: Json


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory, inventory: Json) -> QuickRun:
    """One run of the quick preset on every API of this machine's default device."""
    folder = tmp_path_factory.mktemp("quick")
    path = folder / "quick.json"
    arguments = [
        "run",
        "--preset",
        "quick",
        "--workload",
        "vector_add",
        "--output",
        path,
    ]
    start = time.monotonic()
    outcome = call(binary(), arguments, cwd=folder, timeout_s=5 * QUICK_S)
    seconds = time.monotonic() - start
    outcome.expect(0)
    return QuickRun(outcome, seconds, path, read_result(path))


def test_ends_within_a_minute(quick: QuickRun) -> None:
    assert quick.seconds < QUICK_S


@pytest.mark.parametrize("api", ["host", "opencl", "vulkan"])
def test_every_row_is_ok(quick: QuickRun, inventory: Json, api: str) -> None:
    device = device_of(inventory, api)
    rows = [row for row in quick.file["results"] if row["api"] == api]
    if not rows and device["type"] == "cpu":
        skip_or_fail(api, f"{device['id']} is a CPU device beside a GPU")
    assert {row["status"] for row in rows} == {"ok"}, [r["reason"] for r in rows if r["reason"]]
    dtypes = {row["dtype"] for row in rows}
    assert dtypes >= {"f32", "i32", "f16"}
    assert {row["variant"] for row in rows} == {"naive", "vec4"}
    for row in rows:
        assert row["tier"] == "matched"
        assert row["verify"]["before"] == row["verify"]["after"] == "pass"
        assert row["verify"]["checked"] == row["size"]["n"]
        assert row["verify"]["worst"] == 0
        assert row["summary"]["median_ns"] > 0
        assert row["rates"]["bytes_per_s"] > 0
        if row["summary"]["ci95_ns"] is None:  # the time budget ended before six rounds
            assert "unconverged" in row["flags"]
            continue
        low, high = row["summary"]["ci95_ns"]
        assert low <= row["summary"]["median_ns"] <= high


def test_all_apis_run_the_same_cases_with_the_same_n(quick: QuickRun) -> None:
    by_case: dict[str, set[int]] = {}
    for row in quick.file["results"]:
        by_case.setdefault(row["case"], set()).add(row["n"])
    assert all(len(ns) == 1 for ns in by_case.values()), by_case


def test_numbers_agree_with_their_samples(quick: QuickRun) -> None:
    for row in quick.file["results"]:
        samples = [t for r in row["rounds"] if r["rejected"] is None for t in r["t_ns"]]
        assert samples
        summary = row["summary"]
        assert summary["min_ns"] <= min(samples) * 1.001 + 0.1
        assert summary["min_ns"] <= summary["q1_ns"] <= summary["q3_ns"] <= summary["max_ns"]
        moved = row["work"]["bytes_read"] + row["work"]["bytes_written"]
        rate = moved / summary["median_ns"] * 1e9
        assert row["rates"]["bytes_per_s"] == pytest.approx(rate, rel=1e-6)
        for entry in row["rounds"]:
            for t_ns, host_ns in zip(entry["t_ns"], entry["host_ns"], strict=True):
                assert t_ns * row["n"] <= host_ns + max(1000, 0.0005 * host_ns)


def test_u01_rows_name_what_executed(quick: QuickRun) -> None:
    """U01: a row's device is one of the file, of the row's API, with driver and clock."""
    devices = {device["id"]: device for device in quick.file["devices"]}
    for row in quick.file["results"]:
        device = devices[row["device"]]
        assert device["api"] == row["api"]
        assert device["name"]
        assert device["driver"]
        assert device["timer"]["source"]
    assert {device["id"] for device in quick.file["devices"]} == {
        row["device"] for row in quick.file["results"]
    }


def test_cpu_devices_are_labelled(quick: QuickRun) -> None:
    for gpu in quick.file["gpus"]:
        kinds = {d["type"] for d in quick.file["devices"] if d["gpu"] == gpu["id"]}
        assert (gpu["type"] == "cpu") == (kinds == {"cpu"})


def test_file_is_accepted_by_both_validators(quick: QuickRun) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA_FILE.read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.Draft7Validator(schema).validate(quick.file)
    call(binary(), ["validate", quick.path], cwd=quick.path.parent).expect(0)


def test_file_is_small_complete_and_says_how_it_was_made(quick: QuickRun) -> None:
    assert quick.path.stat().st_size < LARGEST_FILE
    assert quick.file["complete"] is True
    assert quick.file["plan"]["preset"] == "quick"
    assert quick.file["plan"]["fill"] == "random"
    assert "--preset quick" in quick.file["plan"]["arguments"]
    assert quick.file["tool"]["version"]
    for row in quick.file["results"]:
        kept = sum(len(entry["t_ns"]) for entry in row["rounds"])
        assert kept <= 260, "about 200 samples a row"


def test_every_row_is_in_the_table(quick: QuickRun) -> None:
    for row in quick.file["results"]:
        lines = [line for line in quick.outcome.out.splitlines() if row["case"] in line]
        assert any(row["device"] in line for line in lines)
    assert f"{len(quick.file['results'])} rows" in quick.outcome.out


def test_o12_numbers_carry_their_unit(quick: QuickRun) -> None:
    """O12: every number of a row's records is named with its unit or is a count or a ratio."""
    units = ("_ns", "_bytes", "_hz", "_w", "_j", "_s", "_c")
    plain = {
        "n",
        "rounds",
        "place",
        "checked",
        "worst",
        "limit",
        "rms",
        "rms_limit",
        "at",
        "flops",
        "bytes_read",
        "bytes_written",
        "registers",
        "flop_per_byte",
        "fraction_of_ceiling",
        "fraction_of_peak",
    }

    def check(value: Json, name: str) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                if key != "size":
                    check(inner, key)
        elif isinstance(value, list):
            for inner in value:
                check(inner, name)
        elif isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
            assert name.endswith(units) or name in plain | {"group_size", "groups"}, name

    for row in quick.file["results"]:
        check(row, "row")
