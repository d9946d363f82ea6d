"""Build the compiled kernels, side by side; everything else is in pyproject.toml."""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

KERNELS = (  # those that take longest to compile first, so that none is left for the end
    "graph_parser.pyx transition_parser.pyx trees.py scan.pyx conversion.py oracles.py pools.pyx alignment.py "
    "layout.pyx agreement.pyx memory.pyx"
).split()
SHARED = "levelhead.kernels.cython_shared"
"""What Cython generates for memory views, compiled once: inside every kernel, most of the build would be that."""

OPTIMIZATION = [] if "-O" in os.environ.get("CFLAGS", "") else ["-O3"]
"""Whoever sets such a flag decides how much the compiler optimizes."""


def extension(module: str, file_name: str, optimization: list[str] = OPTIMIZATION) -> Extension:
    flags = [*optimization, "-g0", "-ffp-contract=off"]
    return Extension(module, [f"src/levelhead/kernels/{file_name}"], extra_compile_args=flags)


if __name__ == "__main__":  # processes that Cython starts import this file
    kernels = [extension(f"levelhead.kernels.{name.partition('.')[0]}", name) for name in KERNELS]
    setup(
        ext_modules=cythonize(
            [extension(SHARED, "cython_shared.c", OPTIMIZATION and ["-O1"]), *kernels],
            nthreads=os.cpu_count() or 1,
            language_level=3,
            shared_utility_qualified_name=SHARED,
        ),
        options={"build_ext": {"parallel": os.cpu_count()}},
    )
