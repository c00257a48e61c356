"""README.md says what is true: its tables come from the kernels and from the committed results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def test_generated_tables_are_up_to_date() -> None:
    command = [sys.executable, str(REPOSITORY / "scripts/support.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
