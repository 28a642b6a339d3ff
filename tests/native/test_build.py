"""A wheel has the compiled kernel where there is a compiler; elsewhere it is plain Python, and building it succeeds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("hatchling", reason="wheels are built by hatchling")
pytest.importorskip("setuptools", reason="hatchling has setuptools look for a compiler")

ROOT = Path(__file__).parents[2]
FILES = (
    "pyproject.toml", "README.md", "LICENSE", "NOTICE", "native/build_kernel.py", "src/ragauge/__init__.py",
    "src/ragauge/_version.py", "src/ragauge/core/native.py",
)  # fmt: skip
MODULE = """
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
static PyModuleDef kModule = {PyModuleDef_HEAD_INIT, "ragauge_native", "", 0};
PyMODINIT_FUNC PyInit_ragauge_native() { return PyModuleDef_Init(&kModule); }
"""
NO_COMPILER = dict.fromkeys(("CC", "CXX", "LDSHARED", "LDCXXSHARED"), "/nowhere/compiler")
needs_compiler = pytest.mark.skipif(shutil.which("c++") is None, reason="there is no compiler of C++ for hatchling")


class Built(NamedTuple):
    """What became of a build: its exit code, what it printed, and the wheel."""

    code: int
    out: str
    wheel: str
    names: list[str]
    about: str


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return this project with a kernel that is compiled in a moment."""
    folder = tmp_path / "project"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder / "native" / "kernel").mkdir()
    (folder / "native" / "kernel" / "module.cpp").write_text(MODULE)
    return folder


def built(project: Path, function: str = "build_wheel", /, **environment: str) -> Built:
    code = f"from hatchling.build import {function} as build; build('wheels')"
    (project / "wheels").mkdir(exist_ok=True)
    clean = {name: value for name, value in os.environ.items() if name != "RAGAUGE_NATIVE"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        cwd=project,
        env={**clean, **environment},
        capture_output=True,
        text=True,
    )
    wheels = list((project / "wheels").glob("*.whl"))
    if not wheels:
        return Built(done.returncode, done.stdout + done.stderr, "", [], "")
    with zipfile.ZipFile(wheels[0]) as archive:
        names = archive.namelist()
        about = archive.read(next(name for name in names if name.endswith("/WHEEL"))).decode()
    return Built(done.returncode, done.stdout + done.stderr, wheels[0].name, names, about)


def has_kernel(wheel: Built) -> bool:
    return any(name.startswith("ragauge_native.") for name in wheel.names)


@needs_compiler
@pytest.mark.parametrize("wanted", ["", "1"])
def test_where_there_is_a_compiler_the_wheel_has_the_kernel(project: Path, wanted: str) -> None:
    wheel = built(project, RAGAUGE_NATIVE=wanted)
    assert wheel.code == 0, wheel.out
    assert has_kernel(wheel)
    assert "-cp311-abi3-" in wheel.wheel
    assert "Root-Is-Purelib: false" in wheel.about


@needs_compiler
def test_an_editable_installation_has_it_too(project: Path) -> None:
    wheel = built(project, "build_editable")
    assert has_kernel(wheel), wheel.out
    assert any(name.endswith(".pth") for name in wheel.names)
    assert not list((project / "src").rglob("ragauge_native*")), "and the sources stay as they are"


def test_without_a_compiler_the_wheel_is_plain_python_and_one_line_says_why(project: Path) -> None:
    wheel = built(project, "build_wheel", **NO_COMPILER)
    assert wheel.code == 0
    assert not has_kernel(wheel)
    assert wheel.wheel.endswith("-py3-none-any.whl")
    assert "Root-Is-Purelib: true" in wheel.about
    [line] = [line for line in wheel.out.splitlines() if "without its compiled kernel" in line]
    assert "/nowhere/compiler" in line


@pytest.mark.parametrize("source", ["no C++", "int main() {}"])
def test_a_kernel_that_does_not_compile_or_load_is_left_out(project: Path, source: str) -> None:
    (project / "native" / "kernel" / "module.cpp").write_text(source)
    wheel = built(project)
    assert (wheel.code, has_kernel(wheel)) == (0, False), wheel.out
    assert "without its compiled kernel" in wheel.out


def test_the_kernel_can_be_required(project: Path) -> None:
    wheel = built(project, "build_wheel", RAGAUGE_NATIVE="1", **NO_COMPILER)
    assert wheel.code != 0
    assert wheel.wheel == ""


def test_the_kernel_can_be_left_out(project: Path) -> None:
    wheel = built(project, RAGAUGE_NATIVE="0")
    assert (wheel.code, has_kernel(wheel)) == (0, False)
    assert "compiled kernel" not in wheel.out
