"""What the script tests share: both binaries, strict JSON, and scripts for fake devices.

PARALLAX_BINARY names the binary under test (default build/ci/parallax) and PARALLAX_FAKE_BINARY the
one with fake devices (default: parallax-fake beside it). PARALLAX_REQUIRE, a comma list of APIs,
turns skips for want of an API into failures. PARALLAX_ALL runs what takes minutes, too.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SCHEMA_FILE = REPOSITORY / "results/schema/parallax-result-1.schema.json"

Json = Any


def strict_json(text: str) -> Json:
    """Parses JSON that any parser reads: no NaN, no infinities, no key twice in one object."""

    def no_constant(word: str) -> None:
        raise ValueError(f"{word} is not JSON")

    def no_repeats(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"repeated key in {keys}"
        return dict(pairs)

    return json.loads(text, parse_constant=no_constant, object_pairs_hook=no_repeats)


@dataclass
class Outcome:
    """What one call of a binary gave."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err

    def expect(self, code: int) -> Outcome:
        assert self.code == code, f"exit {self.code}, not {code}\n{self.out}\n{self.err}"
        return self

    def one_line_error(self) -> str:
        """The message of a failed call: one line on stderr and nothing on stdout."""
        assert self.out == "", self.out
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        return lines[0]


def binary() -> Path:
    return Path(os.environ.get("PARALLAX_BINARY", REPOSITORY / "build/ci/parallax")).resolve()


def fake_binary() -> Path:
    default = binary().parent / "parallax-fake"
    return Path(os.environ.get("PARALLAX_FAKE_BINARY", default)).resolve()


def clean_environment(
    changes: Mapping[str, str | None] | None = None,
) -> dict[str, str]:
    """This process's environment without what steers tests; None in `changes` removes one."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PARALLAX_", "BENCHMARK_", "LC_", "NO_COLOR"))
    }
    for name, value in (changes or {}).items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value
    return environment


def call(
    program: Path,
    arguments: Sequence[str | Path],
    environment: Mapping[str, str | None] | None = None,
    cwd: Path | None = None,
    timeout_s: float = 120,
) -> Outcome:
    finished = subprocess.run(
        [program, *map(str, arguments)],
        env=clean_environment(environment),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout_s,
        check=False,
    )
    return Outcome(finished.returncode, finished.stdout.decode(), finished.stderr.decode())


Caller = Callable[..., Outcome]


@pytest.fixture
def parallax(tmp_path: Path) -> Caller:
    """Calls the binary under test in an empty folder."""

    def run(
        *arguments: str | Path,
        env: Mapping[str, str | None] | None = None,
        timeout_s: float = 120,
    ) -> Outcome:
        return call(binary(), arguments, env, tmp_path, timeout_s)

    return run


@pytest.fixture
def fake(tmp_path: Path) -> Caller:
    """Calls the binary with fake devices in an empty folder; the first argument is their script."""

    def run(
        script: Json,
        *arguments: str | Path,
        env: Mapping[str, str | None] | None = None,
        timeout_s: float = 120,
    ) -> Outcome:
        path = tmp_path / "fake_script.json"
        path.write_text(json.dumps(script))
        variables = {"PARALLAX_FAKE_SCRIPT": str(path), **(env or {})}
        return call(fake_binary(), arguments, variables, tmp_path, timeout_s)

    return run


UUID = "aaaaaaaa-0000-0000-0000-000000000001"
PCI = "0000:01:00.0"


def card(**fields: Json) -> Json:
    """One fake GPU; the same physical one in every API unless told otherwise."""
    return {"uuid": UUID, "pci": PCI, "name": "Fake Card", **fields}


def machine(**apis: Json) -> Json:
    """A script from lists of devices by API."""
    return {"apis": {name: {"devices": devices} for name, devices in apis.items()}}


def run_arguments(output: str | Path, *more: str) -> list[str | Path]:
    """A short run of one case, or of what `more` says."""
    chosen = list(more) if any(a.startswith("--size") for a in more) else ["--size", "n=7", *more]
    if "--dtype" not in chosen:
        chosen += ["--dtype", "f32"]
    if "--variant" not in chosen:
        chosen += ["--variant", "naive"]
    if "--rounds" not in chosen:
        chosen += ["--rounds", "6"]
    return ["run", *chosen, "--output", output]


def rows_of(file: Json) -> dict[tuple[str, str], Json]:
    return {(row["case"], row["device"]): row for row in file["results"]}


def read_result(path: Path) -> Json:
    return strict_json(path.read_text(encoding="utf-8"))


def run(fake: Caller, tmp_path: Path, script: Json, *more: str, code: int) -> Json:
    """Runs, checks exit code and the file against reader and schema, and gives the file."""
    path = tmp_path / "out.json"
    fake(script, *run_arguments(path, *more)).expect(code)
    fake(script, "validate", path).expect(0)
    return read_result(path)


def only_row(file: Json) -> Json:
    assert len(file["results"]) == 1
    return file["results"][0]


def expect_no_numbers(row: Json) -> None:
    assert row["status"] != "ok"
    assert row["reason"], row
    assert "\n" not in row["reason"]
    assert not row.get("rounds")
    assert not row.get("summary")
    assert not any((row.get("rates") or {}).values())


def skip_or_fail(api: str, reason: str) -> None:
    """Skips for want of an API, or fails when PARALLAX_REQUIRE names it."""
    if api in os.environ.get("PARALLAX_REQUIRE", "").split(","):
        pytest.fail(f"{api} is required, but: {reason}")
    pytest.skip(f"{api}: {reason}")


@pytest.fixture(scope="session")
def inventory(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """The devices of this machine."""
    cwd = tmp_path_factory.mktemp("inventory")
    return strict_json(call(binary(), ["devices", "--json"], cwd=cwd).expect(0).out)


def device_of(inventory: Json, api: str) -> Json:
    """The first device of an API on this machine; skips the test where there is none."""
    for device in inventory["devices"]:
        if device["api"] == api:
            return device
    reasons = [absent["reason"] for absent in inventory["absent"] if absent["api"] == api]
    skip_or_fail(api, ", ".join(reasons) or "no device")
    raise AssertionError("skip_or_fail always raises")
