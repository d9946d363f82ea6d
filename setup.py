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

FASTER_WITH_O3 = {"scan.pyx", "pools.pyx", "trees.py", "alignment.py"}
"""The kernels of scores; with -O2, the others are compiled sooner, and are about as fast."""


def extension(module: str, file_name: str) -> Extension:
    level = "-O1" if module == SHARED else "-O3" if file_name in FASTER_WITH_O3 else "-O2"
    flags = ["-g0", "-ffp-contract=off"]
    if "-O" not in os.environ.get("CFLAGS", ""):  # such a flag stays as it is
        flags.append(level)
    return Extension(module, [f"src/levelhead/kernels/{file_name}"], extra_compile_args=flags)


if __name__ == "__main__":  # processes that Cython starts import this file
    kernels = [extension(f"levelhead.kernels.{name.partition('.')[0]}", name) for name in KERNELS]
    setup(
        ext_modules=cythonize(
            [extension(SHARED, "cython_shared.c"), *kernels],
            nthreads=os.cpu_count() or 1,
            language_level=3,
            shared_utility_qualified_name=SHARED,
        ),
        options={"build_ext": {"parallel": os.cpu_count()}},
    )
