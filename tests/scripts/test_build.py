"""What configuring says of compilers that are missing, old or new: nothing fails half-way through a
build. Only configures; builds nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import REPOSITORY, clean_environment


@dataclass
class Configured:
    code: int
    text: str
    folder: Path

    def ninja(self) -> str:
        return (self.folder / "build.ninja").read_text()


def configure(folder: Path, *options: str) -> Configured:
    """Configures the repository into `folder`, without tests and without the network."""
    compilers = [f"-DCMAKE_{language}_COMPILER_WORKS=1" for language in ("C", "CXX")]
    finished = subprocess.run(
        [
            "cmake",
            "-S",
            REPOSITORY,
            "-B",
            folder,
            "-G",
            "Ninja",
            "-DPARALLAX_FETCH=OFF",
            "-DPARALLAX_TESTS=OFF",
            *compilers,
            *options,
        ],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    # CMake breaks long messages into lines.
    text = re.sub(r"\s+", " ", finished.stdout + finished.stderr)
    return Configured(finished.returncode, text, folder)


def executable(path: Path, text: str) -> Path:
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


@pytest.fixture
def nvcc() -> str:
    found = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if found is None:
        pytest.skip("nvcc is not installed")
    return found


def test_b01_an_architecture_that_nvcc_does_not_know(tmp_path: Path, nvcc: str) -> None:
    """B01: it is named with the option that chooses, and left out; the rest is built."""
    done = configure(
        tmp_path / "build",
        f"-DPARALLAX_NVCC_PROGRAM={nvcc}",
        "-DPARALLAX_CUDA_ARCHITECTURES=50;80",
    )
    assert done.code == 0, done.text
    assert re.search(r"architecture.* 50\b", done.text), done.text
    assert "PARALLAX_CUDA_ARCHITECTURES" in done.text
    assert "compute_80" in done.ninja()
    assert "compute_50" not in done.ninja()


@pytest.mark.parametrize("architectures", ["50", "90a", "10;11"])
def test_b02_no_gencode_without_a_number(tmp_path: Path, nvcc: str, architectures: str) -> None:
    """B02: whatever list is asked for, no option `compute_` with nothing after it is passed on; a
    list of which nothing is left is refused by name or built without CUDA, and said."""
    done = configure(
        tmp_path / "build",
        f"-DPARALLAX_NVCC_PROGRAM={nvcc}",
        f"-DPARALLAX_CUDA_ARCHITECTURES={architectures}",
    )
    assert not re.search(r"compute_(?![0-9])", done.text), done.text
    if done.code != 0:
        assert "PARALLAX_CUDA_ARCHITECTURES" in done.text
        return
    assert not re.search(r"compute_(?![0-9])", done.ninja())
    if architectures == "90a":
        assert "compute_90a" in done.ninja()
    else:
        assert "built without CUDA" in done.text


def test_b02_the_default_list_needs_no_gpu(tmp_path: Path, nvcc: str) -> None:
    """B02: without a GPU at build the default list and PTX for what comes later."""
    done = configure(
        tmp_path / "build",
        f"-DPARALLAX_NVCC_PROGRAM={nvcc}",
        "-DPARALLAX_CUDA_ARCHITECTURES=default",
    )
    assert done.code == 0, done.text
    ninja = done.ninja()
    codes = set(re.findall(r"code=sm_(\d+a?)", ninja))
    assert codes >= {"80", "86", "89", "90a"}
    assert re.search(r"code=compute_\d+", ninja), "no PTX"


def test_one_architecture_for_development(tmp_path: Path, nvcc: str) -> None:
    done = configure(
        tmp_path / "build",
        f"-DPARALLAX_NVCC_PROGRAM={nvcc}",
        "-DPARALLAX_CUDA_ARCHITECTURES=one",
    )
    assert done.code == 0, done.text
    assert len(set(re.findall(r"code=sm_(\d+a?)", done.ninja()))) == 1
    assert len(set(re.findall(r"code=compute_(\d+a?)", done.ninja()))) == 1


@pytest.mark.parametrize(
    ("version", "words"),
    [("11.8, V11.8.89", "11.8"), ("12.6, V12.6.20", "12.6"), ("", "version")],
)
def test_an_old_nvcc_is_said_and_left_out(tmp_path: Path, version: str, words: str) -> None:
    """Older than 12.8, or no compiler at all: built without CUDA, with the reason."""
    text = f"echo 'Cuda compilation tools, release {version}'" if version else "exit 1"
    stub = executable(tmp_path / "nvcc", text + "\n")
    done = configure(tmp_path / "build", f"-DPARALLAX_NVCC_PROGRAM={stub}")
    assert done.code == 0, done.text
    assert "built without CUDA" in done.text
    assert words in done.text
    assert "-fatbin" not in done.ninja()


def test_b03_a_shader_that_needs_a_newer_compiler(tmp_path: Path) -> None:
    """B03: the extension that this glslang lacks is named, the kernel is left out, the rest is
    built."""
    real = shutil.which("glslangValidator") or shutil.which("glslang")
    if real is None:
        pytest.skip("glslang is not installed")
    stub = executable(
        tmp_path / "glslang",
        f"for word; do\n  case $word in -*) continue ;; esac\n"
        f'  if grep -qs GL_KHR_cooperative_matrix "$word"; then\n'
        f'    echo "ERROR: extension not supported: GL_KHR_cooperative_matrix"; exit 2\n'
        f'  fi\ndone\nexec {real} "$@"\n',
    )
    done = configure(tmp_path / "build", f"-DPARALLAX_GLSLANG={stub}", "-DPARALLAX_CUDA=OFF")
    assert done.code == 0, done.text
    assert "selftest/needs_newer" in done.text
    assert "GL_KHR_cooperative_matrix" in done.text
    assert "vector_add/naive.comp" in done.ninja()
    assert "naive_f32.spv" in done.ninja()
    assert "needs_newer_u32" not in done.ninja(), "its source is hashed, no code is made of it"


def test_b04_a_missing_glslang_ends_configuring(tmp_path: Path) -> None:
    """B04: not step 437 of the build; what to install is said."""
    done = configure(
        tmp_path / "build",
        "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF",
        "-DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF",
        f"-DCMAKE_MAKE_PROGRAM={shutil.which('ninja')}",
        f"-DCMAKE_CXX_COMPILER={shutil.which('c++')}",
        f"-DCMAKE_C_COMPILER={shutil.which('cc')}",
    )
    assert done.code != 0
    assert "glslang" in done.text
    assert "glslang-tools" in done.text or "setup.sh" in done.text


def test_b04_an_old_glslang_ends_configuring(tmp_path: Path) -> None:
    stub = executable(tmp_path / "glslang", "echo 'Glslang Version: 11:11.8.0'\n")
    done = configure(tmp_path / "build", f"-DPARALLAX_GLSLANG={stub}")
    assert done.code != 0
    assert "11.8.0" in done.text
    assert "12" in done.text


@pytest.mark.parametrize("backend", ["CUDA", "OPENCL", "VULKAN"])
def test_a_backend_can_be_left_out(tmp_path: Path, backend: str) -> None:
    others = [f"-DPARALLAX_{name}=OFF" for name in ("CUDA", "OPENCL", "VULKAN") if name != backend]
    done = configure(tmp_path / "build", f"-DPARALLAX_{backend}=OFF", *others)
    assert done.code == 0, done.text
    assert f"PARALLAX_{backend}=OFF" in done.text
