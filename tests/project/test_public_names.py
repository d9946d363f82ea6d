"""What is public is listed, typed and documented, and nothing else is promised."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import FunctionType
from typing import Any, get_args, get_type_hints

import pytest

import levelhead
from conftest import ROOT, script
from levelhead.tabular import Tabular
from levelhead.task.description import SubmissionLimits, Visibility
from levelhead.task.documents import PARTS

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


def unexplained(function: FunctionType) -> list[str]:
    """Return the arguments that the docstring of a function does not name."""
    text = inspect.getdoc(function) or ""
    return [name for name in inspect.signature(function).parameters if not re.search(rf"\b{name}\b", text)]


LISTED = {
    inspect.unwrap(getattr(importlib.import_module(module), name))
    for topic in TOPICS
    for listed in (topic.entries, topic.lines)
    for module, names in listed.items()
    for name in names.split()
    if callable(getattr(importlib.import_module(module), name))
}
"""What the pages of the reference list."""


def rows() -> set[type]:
    """Return the records whose docstrings describe the columns of results, and the parts of tasks."""
    results, found = [Tabular], set()
    waiting: list[Any] = [
        SubmissionLimits,
        Visibility,
        *(row for layout in PARTS.values() for row in layout),
    ]
    while results:
        result = results.pop()
        results += result.__subclasses__()
        waiting += [row for layout in result.layouts().values() for row in layout]
    while waiting:
        record = waiting.pop()
        if isinstance(record, type) and record not in found:
            found.add(record)
            waiting += [part for hint in get_type_hints(record).values() for part in (hint, *get_args(hint))]
    return found


def test_what_the_reference_lists_names_its_arguments() -> None:
    called = {f"{module}.{name}": value for module in MODULES for name, value in public(module)}
    listed = {name: one for name, one in called.items() if inspect.isfunction(one) and inspect.unwrap(one) in LISTED}
    assert len(listed) > 100
    assert {name: missing for name, one in listed.items() if (missing := unexplained(one))} == {}


def test_nothing_else_describes_its_arguments() -> None:
    """One sentence is enough for internal functions and classes; fields of records can have comments."""
    modules = [
        importlib.import_module(name)
        for _, name, _ in pkgutil.walk_packages(levelhead.__path__, "levelhead.")
        if not name.endswith("__main__")
    ]
    values = {value for module in modules for value in vars(module).values() if isinstance(value, FunctionType | type)}
    own = {inspect.unwrap(value) for value in values if value.__module__.startswith("levelhead.")}
    described = {
        value for value in own if re.search(r"^ *(Args|Returns|Yields|Raises):$", value.__doc__ or "", re.MULTILINE)
    }
    assert len(described & LISTED) > 100
    assert described - LISTED - rows() == set()


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
