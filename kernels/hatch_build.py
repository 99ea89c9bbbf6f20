"""Compiles the kernels when a wheel is built or the folder is installed."""

from __future__ import annotations

import os
import shlex
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FLAGS = ["-std=gnu11", "-O3", "-Wall", "-Wextra", "-shared", "-fPIC", "-pthread"]


class CompileKernels(BuildHookInterface):
    """One shared library beside the sources. It needs no header of Python: ctypes loads it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Compiles, and marks the wheel as one for this kind of machine.

        Args:
            version: What is built, "standard" or "editable".
            build_data: What hatchling is told.
        """
        folder = Path(self.root, "src", "corelax_kernels")
        sources = sorted(map(str, folder.glob("*.c")))
        target = folder / "kernels.so"
        unfinished = target.with_suffix(".new.so")
        command = [
            *shlex.split(os.environ.get("CC", "cc")),
            *FLAGS,
            "-o",
            str(unfinished),
            *sources,
        ]
        try:
            subprocess.run(command, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            unfinished.unlink(missing_ok=True)
            raise SystemExit(
                f"corelax-kernels needs a C compiler (GCC 10, Clang 12 or later): {error}"
            ) from None
        unfinished.replace(target)
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
