"""O06: what is written does not depend on the locale."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import Caller, card, machine, run_arguments


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A German locale, made for this test and installed nowhere."""
    folder = tmp_path_factory.mktemp("locale")
    localedef = shutil.which("localedef", path="/usr/bin:/bin:/usr/sbin:/sbin")
    if localedef is None or not Path("/usr/share/i18n/locales/de_DE").exists():
        pytest.skip("localedef or its source of de_DE is not installed")
    subprocess.run(
        [localedef, "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"],
        check=True,
        capture_output=True,
    )
    environment = {
        "LOCPATH": str(folder),
        "LC_ALL": "de_DE.UTF-8",
        "LANG": "de_DE.UTF-8",
    }
    decimal = subprocess.run(
        ["printf", "%.1f", "0,5"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert decimal.stdout == "0,5", "the locale is not in force"
    return environment


def test_o06_result_and_table_are_the_same_bytes(
    fake: Caller, german: dict[str, str], tmp_path: Path
) -> None:
    """Fake devices have the same times in each run, so that all bytes but the moment compare."""
    times = [{"kernel": "^vector_add", "ns": 1234567.8}]
    script = machine(fakea=[card(times=times, jitter=0.01)], fakeb=[card()])
    texts, tables = [], []
    for env in ({"LC_ALL": "C"}, german):
        path = tmp_path / "out.json"
        outcome = fake(script, *run_arguments(path, "--force"), env=env).expect(0)
        lines = path.read_text().splitlines()
        texts.append([line for line in lines if '"created"' not in line])
        tables.append(outcome.out)
    assert texts[0] == texts[1]
    assert tables[0] == tables[1]
    assert "." in tables[1]


def test_o06_listings_are_the_same_bytes(parallax: Caller, german: dict[str, str]) -> None:
    for arguments in (["devices"], ["devices", "--json"], ["list", "--json"]):
        outputs = [parallax(*arguments, env=env).expect(0).out for env in ({"LC_ALL": "C"}, german)]
        assert outputs[0] == outputs[1]
    json.loads(outputs[1])


def test_o06_validate_reads_in_any_locale(
    fake: Caller, parallax: Caller, german: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "out.json"
    fake(machine(fakea=[card(jitter=0.01)]), *run_arguments(path)).expect(0)
    parallax("validate", path, env=german).expect(0)
