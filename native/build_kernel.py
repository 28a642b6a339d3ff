"""Compile the kernel into the wheel where there is a compiler of C++20; elsewhere the wheel is plain Python.

``RAGAUGE_NATIVE=0`` leaves the kernel out, ``RAGAUGE_NATIVE=1`` makes it an error where it cannot be compiled. The
compiler is the one that setuptools finds, which reads CXX, CFLAGS and LDFLAGS.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "ragauge_native"
_MSVC = ["/std:c++20", "/EHsc", "/O2"]
# Without -ffp-contract=off some processors round a product and a sum at once, and numpy rounds both.
_OTHERS = [
    "-std=c++20",
    "-O3",
    "-ffp-contract=off",
    "-fvisibility=hidden",
    "-pthread",
    "-Wall",
    "-Wextra",
    "-Wconversion",
]


class Kernel(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the compiled module to a wheel, beside the package ragauge; to an editable one, too."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the interface of hatchling
        """Compile, and mark the wheel as one of this platform, for Python 3.11 and later."""
        wanted = os.environ.get("RAGAUGE_NATIVE")
        if wanted == "0":
            return
        self._folder = TemporaryDirectory(prefix="ragauge-kernel-")
        try:
            module = compiled(Path(self.root, "native", "kernel"), Path(self._folder.name))
            # One that is required may be for another processor, or for a Python with a sanitizer.
            if wanted != "1":
                check_import(module)
        except Exception as error:
            if wanted == "1":
                raise
            why = " ".join(str(error).split())[:200] or type(error).__name__
            self.app.display_warning(f"ragauge is installed without its compiled kernel, scores are the same: {why}")
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform}"
        build_data["force_include"][str(module)] = module.name
        build_data["force_include_editable"][str(module)] = module.name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what was compiled: the wheel has it."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def compiled(sources: Path, folder: Path) -> Path:
    """Return the module, compiled in ``folder`` against the stable ABI of Python 3.11; any error where that fails."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    if sys.implementation.name != "cpython":
        raise RuntimeError("the kernel needs CPython")
    options = _MSVC if sys.platform == "win32" else _OTHERS
    link = [] if sys.platform == "win32" else ["-pthread"]
    extension = Extension(
        MODULE,
        [str(sources / "module.cpp")],
        language="c++",
        extra_compile_args=options,
        extra_link_args=link,
        py_limited_api=True,
    )
    command = build_ext(Distribution({"name": "ragauge", "ext_modules": [extension]}))
    command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "temp")
    command.ensure_finalized()
    command.run()
    return Path(command.get_ext_fullpath(MODULE))


def check_import(module: Path) -> None:
    """Raise CalledProcessError where the module cannot be imported."""
    code = f"import sys; sys.path.insert(0, '.'); import {MODULE}"
    subprocess.run([sys.executable, "-c", code], cwd=module.parent, check=True)
