"""Kernel files are read side by side, so each says at its head what a reader needs first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SHADERS = Path(__file__).resolve().parents[2] / "shaders"
KERNELS = sorted(p for p in SHADERS.glob("*/*") if p.suffix in {".cu", ".cl", ".comp", ".cpp"})


def head(kernel: Path) -> list[str]:
    """The comment lines that open a file."""
    lines = []
    for line in kernel.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line)
    return lines


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_the_head_says_buffers_constants_group_dtypes_and_source(kernel: Path) -> None:
    lines = head(kernel)
    assert 2 <= len(lines) <= 8
    text = "\n".join(lines)
    for word in ("Buffers: ", "Constants: ", "Group: ", "dtypes: ", "Source: "):
        assert f"// {word}" in text or f" {word}" in text, word


def test_a_kernel_says_the_same_in_every_language() -> None:
    by_name: dict[tuple[str, str], set[str]] = {}
    for kernel in KERNELS:
        dtypes = re.search(r"^// dtypes: (.+)$", kernel.read_text(), re.MULTILINE)
        assert dtypes
        by_name.setdefault((kernel.parent.name, kernel.stem), set()).add(dtypes.group(1))
    assert {name for name, found in by_name.items() if len(found) > 1} == set()
