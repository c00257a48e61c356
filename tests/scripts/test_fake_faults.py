"""Faults and clocks that no test machine has, replayed by fake devices. Names of rows such as C01
are those of the project's list of faults from the field."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import (
    PCI,
    SCHEMA_FILE,
    UUID,
    Caller,
    Json,
    Outcome,
    card,
    clean_environment,
    expect_no_numbers,
    fake_binary,
    machine,
    only_row,
    read_result,
    rows_of,
    run,
    run_arguments,
)

CASE = "vector_add/f32/n=7/naive"
SIZES = [
    "--size",
    "n=1",
    "--size",
    "n=7",
    "--size",
    "n=499",
    "--size",
    "n=1021",
    "--size",
    "n=4096",
]


def vec(**fault: Json) -> Json:
    """A fault of runs of vector_add."""
    return {"call": "run", "kernel": "^vector_add", **fault}


def test_fake_runs_are_ok(fake: Caller, tmp_path: Path) -> None:
    """The fake devices alone cause no failure: what follows is due to its faults."""
    file = run(fake, tmp_path, machine(fakea=[card()], fakeb=[card()]), code=0)
    assert [row["status"] for row in file["results"]] == ["ok", "ok"]
    assert file["complete"] is True
    assert len(file["ratios"]) == 1


# --- correctness --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("effect", "words"),
    [
        ("skip_last_third", "differ"),
        ("skip", "differ"),
        ("flip_bit", "element 0"),
        ("write_past_end", "guard"),
        ("modify_input", "input"),
    ],
)
def test_c01_wrong_results_have_no_numbers(
    fake: Caller, tmp_path: Path, effect: str, words: str
) -> None:
    """C01: a wrong result is a status, never a row of a table of rates; the exit code says so."""
    script = machine(fakea=[card(faults=[vec(effect=effect)])], fakeb=[card()])
    file = run(fake, tmp_path, script, code=4)
    rows = rows_of(file)
    bad = rows[CASE, "fakea:0"]
    assert bad["status"] == "invalid"
    assert words in bad["reason"]
    expect_no_numbers(bad)
    assert rows[CASE, "fakeb:0"]["status"] == "ok"
    assert file["ratios"] == []


def test_c01_the_table_withholds_the_value(fake: Caller, tmp_path: Path) -> None:
    script = machine(fakea=[card(faults=[vec(effect="skip_last_third")])])
    outcome = fake(script, *run_arguments(tmp_path / "out.json")).expect(4)
    assert "invalid" in outcome.out
    assert "B/s" not in outcome.out


def test_c02_only_the_wrong_size_is_invalid(fake: Caller, tmp_path: Path) -> None:
    """C02: one shape of many is wrong on one driver; driver and build are in the file."""
    script = machine(fakea=[card(faults=[vec(first_constant=1021, effect="flip_bit")])])
    file = run(fake, tmp_path, script, *SIZES, code=4)
    status = {row["case"]: row["status"] for row in file["results"]}
    assert status.pop("vector_add/f32/n=1021/naive") == "invalid"
    assert set(status.values()) == {"ok"}
    assert file["devices"][0]["driver"] == "fake 1.0"
    assert file["tool"]["build"]["compiler"]


def test_c09_runs_after_the_first_that_do_nothing(fake: Caller, tmp_path: Path) -> None:
    """C09: the first run is right, later launches fail without a word."""
    faults = [vec(nth=2, last=1_000_000, effect="skip")]
    row = only_row(run(fake, tmp_path, machine(fakea=[card(faults=faults)]), code=4))
    assert row["status"] == "invalid"
    assert row["verify"]["before"] == "pass"
    assert row["verify"]["after"] == "fail"
    expect_no_numbers(row)


def test_c10_a_mismatch_ends_its_case_only(fake: Caller, tmp_path: Path) -> None:
    """C10: a mismatch in case 2 of 5; the others run, and its offset is printed."""
    script = machine(fakea=[card(faults=[vec(first_constant=7, effect="flip_bit")])])
    path = tmp_path / "out.json"
    outcome = fake(script, *run_arguments(path, *SIZES)).expect(4)
    assert "element 0" in outcome.text
    statuses = [row["status"] for row in read_result(path)["results"]]
    assert statuses == ["ok", "invalid", "ok", "ok", "ok"]


def test_i01_one_of_five_fails(fake: Caller, tmp_path: Path) -> None:
    """I01: one failure of five is a failure, and the counts are printed."""
    faults = [vec(first_constant=499, throw="failed")]
    path = tmp_path / "out.json"
    script = machine(fakea=[card(faults=faults)])
    outcome = fake(script, *run_arguments(path, *SIZES)).expect(4)
    statuses = [row["status"] for row in read_result(path)["results"]]
    assert statuses == ["ok", "ok", "error", "ok", "ok"]
    assert "4 ok" in outcome.out
    assert "1 error" in outcome.out


def test_i01_five_of_five_fail(fake: Caller, tmp_path: Path) -> None:
    script = machine(fakea=[card(faults=[vec(throw="failed")])])
    file = run(fake, tmp_path, script, *SIZES, code=4)
    assert [row["status"] for row in file["results"]] == ["error"] * 5


# --- errors ---------------------------------------------------------------------------------------


def test_s09_a_failed_allocation_is_a_row(fake: Caller, tmp_path: Path) -> None:
    """S09: memory that runs out within the limits costs one row; the reader takes such rows."""
    faults = [{"call": "allocate", "min_bytes": 4000, "nth": 1, "throw": "out_of_memory"}]
    script = machine(fakea=[card(faults=faults)])
    file = run(fake, tmp_path, script, *SIZES, code=4)
    rows = {row["case"]: row for row in file["results"]}
    bad = rows.pop("vector_add/f32/n=1021/naive")
    assert bad["status"] == "error"
    assert "out of memory" in bad["reason"]
    expect_no_numbers(bad)
    assert {row["status"] for row in rows.values()} == {"ok"}


def test_o15_a_build_log_does_not_flood_the_output(fake: Caller, tmp_path: Path) -> None:
    """O15: fifty lines of compiler output become one line of a row."""
    log = "".join(f"kernel.cl:{line}: error: nonsense {line}\n" for line in range(50))
    faults = [
        {
            "call": "find_kernel",
            "kernel": "^vector_add",
            "throw": "build_failed",
            "log": log,
        }
    ]
    path = tmp_path / "out.json"
    script = machine(fakea=[card(faults=faults)])
    outcome = fake(script, *run_arguments(path)).expect(4)
    row = only_row(read_result(path))
    assert row["status"] == "error"
    expect_no_numbers(row)
    assert outcome.text.count("nonsense") <= 4
    assert "nonsense 40" not in outcome.text + path.read_text()


def test_a_lost_device_costs_its_rows_only(fake: Caller, tmp_path: Path) -> None:
    faults = [vec(first_constant=7, throw="device_lost")]
    script = machine(fakea=[card(faults=faults)], fakeb=[card()])
    rows = run(fake, tmp_path, script, *SIZES, code=4)["results"]
    assert [r["status"] for r in rows if r["device"] == "fakea:0"] == ["ok"] + ["error"] * 4
    assert {r["status"] for r in rows if r["device"] == "fakeb:0"} == {"ok"}
    assert {"fake_run" in r["reason"] for r in rows if r["status"] == "error"} == {True}


def test_a_device_that_does_not_open_costs_its_rows_only(fake: Caller, tmp_path: Path) -> None:
    faults = [{"call": "open", "throw": "failed"}]
    file = run(fake, tmp_path, machine(fakea=[card(faults=faults)], fakeb=[card()]), code=4)
    rows = rows_of(file)
    assert rows[CASE, "fakea:0"]["status"] == "error"
    assert "fake_open" in rows[CASE, "fakea:0"]["reason"]
    assert rows[CASE, "fakeb:0"]["status"] == "ok"


def test_absence_is_no_failure(fake: Caller, tmp_path: Path) -> None:
    faults = [
        {
            "call": "find_kernel",
            "kernel": "^vector_add",
            "absent": "no such kernel here",
        }
    ]
    file = run(fake, tmp_path, machine(fakea=[card(faults=faults)], fakeb=[card()]), code=0)
    row = rows_of(file)[CASE, "fakea:0"]
    assert row["status"] == "unsupported"
    assert "no such kernel here" in row["reason"]


def test_s06_a_group_over_the_limit(fake: Caller, tmp_path: Path) -> None:
    """S06: 256 lanes on a device that allows 128: both numbers, and no other group size."""
    script = machine(fakea=[card(limits={"max_group_lanes": 128})])
    row = only_row(run(fake, tmp_path, script, code=0))
    assert row["status"] == "unsupported"
    assert "256" in row["reason"]
    assert "128" in row["reason"]


@pytest.mark.parametrize("limit", ["max_buffer_bytes", "max_binding_bytes", "memory_bytes"])
def test_s01_s02_limits_are_told_apart(fake: Caller, tmp_path: Path, limit: str) -> None:
    """S01, S02: buffer, binding and memory limits, each named with limit and request."""
    script = machine(fakea=[card(limits={limit: 1_000_000})])
    row = only_row(run(fake, tmp_path, script, "--size", "n=2^20", code=0))
    assert row["status"] == "unsupported"
    assert "1000000" in row["reason"]
    expect_no_numbers(row)
    words = {
        "max_buffer_bytes": "buffer",
        "max_binding_bytes": "range",
        "memory_bytes": "memory",
    }
    assert words[limit] in row["reason"]


# --- clocks ---------------------------------------------------------------------------------------


def test_t02_a_counter_that_wraps(fake: Caller, tmp_path: Path) -> None:
    """T02: 36 valid bits at 52.08 ns that wrap within every bracket."""
    clock = {"valid_bits": 36, "period_ns": 52.08}
    times = [{"kernel": "^vector_add", "ns": 100_000}]
    script = machine(fakea=[card(timer=clock, start_tick=0xFFFFFFFFF, times=times)])
    row = only_row(run(fake, tmp_path, script, code=0))
    assert row["status"] == "ok"
    assert row["summary"]["median_ns"] == pytest.approx(100_000, rel=1e-3)


def test_t03_no_valid_bits(fake: Caller, tmp_path: Path) -> None:
    """T03: a period without valid bits is no clock: the host's is used, and said to be."""
    script = machine(fakea=[card(timer={"valid_bits": 0, "period_ns": 1.0})], fakeb=[card()])
    file = run(fake, tmp_path, script, code=0)
    timers = {device["id"]: device["timer"] for device in file["devices"]}
    assert timers["fakea:0"]["source"] == "host_clock"
    assert timers["fakea:0"]["note"]
    assert timers["fakeb:0"]["source"] == "fake_clock"
    assert {row["status"] for row in file["results"]} == {"ok"}
    assert file["ratios"] == [], "host times and device times do not compare"


def test_t04_the_period_is_applied(fake: Caller, tmp_path: Path) -> None:
    """T04: 41.6667 ns a tick."""
    times = [{"kernel": "^vector_add", "ns": 416_667}]
    script = machine(fakea=[card(timer={"period_ns": 41.6667}, times=times)])
    row = only_row(run(fake, tmp_path, script, code=0))
    assert row["summary"]["median_ns"] == pytest.approx(416_667, abs=42)


@pytest.mark.xfail(
    strict=True,
    reason="T06, the rate check of a device clock against the host's, is not built yet",
)
def test_t06_a_clock_that_is_off_by_a_factor(fake: Caller, tmp_path: Path) -> None:
    """T06: event times are 1/41.67 of the host's; the timer is flagged, the rows are no results."""
    faults = [
        {
            "call": "run",
            "bracketed": True,
            "scale_device": 1 / 41.67,
            "scale_leadin": 1 / 41.67,
        }
    ]
    row = only_row(run(fake, tmp_path, machine(fakea=[card(faults=faults)]), code=4))
    assert row["status"] == "invalid"


@pytest.mark.parametrize("stamp", [0, None, "nan"])
def test_t08_stamps_that_say_nothing(fake: Caller, tmp_path: Path, stamp: Json) -> None:
    """T08: zeros or absent stamps are an unusable clock: the host's is used, labelled."""
    faults = [{"call": "run", "bracketed": True, "set_device_ns": stamp}]
    path = tmp_path / "out.json"
    script = machine(fakea=[card(faults=faults)])
    outcome = fake(script, *run_arguments(path)).expect(0)
    file = read_result(path)
    assert file["devices"][0]["timer"]["source"] == "host_clock"
    row = only_row(file)
    assert row["status"] == "ok"
    assert row["summary"]["median_ns"] > 0
    assert "host_clock" in outcome.out


def test_t08_a_stamp_that_is_zero_once_is_tried_again(fake: Caller, tmp_path: Path) -> None:
    faults = [{"call": "run", "bracketed": True, "nth": 40, "set_device_ns": 0}]
    file = run(fake, tmp_path, machine(fakea=[card(faults=faults)]), code=0)
    assert file["devices"][0]["timer"]["source"] == "fake_clock"


@pytest.mark.parametrize(
    "fault",
    [
        {"set_device_ns": -5},
        {"set_device_ns": "nan"},
        {"set_device_ns": "inf"},
        {"set_device_ns": None},
        {"scale_device": 1000},
        {"scale_host": 0.1},
    ],
)
def test_impossible_times_are_invalid(fake: Caller, tmp_path: Path, fault: Json) -> None:
    """O01: no NaN or infinity gets into a file, nor a device time beyond the host's."""
    faults = [vec(bracketed=True, nth=20, last=1_000_000, **fault)]
    row = only_row(run(fake, tmp_path, machine(fakea=[card(faults=faults)]), code=4))
    assert row["status"] == "invalid"
    expect_no_numbers(row)


def test_t11_the_wall_clock_wins(fake: Caller, tmp_path: Path) -> None:
    """T11: a run of 1 us behind 50 ms of host work ends at the case's cap, with a flag."""
    faults = [vec(bracketed=True, sleep_ms=50)]
    times = [{"kernel": "^vector_add", "ns": 1000}]
    script = machine(fakea=[card(faults=faults, times=times)])
    start = time.monotonic()
    row = only_row(run(fake, tmp_path, script, "--preset", "quick", "--rounds", "500", code=0))
    assert time.monotonic() - start < 40, "500 rounds would last minutes"
    assert row["status"] == "ok"
    assert "unconverged" in row["flags"]


def test_t07_a_run_below_the_resolution_is_flagged(fake: Caller, tmp_path: Path) -> None:
    """T07: repetitions are raised to the cap; what stays below resolution says so."""
    times = [{"kernel": "^vector_add", "ns": 10}]
    row = only_row(run(fake, tmp_path, machine(fakea=[card(times=times)]), code=0))
    assert row["n"] == 512
    assert "below_resolution" in row["flags"]


# --- devices --------------------------------------------------------------------------------------


def test_d17_two_cards_of_one_name(fake: Caller, tmp_path: Path) -> None:
    """D17: same name, buses 3 and 4: two GPUs, two entries, distinct row keys."""
    twins = [
        {"name": "Twin", "pci": "0000:03:00.0"},
        {"name": "Twin", "pci": "0000:04:00.0"},
    ]
    script = machine(fakea=twins)
    text = fake(script, "devices").expect(0).out
    assert "0000:03:00.0" in text
    assert "0000:04:00.0" in text
    file = run(fake, tmp_path, script, "--device", "fakea:0,fakea:1", code=0)
    assert len({gpu["id"] for gpu in file["gpus"]}) == 2
    assert len({row["device"] for row in file["results"]}) == 2
    assert {device["alias_of"] for device in file["devices"]} == {None}


def test_d18_rows_of_one_card_are_grouped_by_uuid(fake: Caller, tmp_path: Path) -> None:
    """D18: one UUID from every API is one GPU, and selects its devices everywhere."""
    other = card(uuid="bbbbbbbb-0000-0000-0000-000000000002", pci="0000:02:00.0")
    script = machine(fakea=[other, card()], fakeb=[card(), other])
    file = run(fake, tmp_path, script, "--device", f"uuid:{UUID}", code=0)
    assert [row["device"] for row in file["results"]] == ["fakea:1", "fakeb:0"]
    assert [device["matched_by"] for device in file["devices"]] == ["uuid", "uuid"]
    assert len(file["gpus"]) == 1
    assert len(file["ratios"]) == 1


def test_d06_an_ambiguous_selector_lists_its_matches(fake: Caller) -> None:
    """D06: device 0 of three platforms."""
    script = machine(fakea=[card()], fakeb=[card()], fakec=[{"type": "cpu", "name": "Processor"}])
    line = fake(script, "run", "--device", "0").expect(2).one_line_error()
    for device in ("fakea:0", "fakeb:0", "fakec:0"):
        assert device in line


def test_d16_selectors_survive_another_driver(fake: Caller, tmp_path: Path) -> None:
    """D16: a second driver shifts indices; UUID and PCI selectors still mean the same card."""
    other = card(uuid="bbbbbbbb-0000-0000-0000-000000000002", pci="0000:02:00.0", name="Other")
    before = machine(fakea=[card()])
    after = machine(fakea=[other, card()])
    for selector in (f"uuid:{UUID}", f"pci:{PCI}", "fake card"):
        for script, device in ((before, "fakea:0"), (after, "fakea:1")):
            file = run(fake, tmp_path, script, "--force", "--device", selector, code=0)
            assert only_row(file)["device"] == device
            assert file["gpus"][0]["id"] == f"uuid:{UUID}"
    line = fake(before, "run", "--device", "fakea:1").expect(2).one_line_error()
    assert "fakea:0" in line


def test_d01_other_handles_same_card(fake: Caller, tmp_path: Path) -> None:
    """D01: two platforms of one API report one card: listed twice, run once, and said."""
    pair = [{"pci": PCI, "platform": "one"}, {"pci": PCI, "platform": "two"}]
    script = machine(fakea=pair)
    listing = fake(script, "devices").expect(0).out
    assert "alias of fakea:0" in listing
    path = tmp_path / "out.json"
    outcome = fake(script, *run_arguments(path)).expect(0)
    assert "fakea:1" in outcome.err
    assert [row["device"] for row in read_result(path)["results"]] == ["fakea:0"]


def test_d15_an_alias_that_is_named_is_run(fake: Caller, tmp_path: Path) -> None:
    """D15: what is named is run."""
    script = machine(fakea=[{"pci": PCI}, {"pci": PCI}])
    file = run(fake, tmp_path, script, "--device", "fakea:1", code=0)
    assert only_row(file)["device"] == "fakea:1"


def test_notes_and_reasons_are_listed(fake: Caller) -> None:
    """D09: a platform without devices is a note, an API without devices a reason."""
    script = machine(fakea=[card()])
    script["apis"]["fakea"]["notes"] = ["platform Empty: no devices (-1)"]
    script["apis"]["fakeb"] = {"reason": "no library libfakeb.so.1"}
    script["apis"]["fakec"] = {"not_built": "not built: no compiler"}
    text = fake(script, "devices").expect(0).text
    assert "platform Empty: no devices (-1)" in text
    assert "no library libfakeb.so.1" in text
    assert "not built: no compiler" in text
    listing = json.loads(fake(script, "devices", "--json").expect(0).out)
    assert {a["api"]: a["reason"] for a in listing["absent"]} == {
        "fakeb": "no library libfakeb.so.1",
        "fakec": "not built: no compiler",
    }
    line = fake(script, "run", "--api", "fakeb").expect(77).one_line_error()
    assert "no library libfakeb.so.1" in line
    line = fake(script, "run", "--require", "fakec").expect(4).one_line_error()
    assert "not built: no compiler" in line
    fake(script, "run", "--require", "fakex").expect(2)


# --- output ---------------------------------------------------------------------------------------


def test_o11_a_gigabyte_is_a_thousand_megabytes(fake: Caller, tmp_path: Path) -> None:
    """O11: 12 * 2^20 bytes in as many ns, 1e9 bytes a second, read 1.000 GB/s."""
    times = [{"kernel": "^vector_add", "ns": 12 << 20}]
    path = tmp_path / "out.json"
    script = machine(fakea=[card(times=times)])
    outcome = fake(script, *run_arguments(path, "--size", "n=2^20")).expect(0)
    assert "1.000 GB/s" in outcome.out
    row = only_row(read_result(path))
    assert row["rates"]["bytes_per_s"] == pytest.approx(1e9)
    assert row["work"]["bytes_read"] + row["work"]["bytes_written"] == 12 << 20
    assert row["summary"]["median_ns"] == 12 << 20


def test_u01_o02_any_bytes_in_a_name(fake: Caller, tmp_path: Path) -> None:
    """U01, O02: a name with quotes, backslashes, control characters and invalid UTF-8."""
    name = b'A "quoted\\name"\twith\nlines \xff\xfe\xc3( end'
    script = machine(fakea=[card(name_bytes=list(name))])
    file = run(fake, tmp_path, script, code=0)
    shown = file["devices"][0]["name"]
    assert shown.startswith('A "quoted\\name"\twith\nlines \ufffd')
    assert shown.endswith("( end")
    listing = json.loads(fake(script, "devices", "--json").expect(0).out)
    assert listing["devices"][0]["name"] == shown
    fake(script, "devices").expect(0)


def test_o03_several_devices_and_apis_in_one_file(fake: Caller, tmp_path: Path) -> None:
    """O03: the schema holds for a file of three APIs and two cards, checked by other code."""
    jsonschema = pytest.importorskip("jsonschema")
    other = card(uuid="bbbbbbbb-0000-0000-0000-000000000002", pci="0000:02:00.0")
    script = machine(fakea=[card(), other], fakeb=[card(), other], fakec=[card()])
    devices = "fakea:0,fakea:1,fakeb:0,fakeb:1,fakec:0"
    file = run(fake, tmp_path, script, *SIZES, "--device", devices, code=0)
    schema = json.loads(SCHEMA_FILE.read_text())
    jsonschema.Draft7Validator(schema).validate(file)
    assert len(file["results"]) == 25
    keys = {(r["case"], r["api"], r["device"], r["l2"], r["mode"]) for r in file["results"]}
    assert len(keys) == 25


def test_the_first_api_is_the_base_of_ratios(fake: Caller, tmp_path: Path) -> None:
    slow = card(times=[{"kernel": "^vector_add", "ns": 30_000}])
    fast = card(times=[{"kernel": "^vector_add", "ns": 20_000}])
    file = run(fake, tmp_path, machine(fakea=[fast], fakeb=[slow]), code=0)
    (ratio,) = file["ratios"]
    assert (ratio["base"], ratio["device"]) == ("fakea:0", "fakeb:0")
    assert ratio["ratio"] == pytest.approx(1.5)
    assert len(ratio["ci95"]) == 2
    assert ratio["rounds"] == 6


def test_all_apis_run_the_same_n_in_turn(fake: Caller, tmp_path: Path) -> None:
    """Section 1.2 of the measurement rules: N from the fastest API, the same for all, in rounds."""
    log = tmp_path / "calls"
    fast = card(times=[{"kernel": "^vector_add", "ns": 2_000}])
    slow = card(times=[{"kernel": "^vector_add", "ns": 8_000}])
    path = tmp_path / "out.json"
    script = machine(fakea=[slow], fakeb=[fast])
    fake(script, *run_arguments(path), env={"PARALLAX_FAKE_LOG": str(log)}).expect(0)
    rows = read_result(path)["results"]
    assert [row["n"] for row in rows] == [100, 100]
    timed = [line.split() for line in log.read_text().splitlines() if " run vector_add" in line]
    timed = [words for words in timed if "repeats=100" in words and "lead_in=0" not in words]
    turns = [timed[0][0]]
    for words in timed:
        if words[0] != turns[-1]:
            turns.append(words[0])
    assert set(turns) == {"fakea:0", "fakeb:0"}
    assert len(turns) >= 6, "blocks of the APIs alternate"
    lead_ins = {words[4] for words in timed}
    assert len(lead_ins) == 1, "one lead-in for all APIs"


def test_benchmark_variables_change_nothing(fake: Caller, tmp_path: Path) -> None:
    """Google Benchmark's own settings from the environment would break blocks."""
    hostile = {
        "BENCHMARK_REPETITIONS": "3",
        "BENCHMARK_MIN_TIME": "5",
        "BENCHMARK_MIN_WARMUP_TIME": "5",
        "BENCHMARK_FILTER": "nothing",
        "BENCHMARK_LIST_TESTS": "true",
        "BENCHMARK_ENABLE_RANDOM_INTERLEAVING": "true",
        "BENCHMARK_OUT": str(tmp_path / "stray.json"),
        "BENCHMARK_OUT_FORMAT": "csv",
        "BENCHMARK_FORMAT": "json",
        "BENCHMARK_PERF_COUNTERS": "CYCLES",
        "BENCHMARK_DRY_RUN": "true",
    }
    texts = []
    for env in ({}, hostile):
        path = tmp_path / f"out{len(env)}.json"
        fake(machine(fakea=[card()]), *run_arguments(path), env=env).expect(0)
        texts.append(path.read_text())
    assert comparable(texts[0]) == comparable(texts[1])
    assert not (tmp_path / "stray.json").exists()


def comparable(text: str) -> Json:
    """A result without what differs between two runs of fake devices: moment and file name."""
    file = json.loads(text)
    del file["created"]
    del file["plan"]["arguments"]
    return file


def test_the_same_seed_gives_the_same_file(fake: Caller, tmp_path: Path) -> None:
    texts = []
    for seed in ("5", "5", "6"):
        path = tmp_path / "out.json"
        script = machine(fakea=[card(jitter=0.01)], fakeb=[card(jitter=0.01)])
        fake(script, *run_arguments(path, "--seed", seed, "--force")).expect(0)
        texts.append(comparable(path.read_text()))
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


def test_verify_only_measures_nothing(fake: Caller, tmp_path: Path) -> None:
    row = only_row(run(fake, tmp_path, machine(fakea=[card()]), "--verify-only", code=0))
    assert row["status"] == "ok"
    assert not row.get("summary")
    bad = machine(fakea=[card(faults=[vec(effect="flip_bit")])])
    row = only_row(run(fake, tmp_path, bad, "--verify-only", "--force", code=4))
    assert row["status"] == "invalid"


def test_output_dash_is_json_and_nothing_else(fake: Caller) -> None:
    outcome = fake(machine(fakea=[card()]), *run_arguments("-")).expect(0)
    assert json.loads(outcome.out)["complete"] is True
    assert CASE in outcome.err


def test_no_colour_off_a_terminal(fake: Caller, tmp_path: Path) -> None:
    script = machine(fakea=[card(faults=[vec(effect="flip_bit")])])
    outcome = fake(script, *run_arguments(tmp_path / "out.json"))
    assert "\x1b" not in outcome.text


# --- interruption ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_a_valid_file(
    fake: Caller, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """I06: the exit code names the signal; the file is valid and says that it is incomplete."""
    faults = [vec(bracketed=True, sleep_ms=5)]
    script_path = tmp_path / "script.json"
    script_path.write_text(json.dumps(machine(fakea=[card(faults=faults)])))
    path = tmp_path / "out.json"
    arguments = ["run", "--preset", "quick", "--output", str(path)]
    environment = clean_environment({"PARALLAX_FAKE_SCRIPT": str(script_path)})
    with subprocess.Popen(
        [fake_binary(), *arguments],
        env=environment,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
    ) as process:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if path.exists() and read_result(path)["results"]:
                break
            time.sleep(0.05)
        process.send_signal(number)
        process.communicate(timeout=30)
        # A shell reports both an exit with that code and a death by the signal so.
        assert process.returncode in (code, -number)
    file = read_result(path)
    assert file["complete"] is False
    assert file["results"]
    outcome: Outcome = fake(machine(fakea=[card()]), "validate", path)
    outcome.expect(0)
