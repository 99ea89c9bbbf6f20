"""Compiles the kernels when a wheel is built or the folder is installed."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FLAGS = "-std=gnu11 -O3 -Wall -Wextra -fPIC -fvisibility=hidden -pthread".split()
VECTORS = "f bw vl dq vnni bf16".split()  # what all files but one may use of AVX-512


class CompileKernels(BuildHookInterface):
    """One shared library beside the sources. It needs no header of Python: ctypes loads it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Compiles, and marks the wheel as one for this kind of machine.

        Args:
            version: What is built, "standard" or "editable".
            build_data: What hatchling is told.
        """
        folder = Path(self.root, "src", "corelax_kernels")
        asking = folder / "support.c"  # whether the processor can: itself for any processor
        sources = sorted(set(folder.glob("*.c")) - {asking})
        is_x86 = platform.machine().lower() in ("x86_64", "amd64")
        vectors = ["-mfma", *(f"-mavx512{name}" for name in VECTORS)] if is_x86 else []
        compiler = [*shlex.split(os.environ.get("CC", "cc")), *FLAGS]
        target = folder / "kernels.so"
        with TemporaryDirectory() as temporary:
            answer, library = Path(temporary, "support.o"), Path(temporary, "kernels.so")
            try:
                subprocess.run([*compiler, "-c", asking, "-o", answer], check=True)
                command = [*compiler, *vectors, "-shared", *sources, answer, "-o", library]
                subprocess.run(command, check=True)
            except (OSError, subprocess.CalledProcessError) as error:
                raise SystemExit(
                    f"corelax-kernels needs a C compiler, best GCC 10 or later: {error}"
                ) from None
            # Another process may have the old one open: it keeps it.
            target.unlink(missing_ok=True)
            shutil.copy(library, target)
        build_data["pure_python"] = False
        machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{machine}"
