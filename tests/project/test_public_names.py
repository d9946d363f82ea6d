"""What is public is listed, typed and documented, and nothing else is promised."""

import importlib
import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import pytest

import levelhead
from conftest import ROOT, script

DOCS = script("docs.py")
TOPICS = script("reference.py").TOPICS.values()
MODULES = sorted({"levelhead", *(module for topic in TOPICS for module in (*topic.entries, *topic.lines))})


def public(module: str) -> Iterator[tuple[str, Any]]:
    """Yield the functions and classes of a module that it lists, or that are on a page of the reference."""
    found = importlib.import_module(module)
    on_pages = [listed.get(module, "").split() for topic in TOPICS for listed in (topic.entries, topic.lines)]
    for name in dict.fromkeys([*getattr(found, "__all__", ()), *(name for names in on_pages for name in names)]):
        value = getattr(found, name)
        is_defined = inspect.isfunction(value) or inspect.isclass(value)
        if is_defined and value.__module__.startswith("levelhead."):
            yield f"{module}.{name}", value


def functions(name: str, value: Any) -> Iterator[tuple[str, FunctionType]]:
    """Yield a function, or the public methods and properties that a class defines itself."""
    if inspect.isfunction(value):
        yield name, value
        return
    for own, method in vars(value).items():
        inner = getattr(method, "fget", None) or getattr(method, "__func__", None) or getattr(method, "func", method)
        if not own.startswith("_") and inspect.isfunction(inner) and inner.__module__ == value.__module__:
            yield f"{name}.{own}", inner


def lacks(function: FunctionType) -> list[str]:
    """Return what a public function lacks: a docstring, annotations."""
    signature = inspect.signature(function)
    bare = [one for one in signature.parameters.values() if one.annotation is one.empty]
    missing = [one.name for one in bare if one.name not in {"self", "cls"}]
    missing += ["return"] if signature.return_annotation is signature.empty else []
    return missing + ([] if inspect.getdoc(function) else ["docstring"])


@pytest.mark.parametrize("module", MODULES)
def test_public_names_are_annotated_and_documented(module: str) -> None:
    names = dict(public(module))
    assert names
    assert [name for name, value in names.items() if not inspect.getdoc(value)] == []
    every = [one for name, value in names.items() for one in functions(name, value)]
    assert {name: missing for name, function in every if (missing := lacks(function))} == {}


def test_what_is_lacking_is_found() -> None:
    def bare(one, two: int):
        return one, two

    class Some:
        @property
        def size(self):
            return 1

    Some.__module__ = Some.size.fget.__module__
    assert lacks(bare) == ["one", "return", "docstring"]
    assert [(name, lacks(one)) for name, one in functions("Some", Some)] == [("Some.size", ["return", "docstring"])]


def test_names_listed_exist_and_are_not_private() -> None:
    for module in MODULES:
        found = importlib.import_module(module)
        listed = getattr(found, "__all__", ())
        assert [name for name in listed if not hasattr(found, name)] == []
        assert [name for name in listed if name.startswith("_")] == (["__version__"] if found is levelhead else [])


def test_types_are_shipped() -> None:
    """With a stub for each compiled module, whose source type checkers cannot read."""
    source = ROOT / "src/levelhead"
    assert (source / "py.typed").is_file()
    compiled = [path for path in (source / "kernels").glob("*.pyx") if path.stem[0] != "_"]
    assert compiled
    assert [path.name for path in compiled if not path.with_suffix(".pyi").is_file()] == []


def test_the_reference_says_what_is_stable() -> None:
    page = DOCS.pages()["api/index.md"]
    assert "## What is stable" in page
    for promised in ("semantic", "`schema`", "models", "Not stable"):
        assert promised in page
