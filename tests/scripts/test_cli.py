"""The command line of the real binary: usage errors, exit codes, selectors, files."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path

import pytest
from conftest import (
    Caller,
    Json,
    device_of,
    read_result,
    rows_of,
    run_arguments,
    strict_json,
)

NO_VULKAN = {"VK_DRIVER_FILES": "/nonexistent.json", "VK_ICD_FILENAMES": None}
HOST = ["--api", "host"]


# --- help and version -----------------------------------------------------------------------------


def test_help_shows_commands_and_examples(parallax: Caller) -> None:
    outcome = parallax("--help").expect(0)
    words = ("devices", "list", "run", "selftest", "validate", "parallax run", "77", "130")
    for word in words:
        assert word in outcome.out
    assert outcome.err == ""
    for command in ("devices", "list", "run", "selftest", "validate"):
        assert parallax(command, "--help").expect(0).out


def test_version_is_one_line(parallax: Caller) -> None:
    outcome = parallax("--version").expect(0)
    assert re.search(r"\d+\.\d+\.\d+", outcome.out)
    assert len(outcome.out.splitlines()) == 1


# --- exit code 2 ----------------------------------------------------------------------------------


def test_l01_an_unknown_option_is_named_with_the_nearest(parallax: Caller) -> None:
    """L01: --bakend cuda must not run on the CPU and end 0."""
    line = parallax("run", "--bakend", "cuda").expect(2).one_line_error()
    assert "--bakend" in line
    line = parallax("run", "--dtypes", "f32").expect(2).one_line_error()
    assert "--dtypes" in line
    assert "--dtype" in line.replace("--dtypes", "")


def test_l02_the_option_is_named_not_its_value(parallax: Caller) -> None:
    """L02: -bar 5 out.json must name -bar, not a file 5."""
    line = parallax("validate", "-bar", "5", "out.json").expect(2).one_line_error()
    assert "-bar" in line
    assert "file" not in line.lower()
    line = parallax("run", "-bar", "5").expect(2).one_line_error()
    assert "-bar" in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "command"),
        (["rnu"], "run"),
        (["run", "extra"], "extra"),
        (["run", "--api", "vulcan"], "vulkan"),
        (["run", "--api", ""], ""),
        (["run", *HOST, "--dtype", "f23"], "f32"),
        (["run", *HOST, "--dtype", "float"], "f32"),
        (["run", *HOST, "--workload", "vector_ad"], "vector_add"),
        (["run", *HOST, "--variant", "vec_4"], "vec4"),
        (["run", *HOST, "--tier", "matchd"], "matched"),
        (["run", *HOST, "--preset", "quik"], "quick"),
        (["run", *HOST, "--filter", "(["], "(["),
        (["run", *HOST, "--filter", "matches_nothing"], "match"),
        (["run", *HOST, "--rounds", "-1"], "rounds"),
        (["run", *HOST, "--rounds", "0"], "rounds"),
        (["run", *HOST, "--rounds", "many"], "rounds"),
        (["run", *HOST, "--seed", "-1"], "seed"),
        (["run", *HOST, "--output"], "output"),
        (["run", "--require", "cudaa"], "cuda"),
        (["validate"], "FILE"),
        (["validate", "no_such.json"], "no_such.json"),
        (["list", "--variant", "nope"], "nope"),
        (["devices", "--size", "n=1"], "--size"),
    ],
)
def test_usage_errors_are_one_line(parallax: Caller, arguments: list[str], words: str) -> None:
    line = parallax(*arguments).expect(2).one_line_error()
    assert words in line


@pytest.mark.parametrize(
    "size",
    [
        "n=0",
        "n=-1",
        "n=4286578689",
        "n=2^32",
        "n=99999999999999999999",
        "n=1.5",
        "n=abc",
        "n",
        "m=4",
        "=4",
        "n=4,n=4",
        "n=4,m=4",
        "",
    ],
)
def test_s08_sizes_that_no_api_may_get(parallax: Caller, size: str) -> None:
    """S08: size 0 is rejected at the command line, whatever the API would say; so are others."""
    for api in ("host", "opencl,vulkan,host"):
        line = parallax("run", "--api", api, "--size", size).expect(2).one_line_error()
        assert size.replace("2^32", "4294967296") in line.replace("2^32", "4294967296")


LAYER = {"n": 1, "c": 3, "h": 9, "w": 8, "k": 5, "r": 3, "s": 3, "stride": 1, "pad": 1}
SHAPE = {"m": 4, "n": 5, "k": 6}


@pytest.mark.parametrize(
    ("workload", "size", "zero"),
    [
        ("gemm", "m=0,n=1,k=1", "m=0"),
        ("reduction", "n=0", "n=0"),
        ("convolution", "resnet50_res3_3x3,n=0", "n=0"),
        *(("gemm", SHAPE | {name: 0}, f"{name}=0") for name in SHAPE),
        *(("convolution", LAYER | {name: 0}, f"{name}=0") for name in LAYER if name != "pad"),
    ],
)
def test_s08_no_dimension_may_be_zero(
    parallax: Caller, workload: str, size: str | dict[str, int], zero: str
) -> None:
    """S08: in no workload, whatever an API makes of empty launches; the dimension is named."""
    text = size if isinstance(size, str) else ",".join(f"{k}={v}" for k, v in size.items())
    chosen = ["--workload", workload, "--size", text]
    line = parallax("run", *chosen).expect(2).one_line_error()
    assert f"{workload} {zero} is out of range" in line
    line = parallax("run", "--size", text).expect(2).one_line_error()
    assert f"{zero} is out of range" in line


@pytest.mark.parametrize("index", ["99", "-1", "18446744073709551615", "", "x"])
def test_l05_device_out_of_range(parallax: Caller, inventory: Json, index: str) -> None:
    """L05: an index out of range is an error that lists the valid ones."""
    assert device_of(inventory, "host")
    line = parallax("run", "--device", f"host:{index}").expect(2).one_line_error()
    assert "host:0" in line
    assert "18446744073709551615" not in line.replace(f"host:{index}", "")
    line = parallax("run", f"--device={index}").code
    assert line in (0, 2) if index == "" else line == 2


def test_l05_no_vulkan_device(parallax: Caller, inventory: Json) -> None:
    """L05: without any driver the range is not 0..18446744073709551615."""
    device_of(inventory, "vulkan")
    outcome = parallax("run", "--device", "vulkan:0", env=NO_VULKAN)
    assert outcome.code in (2, 77)
    line = outcome.one_line_error()
    assert "no vulkan device" in line.lower()
    assert "/nonexistent.json" in line
    assert "18446744073709551615" not in line


# --- exit codes 77 and 4 --------------------------------------------------------------------------


def test_cuda_alone_is_no_usable_device(parallax: Caller, inventory: Json) -> None:
    reasons = [absent["reason"] for absent in inventory["absent"] if absent["api"] == "cuda"]
    if not reasons:
        pytest.skip("this machine has a CUDA device")
    line = parallax("run", "--api", "cuda").expect(77).one_line_error()
    assert "cuda" in line.lower()
    assert reasons[0] in line
    line = parallax("run", "--require", "cuda").expect(4).one_line_error()
    assert reasons[0] in line
    line = parallax("run", "--api", "cuda", "--require", "cuda").expect(4).one_line_error()
    assert reasons[0] in line
    parallax("list", "--api", "cuda").expect(77)


def test_a_required_api_that_is_there_is_no_failure(parallax: Caller, tmp_path: Path) -> None:
    arguments = run_arguments(tmp_path / "out.json", *HOST, "--require", "host")
    parallax(*arguments).expect(0)


# --- files ----------------------------------------------------------------------------------------


def test_o16_a_second_run_does_not_overwrite(parallax: Caller, tmp_path: Path) -> None:
    """O16: the second run to one path is refused at once; --force overwrites."""
    path = tmp_path / "out.json"
    parallax(*run_arguments(path, *HOST)).expect(0)
    before = path.read_bytes()
    line = parallax(*run_arguments(path, *HOST)).expect(2).one_line_error()
    assert "--force" in line
    assert "out.json" in line
    assert path.read_bytes() == before
    parallax(*run_arguments(path, *HOST, "--force")).expect(0)
    assert path.read_bytes() != before
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.json"], "no temporary file is left"


def test_a_missing_folder_is_an_error_at_once(parallax: Caller, tmp_path: Path) -> None:
    line = parallax(*run_arguments(tmp_path / "no/such/out.json", *HOST)).expect(2).one_line_error()
    assert "out.json" in line
    assert not (tmp_path / "no").exists()


def test_a_folder_is_no_output_file(parallax: Caller, tmp_path: Path) -> None:
    for extra in ([], ["--force"]):
        line = parallax(*run_arguments(tmp_path, *HOST, *extra)).expect(2).one_line_error()
        assert str(tmp_path) in line or "folder" in line


def test_a_folder_without_write_permission(parallax: Caller, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    target: Path | str = folder / "out.json"
    if os.access(folder, os.W_OK):  # root may write anywhere but here
        target = "/proc/out.json"
    line = parallax(*run_arguments(target, *HOST)).expect(2).one_line_error()
    assert "out.json" in line


def test_the_default_name_holds_date_and_device(parallax: Caller, tmp_path: Path) -> None:
    arguments = run_arguments("unused", *HOST)
    parallax(*arguments[: arguments.index("--output")]).expect(0)
    (path,) = (tmp_path / "results").iterdir()
    assert re.fullmatch(r"20\d{6}.*-[a-z0-9-]+\.json", path.name), path.name
    assert read_result(path)["complete"] is True


def test_o14_no_private_data(parallax: Caller, tmp_path: Path) -> None:
    """O14: neither home path nor user nor host name is in the file; paths become file names."""
    home = tmp_path / "home/jane_q_public"
    home.mkdir(parents=True)
    env = {
        "HOME": str(home),
        "USER": "jane_q_public",
        "LOGNAME": "jane_q_public",
        "HOSTNAME": "janes-secret-host",
    }
    for form in (["--output", f"{home}/x.json"], [f"--output={home}/y.json"]):
        arguments = run_arguments("unused", *HOST)
        parallax(*arguments[: arguments.index("--output")], *form, env=env).expect(0)
    for name in ("x.json", "y.json"):
        text = (home / name).read_text()
        assert name in json.loads(text)["plan"]["arguments"]
        for secret in (
            "jane_q_public",
            "janes-secret-host",
            str(tmp_path),
            os.uname().nodename,
        ):
            # A host name such as "cpu" or "linux" is no secret and no evidence.
            if len(secret) > 5:
                assert secret not in text


def test_output_dash_is_pure_json(parallax: Caller) -> None:
    outcome = parallax(*run_arguments("-", *HOST)).expect(0)
    file = strict_json(outcome.out)
    assert file["complete"] is True
    assert "vector_add/f32/n=7/naive" in outcome.err


def test_progress_and_table_are_apart(parallax: Caller, tmp_path: Path) -> None:
    outcome = parallax(*run_arguments(tmp_path / "out.json", *HOST)).expect(0)
    assert "1 rows: 1 ok" in outcome.out
    assert "\x1b" not in outcome.text
    assert "\r" not in outcome.text, "plain lines off a terminal"
    assert outcome.err


# --- validate -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("empty", ""),
        ("word", "hello"),
        ("truncated", '{"schema": "parallax-result", "schema_version": "1.0"'),
        ("nan", '{"schema": NaN}'),
        ("repeated", '{"schema": "parallax-result", "schema": "parallax-result"}'),
        ("list", "[]"),
        ("future", '{"schema": "parallax-result", "schema_version": "2.0"}'),
        ("other", '{"schema": "something-else", "schema_version": "1.0"}'),
        ("bytes", "\x00\x01\x02"),
    ],
)
def test_validate_refuses_what_is_no_result(
    parallax: Caller, tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / f"{name}.json"
    path.write_text(text)
    outcome = parallax("validate", path).expect(2)
    assert outcome.out == ""
    assert path.name in outcome.err
    if name == "future":
        assert "2.0" in outcome.err


def test_validate_refuses_every_kind_of_damage(parallax: Caller, tmp_path: Path) -> None:
    good = tmp_path / "good.json"
    parallax(*run_arguments(good, *HOST)).expect(0)
    assert "valid" in parallax("validate", good).expect(0).out

    def expect_refused(change: str, damaged: Json) -> None:
        path = tmp_path / f"{change}.json"
        path.write_text(json.dumps(damaged))
        assert path.name in parallax("validate", path).expect(2).err, change

    def damage(change: str) -> Json:
        file = read_result(good)
        row = file["results"][0]
        if change == "repeated row":
            file["results"].append(row)
        elif change == "unknown status":
            row["status"] = "fine"
        elif change == "ok without numbers":
            row["summary"] = None
        elif change == "numbers without ok":
            row["status"], row["reason"] = "invalid", "wrong result"
        elif change == "dangling device":
            row["device"] = "host:7"
        elif change == "dangling gpu":
            file["devices"][0]["gpu"] = "uuid:none"
        elif change == "extra key":
            file["surprise"] = 1
        elif change == "missing key":
            del file["plan"]
        elif change == "negative time":
            row["summary"]["median_ns"] = -1
        return file

    for change in (
        "repeated row",
        "unknown status",
        "ok without numbers",
        "numbers without ok",
        "dangling device",
        "dangling gpu",
        "extra key",
        "missing key",
        "negative time",
    ):
        expect_refused(change, damage(change))


def test_validate_of_a_folder_or_an_unreadable_file(parallax: Caller, tmp_path: Path) -> None:
    assert str(tmp_path) in parallax("validate", tmp_path).expect(2).one_line_error()
    path = tmp_path / "closed.json"
    path.write_text("{}")
    path.chmod(0)
    parallax("validate", path).expect(2)


# --- list -----------------------------------------------------------------------------------------


def test_o04_list_is_strict_json(parallax: Caller) -> None:
    """O04: no handle, no pointer, nothing but JSON on stdout."""
    outcome = parallax("list", "--json", "--workload", "vector_add").expect(0)
    listing = strict_json(outcome.out)
    assert "0x" not in outcome.out
    assert listing["cases"]
    names = [case["case"] for case in listing["cases"]]
    assert "vector_add/f32/n=1048576/naive" in names
    assert len(names) == len(set(names))
    for case in listing["cases"]:
        for device in case["devices"]:
            assert device["supported"] is (device["reason"] is None)


def test_list_filters_like_run(parallax: Caller, tmp_path: Path) -> None:
    sizes = ["--size", "n=7", "--size", "n=2^10+1"]
    filters = [*HOST, "--workload", "vector_add", *sizes, "--dtype", "f32,i32"]
    listed = strict_json(parallax("list", "--json", *filters).expect(0).out)
    path = tmp_path / "out.json"
    parallax("run", "--rounds", "6", "--verify-only", *filters, "--output", path).expect(0)
    assert [case["case"] for case in listed["cases"]] == [
        row["case"] for row in read_result(path)["results"]
    ]
    assert len(listed["cases"]) == 8


# --- limits of real devices -----------------------------------------------------------------------


def test_s01_a_buffer_over_the_limit_of_opencl(
    parallax: Caller, inventory: Json, tmp_path: Path
) -> None:
    """S01: a size over the largest buffer is unsupported, with limit and request in bytes."""
    device = device_of(inventory, "opencl")
    limit = device["limits"]["max_buffer_bytes"]
    count = limit // 8 + 1
    if count > 2**31:
        pytest.skip(f"{limit} bytes are more than the largest size of vector_add")
    path = tmp_path / "out.json"
    arguments = run_arguments(
        path, "--device", device["id"], "--size", f"n={count}", "--dtype", "f64"
    )
    parallax(*arguments).expect(0)
    (row,) = read_result(path)["results"]
    assert row["status"] == "unsupported"
    assert str(limit) in row["reason"]
    numbers = [int(word) for word in re.findall(r"\d+", row["reason"])]
    assert any(8 * count <= number <= 8 * count + 256 for number in numbers), row["reason"]
    assert not row.get("summary")
    assert not re.search(r"\b(inf|nan|0\.00)\b", json.dumps(row))


def test_s02_a_binding_over_the_limit_of_vulkan(
    parallax: Caller, inventory: Json, tmp_path: Path
) -> None:
    """S02: a buffer may exist and still be too long to bind: the binding limit is named."""
    device = device_of(inventory, "vulkan")
    limits = device["limits"]
    if limits["max_binding_bytes"] + 4096 >= limits["max_buffer_bytes"]:
        pytest.skip(f"{device['name']} binds whatever it allocates")
    count = limits["max_binding_bytes"] // 4 + 1
    if 3 * 4 * count > limits["memory_bytes"]:
        pytest.skip("its memory is smaller still")
    path = tmp_path / "out.json"
    parallax(*run_arguments(path, "--device", device["id"], "--size", f"n={count}")).expect(0)
    (row,) = read_result(path)["results"]
    assert row["status"] == "unsupported"
    assert str(limits["max_binding_bytes"]) in row["reason"]
    assert "range" in row["reason"] or "binding" in row["reason"]


@pytest.mark.parametrize(("workload", "buffer"), [("gemm", "a"), ("convolution", "x")])
@pytest.mark.parametrize(
    ("api", "limit"), [("opencl", "max_buffer_bytes"), ("vulkan", "max_binding_bytes")]
)
def test_s01_s02_the_tightest_limit_is_named(
    parallax: Caller,
    inventory: Json,
    tmp_path: Path,
    workload: str,
    buffer: str,
    api: str,
    limit: str,
) -> None:
    """S01, S02: so in the other workloads: an input of one row more than fits."""
    device = device_of(inventory, api)
    most = device["limits"][limit]
    rows = most // (4 * 4096) + 1
    if rows > 2**20 or most > device["limits"]["max_buffer_bytes"]:
        pytest.skip(f"{most} bytes are more than the sizes here")
    size = f"m={rows},n=1,k=4096"
    if workload == "convolution":
        size = f"n={rows},c=1,h=1,w=4096,k=1,r=1,s=1,stride=1,pad=0,layout=nchw"
    variant = "naive" if workload == "gemm" else "direct"
    chosen = ["--device", device["id"], "--workload", workload, "--size", size]
    path = tmp_path / "out.json"
    parallax(*run_arguments(path, *chosen, "--variant", variant)).expect(0)
    (row,) = read_result(path)["results"]
    assert row["status"] == "unsupported"
    assert row["reason"].startswith(f"buffer {buffer} needs {rows * 4 * 4096 + 64} bytes")
    assert f" {most} bytes" in row["reason"]


# --- selectors ------------------------------------------------------------------------------------


def test_selectors_of_the_cpu(parallax: Caller, inventory: Json, tmp_path: Path) -> None:
    """D06, D16: "cpu" names every API of the processor, "api:index" one device."""
    expected = [
        d["id"] for d in inventory["devices"] if d["gpu"] == "cpu" and d["alias_of"] is None
    ]
    path = tmp_path / "out.json"
    parallax(*run_arguments(path, "--device", "cpu")).expect(0)
    assert sorted(row["device"] for row in read_result(path)["results"]) == sorted(expected)
    parallax(*run_arguments(path, "--device", "host:0", "--force")).expect(0)
    assert list(rows_of(read_result(path))) == [("vector_add/f32/n=7/naive", "host:0")]
