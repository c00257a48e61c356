#!/usr/bin/env python3
"""Fills the generated tables of README.md: what runs where, and an excerpt of the H200 results.

A cell of the support table lists the dtypes of a kernel's "dtypes:" line; an empty one is an honest
`unsupported`. The results come from results/h200/matched.json.
Usage: scripts/support.py [--check]; --check changes nothing and exits 1 if README.md differs.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = {"CUDA": ".cu", "OpenCL": ".cl", "Vulkan": ".comp", "host": ".cpp"}
NOT_WORKLOADS = {"probe", "selftest", "spin"}
RESULTS = ROOT / "results/h200/matched.json"
LADDER = ("naive", "tiled", "register", "vec4", "vec4_double")
SHOWN_CASES = [
    f"vector_add/f32/n={2**28}/vec4",
    f"reduction/f32/n={2**28}/vec4",
    *(f"gemm/f32/m=4096,n=4096,k=4096/{variant}" for variant in LADDER),
    "gemm/f64/m=4096,n=4096,k=4096/vec4",
    "convolution/f32/resnet50_res3_3x3,n=32,layout=nhwc/implicit_gemm",
]


def dtypes(kernel: Path) -> str:
    """The dtypes that a kernel file is compiled for, as its head says; empty without a file."""
    if not kernel.exists():
        return ""
    found = re.search(r"^// dtypes: (.+)$", kernel.read_text(), re.MULTILINE)
    return found.group(1).strip() if found else ""


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def support_table(shaders: Path) -> str:
    """One row per kernel, one column per API."""
    rows = []
    for workload in sorted(p for p in shaders.iterdir() if p.is_dir()):
        if workload.name in NOT_WORKLOADS:
            continue
        kernels = [p for p in workload.iterdir() if p.suffix in COLUMNS.values()]
        for variant in sorted({p.stem for p in kernels}):
            cells = [dtypes(workload / f"{variant}{suffix}") for suffix in COLUMNS.values()]
            rows.append([f"{workload.name} / {variant}", *cells])
    return markdown(["workload / kernel", *COLUMNS], rows)


def rate(row: dict[str, Any]) -> str:
    """Operations per second of a case that is about arithmetic, else bytes per second."""
    rates = row["rates"]
    if (rates["flop_per_byte"] or 0) > 1:
        return f"{rates['flop_per_s'] / 1e12:.2f} TFLOP/s"
    return f"{rates['bytes_per_s'] / 1e12:.3f} TB/s"


def result_row(row: dict[str, Any], ratios: list[dict[str, Any]]) -> list[str]:
    """One row of a result file as README shows it."""
    summary = row["summary"]
    low, high = summary["ci95_ns"]
    half = 50 * (high - low) / summary["median_ns"]
    cells = [
        f"`{row['case']}`",
        row["device"],
        f"{summary['median_ns'] / 1e3:.2f} us",
        f"{half:.2f} %",
        rate(row),
    ]
    for ratio in ratios:
        if (ratio["case"], ratio["device"]) == (row["case"], row["device"]):
            return [*cells, "{:.3f} [{:.3f}, {:.3f}]".format(ratio["ratio"], *ratio["ci95"])]
    return [*cells, "1"]


def result_table(path: Path) -> str:
    """The shown cases of a result file, and where they were measured."""
    file = json.loads(path.read_text())
    gpu = file["gpus"][0]
    rows = [row for case in SHOWN_CASES for row in file["results"] if row["case"] == case]
    base = file["ratios"][0]["base"]
    header = ["case", "device", "median", "+-95 %", "rate", f"time / {base} [95 %]"]
    origin = (
        f"`results/h200/{path.name}`: {gpu['name']}, driver {gpu['driver']}, "
        f"{len(file['results'])} rows, {file['plan']['rounds']} rounds each, "
        f"Parallax {file['tool']['version']} at {file['tool']['commit']}.\n\n"
    )
    return origin + markdown(header, [result_row(row, file["ratios"]) for row in rows])


def fill(text: str, name: str, content: str) -> str:
    """Puts content between the two comments that name a generated part."""
    begin, end = f"<!-- {name}: scripts/support.py -->\n", f"<!-- end of {name} -->"
    head, rest = text.split(begin)
    _, tail = rest.split(end)
    return f"{head}{begin}{content}{end}{tail}"


def main() -> int:
    readme = ROOT / "README.md"
    text = readme.read_text()
    wanted = fill(text, "support table", support_table(ROOT / "shaders"))
    wanted = fill(wanted, "results", result_table(RESULTS))
    if wanted == text:
        return 0
    if "--check" in sys.argv[1:]:
        print("README.md: a generated table is out of date; run scripts/support.py")
        return 1
    readme.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
