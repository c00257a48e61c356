#!/usr/bin/env python3
"""Writes the support table of README.md from the device code that exists.

A cell lists the dtypes of a kernel's "dtypes:" line; an empty cell is an honest `unsupported`.
Usage: scripts/support.py [--check]; --check changes nothing and exits 1 if README.md differs.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- support table: scripts/support.py -->\n", "<!-- end of support table -->"
COLUMNS = {"CUDA": ".cu", "OpenCL": ".cl", "Vulkan": ".comp", "host": ".cpp"}
NOT_WORKLOADS = {"spin", "selftest"}


def dtypes(kernel: Path) -> str:
    """The dtypes that a kernel file is compiled for, as its head says; empty without a file."""
    if not kernel.exists():
        return ""
    found = re.search(r"^// dtypes: (.+)$", kernel.read_text(), re.MULTILINE)
    return found.group(1).strip() if found else ""


def table(shaders: Path) -> str:
    """Markdown: one row per variant, one column per API."""
    lines = [f"| workload / variant | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    for workload in sorted(p for p in shaders.iterdir() if p.is_dir()):
        if workload.name in NOT_WORKLOADS:
            continue
        for variant in sorted({p.stem for p in workload.iterdir()}):
            cells = [dtypes(workload / f"{variant}{suffix}") for suffix in COLUMNS.values()]
            lines.append(f"| {workload.name} / {variant} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    readme = ROOT / "README.md"
    text = readme.read_text()
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    wanted = f"{head}{BEGIN}{table(ROOT / 'shaders')}{END}{tail}"
    if wanted == text:
        return 0
    if "--check" in sys.argv[1:]:
        print("README.md: the support table is out of date; run scripts/support.py")
        return 1
    readme.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
