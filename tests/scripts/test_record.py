"""What a file says of how each row came about: tool, kernel, inputs and counts."""

from __future__ import annotations

import re

import pytest
from conftest import REPOSITORY, Json, binary, call, read_result

SIZES = ["n=1021", "m=33,n=35,k=37", "n=2,c=3,h=10,w=9,k=7,r=3,s=3,stride=1,pad=1,layout=nhwc"]
WORKLOADS = {"vector_add", "reduction", "gemm", "convolution"}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Json:
    """Every variant and dtype of every workload at one size, checked through every API."""
    folder = tmp_path_factory.mktemp("record")
    sizes = [word for size in SIZES for word in ("--size", size)]
    arguments = ["run", *sizes, "--verify-only", "--output", folder / "out.json"]
    call(binary(), arguments, cwd=folder, timeout_s=300).expect(0)
    return read_result(folder / "out.json")


def ok_rows(file: Json) -> list[Json]:
    rows = [row for row in file["results"] if row["status"] == "ok"]
    assert {row["workload"] for row in rows} >= WORKLOADS
    return rows


def test_c04_the_tool_is_named(file: Json) -> None:
    """C04: two files of other versions of the tool can be told apart."""
    tool = file["tool"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", tool["version"])
    if (REPOSITORY / ".git").exists():
        assert re.fullmatch(r"[0-9a-f]{12,40}(-dirty)?", tool["commit"])
    assert tool["build"]["compiler"]


def test_c04_every_row_has_the_hash_of_its_kernel(file: Json) -> None:
    """C04: and two files whose kernels differ: no two kernels share a hash."""
    hashes: dict[tuple[str, ...], set[str]] = {}
    for row in ok_rows(file):
        assert re.fullmatch(r"[0-9a-f]{16}", row["kernel"]["source_hash"]), row["case"]
        kernel = (row["api"], row["workload"], row["variant"])
        hashes.setdefault(kernel, set()).add(row["kernel"]["source_hash"])
    for kernel, found in hashes.items():
        others = set().union(*(h for other, h in hashes.items() if other != kernel))
        assert not found & others, f"{kernel} shares its hash with another kernel"


def test_c05_the_fill_is_recorded(file: Json) -> None:
    """C05: inputs are random, and the file says so."""
    assert file["plan"]["fill"] == "random"


def test_c11_every_row_says_what_was_counted(file: Json) -> None:
    """C11: a formula in words and what it gives, the same in every API and variant."""
    counted: dict[tuple[str, ...], Json] = {}
    for row in file["results"]:
        work = row["work"]
        assert work["source"]
        assert work["bytes_read"] > 0
        assert work["bytes_written"] > 0
        problem = tuple(row["case"].split("/")[:3])
        assert counted.setdefault(problem, work) == work, row["case"]
    of_gemm = counted["gemm", "f32", "m=33,n=35,k=37"]
    assert of_gemm["flops"] == 2 * 33 * 35 * 37
    assert of_gemm["bytes_read"] == 4 * (33 * 37 + 37 * 35)
    assert of_gemm["bytes_written"] == 4 * 33 * 35
