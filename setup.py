"""Build the compiled kernels, side by side; everything else is in pyproject.toml."""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

KERNELS = (
    "scan.pyx pools.pyx text.pyx memory.pyx layout.pyx deps.pyx agreement.pyx trees.py spans.py shapes.py oracles.py "
    "lifting.py conversion.py arpa.py edits.py transition_parser.pyx graph_parser.pyx"
).split()


def extension(file_name: str) -> Extension:
    module = file_name.partition(".")[0]
    return Extension(
        f"levelhead.kernels.{module}",
        [f"src/levelhead/kernels/{file_name}"],
        extra_compile_args=["-O3", "-g0", "-ffp-contract=off"],
    )


setup(
    ext_modules=cythonize([extension(name) for name in KERNELS], language_level=3),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
