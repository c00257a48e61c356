"""The published schema, an independent validator and `parallax validate` agree on golden files.

PARALLAX_BINARY names the binary; without it only the schema itself is tested.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Never

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "results"
SCHEMA = json.loads((ROOT / "results/schema/parallax-result-1.schema.json").read_text())
GOOD = sorted(p.name for p in GOLDEN.glob("*.json") if not p.name.startswith("bad_"))
BAD = sorted(p.name for p in GOLDEN.glob("bad_*.json"))
PUBLISHED = sorted(p for p in (ROOT / "results").glob("*/*.json") if p.parent.name != "schema")

# No JSON at all, by the strictest reading that Python offers.
SYNTAX = """
    bare_infinity bare_nan bare_negative_nan binary blank byte_order_mark comma_decimal comment
    duplicate_key empty hex_number invalid_utf8 raw_tab_in_text single_quotes trailing_comma
    trailing_text truncated
""".split()
# JSON to Python, refused by our reader before any schema is asked.
READER = "lone_surrogate number_overflow".split()
# Beyond what a schema can say.
RULES = """
    alias_of_another_api arrays_of_a_round_differ case_and_size_differ case_and_variant_differ
    case_over_64_bits case_repeats_a_dimension device_of_another_api duplicate_device
    duplicate_gpu duplicate_ratio duplicate_row_key duplicate_row_key_by_alias
    gpu_type_and_kind_differ interval_without_its_median median_above_max ratio_of_a_failed_row
    ratio_of_a_missing_case ratio_with_itself round_without_samples rounds_miscounted
    row_of_another_api row_of_another_clock size_and_named_size_differ size_and_word_of_case_differ
    size_has_more_than_the_case size_lacks_the_name unresolved_alias unresolved_ceiling
    unresolved_device unresolved_gpu
""".split()

# What the one line must say, where the words matter to a reader.
SAYS = {
    "bare_nan": "not strict JSON",
    "duplicate_key": "/plan/seed: the key appears twice",
    "duplicate_row_key": "/results/2: repeats the key of /results/0: vector_add/f32/n=65536/vec4",
    "empty": "the text is empty",
    "failed_row_without_reason": "/results/0/reason",
    "invalid_utf8": "ill-formed UTF-8",
    "major_2": "schema_version 2.0 is newer than this tool knows (1.x)",
    "missing_results": "'results'",
    "newer_minor_with_unknown_key": "1.7 is newer than 1.1",
    "ok_row_without_numbers": "/results/0/summary",
    "other_schema": '"other-result" is not "parallax-result"',
    "size_and_named_size_differ": "/results/0/case: workload, dtype, size or variant beside it",
    "size_and_word_of_case_differ": "/results/0/case: workload, dtype, size or variant beside it",
    "size_has_more_than_the_case": "/results/0/case: workload, dtype, size or variant beside it",
    "size_lacks_the_name": "/results/0/case: workload, dtype, size or variant beside it",
    "truncated": "not strict JSON",
    "unknown_key": "unknown key 'extra'",
    "unknown_status": '/results/0/status: "passed"',
    "unresolved_gpu": "is not in /gpus",
    "zero_sample": "/results/0/rounds/0/t_ns/1",
}


def fault(name):
    return name.removeprefix("bad_").removesuffix(".json")


def refuse_constant(text) -> Never:
    raise ValueError(f"bare {text}")


def refuse_repeats(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("repeated key")
    return result


def strict_load(path):
    text = path.read_bytes().decode("utf-8")
    return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=refuse_repeats)


def is_valid(document):
    return jsonschema.Draft7Validator(SCHEMA).is_valid(document)


@pytest.fixture(scope="session")
def validate():
    binary = os.environ.get("PARALLAX_BINARY")
    if not binary:
        pytest.skip("PARALLAX_BINARY is not set")

    def call(path, **environment):
        return subprocess.run(
            [binary, "validate", str(path)],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            env={**os.environ, **environment},
        )

    return call


def test_schema_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_every_listed_fault_has_a_file() -> None:
    faults = {fault(name) for name in BAD}
    assert faults >= {*SYNTAX, *READER, *RULES, *SAYS}
    assert len(BAD) >= 25


@pytest.mark.parametrize("name", GOOD)
def test_good_file(name, validate) -> None:
    # O01, O02, O03: an independent strict parser reads what the one writer wrote.
    assert is_valid(strict_load(GOLDEN / name))
    result = validate(GOLDEN / name)
    assert (result.returncode, result.stderr) == (0, "")
    assert "valid parallax-result 1." in result.stdout


def test_every_minor_version_has_a_good_file() -> None:
    versions = {strict_load(GOLDEN / name)["schema_version"] for name in GOOD}
    assert versions >= {"1.0", "1.1"}


def test_a_named_size_stands_beside_what_it_implies() -> None:
    for row in strict_load(GOLDEN / "good_named_size.json")["results"]:
        size = row["case"].split("/")[2]
        assert size == "{name},n={n},layout={layout}".format_map(row["size"])
        assert len(row["size"]) > 3
        assert row["verify"]["rms"] <= row["verify"]["rms_limit"]


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.name)
def test_published_results_stay_valid(path, validate) -> None:
    """Whatever version wrote them."""
    assert is_valid(strict_load(path))
    result = validate(path)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("name", BAD)
def test_bad_file(name, validate) -> None:
    path = GOLDEN / name
    if fault(name) in SYNTAX:
        with pytest.raises(ValueError):
            strict_load(path)
    elif fault(name) not in READER:
        assert is_valid(strict_load(path)) == (fault(name) in RULES)
    result = validate(path)
    assert result.returncode == 2
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines and all(line.startswith(f"{path}: ") for line in lines)
    assert SAYS.get(fault(name), "") in result.stderr


def test_o13_repeated_row_key_is_named(validate) -> None:
    line = validate(GOLDEN / "bad_duplicate_row_key.json").stderr
    for part in ("vector_add/f32/n=65536/vec4", "opencl", "uuid:", "warm", "batch"):
        assert part in line


def test_o06_validate_does_not_depend_on_the_locale(tmp_path, validate) -> None:
    # A comma locale made for this test, so that none has to be installed.
    made = (
        subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")],
            capture_output=True,
            check=False,
        )
        if _has("localedef")
        else None
    )
    if made is None or not (tmp_path / "de_DE.UTF-8").exists():
        pytest.skip("localedef cannot make a German locale here")
    plain = validate(GOLDEN / "golden.json")
    german = validate(GOLDEN / "golden.json", LOCPATH=str(tmp_path), LC_ALL="de_DE.UTF-8")
    assert (german.returncode, german.stdout) == (plain.returncode, plain.stdout)


def _has(program):
    return any((Path(p) / program).exists() for p in os.environ.get("PATH", "").split(os.pathsep))


@pytest.mark.parametrize("content", ["missing", "folder"])
def test_unreadable_path_is_one_line(content, tmp_path, validate) -> None:
    path = tmp_path if content == "folder" else tmp_path / "missing.json"
    result = validate(path)
    assert result.returncode == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert str(path) in result.stderr


def properties(schema, place=""):
    """Yields (name, place, schema) of every property that the schema describes."""
    for name, child in schema.get("properties", {}).items():
        yield name, f"{place}/{name}", child
        yield from properties(child, f"{place}/{name}")


def described_objects():
    yield "", SCHEMA
    yield from SCHEMA["definitions"].items()


def numeric(schema) -> bool:
    for part in (schema, *schema.get("allOf", [])):
        name = part.get("$ref", "").removeprefix("#/definitions/")
        types = (SCHEMA["definitions"][name] if name else part).get("type", [])
        if {"number", "integer"} & set([types] if isinstance(types, str) else types):
            return True
    return False


def test_o12_every_number_has_its_unit() -> None:
    units = {
        "_ns": "nanoseconds",
        "_bytes": "bytes",
        "bytes_": "bytes",
        "_w": "watts",
        "_per_s": "per second",
        "_per_byte": "per byte",
    }
    checked = 0
    for place, schema in described_objects():
        for name, where, child in properties(schema):
            if not numeric(child):
                continue
            checked += 1
            text = child.get("description", "")
            expected = next(
                (
                    u
                    for part, u in units.items()
                    if name.endswith(part)
                    or (part == "bytes_" and name in ("bytes_read", "bytes_written"))
                ),
                None,
            )
            words = [expected] if expected else ["count", "1 = ", "unit"]
            assert any(word in text for word in words), f"{place}{where}: {text!r}"
    assert checked > 40


def test_o12_one_name_has_one_meaning() -> None:
    # The same name in two objects would be a trap for flat tables, so the few are listed.
    shared = {
        "name",
        "id",
        "driver",
        "flags",
        "base",
        "rounds",
        "memory_bytes",
        "shared_bytes",
        "step_ns",
        "gpu",
        "api",
        "device",
        "case",
        "type",
        "kind",
        "source",
        "timer",
        "kernel",
    }
    seen = {}
    for place, schema in described_objects():
        for name, where, _ in properties(schema):
            seen.setdefault(name, set()).add(place + where)
    repeated = {name for name, places in seen.items() if len(places) > 1}
    assert repeated <= shared
