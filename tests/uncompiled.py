"""Kernels as plain Python, which the compiled ones are compared with."""

import importlib.util
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import numpy as np

from levelhead.kernels import scan


def uncompiled(name: str) -> ModuleType:
    """Load a kernel's file as plain Python, as one does to debug it."""
    path = Path(scan.__file__).with_name(f"{name}.py")
    if not path.exists():  # the tests run against an installed wheel, whose sources are beside the tests
        path = Path(__file__).parent.parent / "src" / "levelhead" / "kernels" / f"{name}.py"
    loader = SourceFileLoader(f"uncompiled_{name}", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def views(*arrays: np.ndarray) -> list[memoryview]:
    """Give arrays as uncompiled kernels take them: numpy's scalars would overflow."""
    return [memoryview(array) for array in arrays]
