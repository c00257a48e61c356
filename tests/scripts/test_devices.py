"""What is found on this machine, and what is said of what is not, with drivers taken away."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from conftest import (
    Caller,
    Json,
    device_of,
    read_result,
    run_arguments,
    skip_or_fail,
    strict_json,
)


def pocl_library() -> str:
    """The library of PoCL as its own manifest names it."""
    for manifest in sorted(Path("/etc/OpenCL/vendors").glob("*.icd")):
        library = manifest.read_text().strip()
        if "pocl" in library:
            return library
    skip_or_fail("opencl", "PoCL is not installed")
    raise AssertionError("skip_or_fail always raises")


@pytest.fixture
def two_manifests(tmp_path: Path) -> dict[str, str]:
    """D01: a vendors folder whose a.icd and b.icd name one PoCL."""
    folder = tmp_path / "vendors"
    folder.mkdir()
    for name in ("a.icd", "b.icd"):
        (folder / name).write_text(pocl_library() + "\n")
    return {"OCL_ICD_VENDORS": str(folder)}


def listing(parallax: Caller, env: dict[str, str] | None = None) -> Json:
    return strict_json(parallax("devices", "--json", env=env).expect(0).out)


def ids(listed: Json, api: str) -> list[str]:
    return [device["id"] for device in listed["devices"] if device["api"] == api]


def reason_of(listed: Json, api: str) -> str:
    (reason,) = [absent["reason"] for absent in listed["absent"] if absent["api"] == api]
    return reason


def test_o04_devices_is_strict_json(parallax: Caller) -> None:
    """O04: strict JSON, no handles; every API is a device or a reason."""
    outcome = parallax("devices", "--json").expect(0)
    listed = strict_json(outcome.out)
    assert "0x" not in outcome.out
    for api in ("cuda", "opencl", "vulkan", "host"):
        absent = [a["reason"] for a in listed["absent"] if a["api"] == api]
        assert bool(ids(listed, api)) != bool(absent), api
        assert all(absent), api
    gpus = {gpu["id"] for gpu in listed["gpus"]}
    assert len(gpus) == len(listed["gpus"])
    for device in listed["devices"]:
        assert device["gpu"] in gpus
        assert device["matched_by"] in ("uuid", "pci", "luid", "cpu", "none")


def test_devices_as_text_names_every_device_and_reason(parallax: Caller, inventory: Json) -> None:
    text = parallax("devices").expect(0).out
    for device in inventory["devices"]:
        assert device["id"] in text
        assert device["name"] in text
    for absent in inventory["absent"]:
        assert absent["reason"] in text


def test_all_cpu_devices_are_one_entry(inventory: Json) -> None:
    cpus = [gpu for gpu in inventory["gpus"] if gpu["type"] == "cpu"]
    assert [gpu["id"] for gpu in cpus] == ["cpu"]
    assert cpus[0]["uuid"] is None
    for device in inventory["devices"]:
        if device["type"] == "cpu":
            assert (device["gpu"], device["matched_by"]) == ("cpu", "cpu")


def test_devices_is_quick(parallax: Caller, inventory: Json) -> None:
    """Under 1 s without a GPU, under 3 s with one; the best of three."""
    with_gpu = any(gpu["type"] == "gpu" for gpu in inventory["gpus"])
    best = float("inf")
    for _ in range(3):
        start = time.monotonic()
        parallax("devices").expect(0)
        best = min(best, time.monotonic() - start)
    assert best < (3.0 if with_gpu else 1.0)


def test_d01_one_library_named_twice(
    parallax: Caller, two_manifests: dict[str, str], tmp_path: Path
) -> None:
    """D01: both are listed, the second as alias of the first; a default run takes one, says so."""
    listed = listing(parallax, two_manifests)
    assert ids(listed, "opencl") == ["opencl:0", "opencl:1"]
    aliases = {d["id"]: d["alias_of"] for d in listed["devices"]}
    assert aliases["opencl:0"] is None
    assert aliases["opencl:1"] == "opencl:0"
    text = parallax("devices", env=two_manifests).expect(0).out
    assert "alias of opencl:0" in text
    path = tmp_path / "out.json"
    outcome = parallax(*run_arguments(path, "--api", "opencl"), env=two_manifests).expect(0)
    assert [row["device"] for row in read_result(path)["results"]] == ["opencl:0"]
    assert "opencl:1" in outcome.err


def test_d15_an_alias_that_is_named_is_run(
    parallax: Caller, two_manifests: dict[str, str], tmp_path: Path
) -> None:
    """D15: the second platform of D01, named, is run."""
    path = tmp_path / "out.json"
    parallax(*run_arguments(path, "--device", "opencl:1"), env=two_manifests).expect(0)
    (row,) = read_result(path)["results"]
    assert (row["device"], row["status"]) == ("opencl:1", "ok")


def test_d06_index_over_two_platforms(parallax: Caller, two_manifests: dict[str, str]) -> None:
    """D06: "0" is a device of every API: an error that lists them, not the last one."""
    line = parallax("run", "--device", "0", env=two_manifests).expect(2).one_line_error()
    assert "opencl:0" in line
    assert "host:0" in line


def test_d16_a_second_manifest_between_two_runs(
    parallax: Caller, two_manifests: dict[str, str], tmp_path: Path
) -> None:
    """D16: "cpu" and the first id mean the same before and after b.icd came."""
    both = Path(two_manifests["OCL_ICD_VENDORS"])
    one = tmp_path / "one"
    one.mkdir()
    (one / "a.icd").write_text((both / "a.icd").read_text())
    before = listing(parallax, {"OCL_ICD_VENDORS": str(one)})
    after = listing(parallax, two_manifests)
    assert ids(before, "opencl") == ["opencl:0"]
    assert [gpu["id"] for gpu in before["gpus"]] == [gpu["id"] for gpu in after["gpus"]]
    env = {"OCL_ICD_VENDORS": str(one)}
    line = parallax("run", "--device", "opencl:1", env=env).expect(2).one_line_error()
    assert "opencl:0" in line


def test_d08_a_loader_without_a_platform(parallax: Caller, inventory: Json, tmp_path: Path) -> None:
    """D08: -1001 in words; other APIs are still listed."""
    device_of(inventory, "opencl")
    empty = tmp_path / "empty"
    empty.mkdir()
    env = {"OCL_ICD_VENDORS": str(empty)}
    listed = listing(parallax, env)
    assert ids(listed, "opencl") == []
    assert "loader present, no platform installed" in reason_of(listed, "opencl")
    assert ids(listed, "vulkan") == ids(inventory, "vulkan")
    text = parallax("devices", env=env).expect(0).out
    assert "loader present, no platform installed" in text
    line = parallax("run", "--api", "opencl", env=env).expect(77).one_line_error()
    assert "no platform installed" in line


def test_d09_a_platform_without_devices(parallax: Caller, inventory: Json) -> None:
    """D09: PoCL told to offer nothing is a reason; the rest is listed."""
    device_of(inventory, "opencl")
    pocl_library()
    listed = listing(parallax, {"POCL_DEVICES": "nothing"})
    assert ids(listed, "opencl") == []
    assert reason_of(listed, "opencl")
    assert ids(listed, "vulkan") == ids(inventory, "vulkan")
    assert ids(listed, "host") == ["host:0"]


def test_d09_beside_a_working_platform(parallax: Caller, inventory: Json, tmp_path: Path) -> None:
    """D09: a manifest that names no library does not end the enumeration of the rest."""
    device_of(inventory, "opencl")
    folder = tmp_path / "vendors"
    folder.mkdir()
    (folder / "a.icd").write_text("libno_such_driver.so.1\n")
    (folder / "b.icd").write_text(pocl_library() + "\n")
    assert ids(listing(parallax, {"OCL_ICD_VENDORS": str(folder)}), "opencl") == ["opencl:0"]


@pytest.mark.parametrize("variable", ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"])
def test_d11_a_manifest_that_is_not_there(parallax: Caller, inventory: Json, variable: str) -> None:
    """D11: the missing manifest is named with where it was looked for; no other device steps in."""
    device_of(inventory, "vulkan")
    env: dict[str, str | None] = {"VK_DRIVER_FILES": None, "VK_ICD_FILENAMES": None}
    env[variable] = "/nonexistent.json"
    outcome = parallax("devices", "--json", env=env).expect(0)
    listed = strict_json(outcome.out)
    assert ids(listed, "vulkan") == []
    reason = reason_of(listed, "vulkan")
    assert "/nonexistent.json" in reason
    assert variable in reason
    assert "/nonexistent.json" in parallax("devices", env=env).expect(0).out
    line = parallax("run", "--api", "vulkan", env=env).expect(77).one_line_error()
    assert "/nonexistent.json" in line
    parallax("run", "--require", "vulkan", env=env).expect(4)


def test_ids_are_the_same_in_every_listing(parallax: Caller, inventory: Json) -> None:
    """D06: one flat id per device, the same each time."""
    for _ in range(2):
        again = listing(parallax)
        assert [d["id"] for d in again["devices"]] == [d["id"] for d in inventory["devices"]]
        assert [gpu["id"] for gpu in again["gpus"]] == [gpu["id"] for gpu in inventory["gpus"]]
