"""The pages of the Python reference: functions and classes with signatures and the first paragraphs of docstrings."""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType

from formats import address, escaped
from topics import ABOUT_API, TOPICS, WHOLE, Topic

from levelhead.tabular import Tabular

DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def reference() -> dict[str, tuple[str, str, Iterable[str]]]:
    """The pages of the Python reference by name: title, introduction and blocks."""
    index = "\n".join(f"- [{topic.title}]({name}.md): {topic.about}" for name, topic in TOPICS.items())
    about, stable, promises = ABOUT_API.partition("\n## What is stable\n")
    pages = {name: (topic.title, f"\n{topic.about}\n", topic_blocks(topic)) for name, topic in TOPICS.items()}
    return {"index": ("Python", about, [index, f"{stable}{promises}".strip()]), **pages}


def topic_blocks(topic: Topic) -> Iterator[str]:
    """The entries of a page, then its other names in lines."""
    for name, value in named(topic.entries):
        yield from entry(name, value)
    if topic.lines:
        yield "## More names"
    for module in topic.lines:
        yield f"**{module}**"
        yield "\n".join(line(value) for _, value in named({module: topic.lines[module]}))


def named(names: Mapping[str, str]) -> Iterator[tuple[str, type | FunctionType]]:
    """The functions and classes that are listed by module, with their full names."""
    for module, listed in names.items():
        for name in listed.split():
            yield f"{module}.{name}", getattr(importlib.import_module(module), name)


@functools.cache
def parsed(module: str) -> ast.Module:
    """The source of a module."""
    return ast.parse(inspect.getsource(importlib.import_module(module)))


def entry(name: str, value: type | FunctionType) -> Iterator[str]:
    """A function with its arguments, or a class with the names of its attributes and methods, and what it is."""
    node = definition(value)
    yield f"## {name}"
    about = described(value) if node.name in WHOLE else about_of(value)
    if isinstance(node, ast.FunctionDef):
        yield f"`{signature(node)}`"
        yield about
        return
    made = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    if made and made.args.args[1:]:
        yield f"`{signature(made, node.name)}`"
    yield about
    if names := record_tables().get(value) or " ".join(members(value, node)):
        yield names


def line(value: type | FunctionType) -> str:
    """A function with the names of its arguments, or a class, in one line: what it does."""
    node = definition(value)
    shown = node.name
    if isinstance(node, ast.FunctionDef):
        shown += f"({', '.join(one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg))})"
    return f"- `{shown}`: {about_of(value)} {record_tables().get(value, '')}".rstrip()


@functools.cache
def record_tables() -> dict[object, str]:
    """Where the fields of records are described that are rows of results, by class."""
    found: dict[object, str] = {}
    for topic in TOPICS.values():
        for _, result in named(topic.entries):
            if inspect.isclass(result) and issubclass(result, Tabular) and result.KIND:
                for name, layout in result.layouts().items():
                    for part in layout:
                        found.setdefault(part, f"Fields: `{name}` of [{result.KIND}](../{address(result.KIND)}).")
    return found


def about_of(value: type | FunctionType) -> str:
    """The first paragraph of a docstring, on one line: what a function returns."""
    first = " ".join(inspect.cleandoc(value.__doc__ or "").partition("\n\n")[0].split())
    return escaped(re.sub(r"^Return (\w)", lambda found: found[1].upper(), first))


def described(value: type | FunctionType) -> str:
    """A whole docstring as Markdown: its sections as lists."""
    lines: list[str] = []
    for line in inspect.cleandoc(value.__doc__ or "").split("\n"):
        if SECTION.fullmatch(line):
            lines += [f"**{line[:-1]}**", ""]
        elif match := ARGUMENT.fullmatch(line):
            lines.append(f"- `{match[1]}`: {escaped(match[2])}")
        else:
            lines.append(escaped(line))
    return "\n".join(lines)


SECTION = re.compile(r"(Args|Returns|Raises):")
ARGUMENT = re.compile(r" {4}([*\w]+): (.*)")


def members(value: type, node: ast.ClassDef) -> Iterator[str]:
    """The names of the attributes, then the methods, that a class defines; of results not those that all have."""
    common = set(dir(Tabular)) if issubclass(value, Tabular) and value is not Tabular else set()
    attributes, methods = [], []
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            if "ClassVar" not in ast.unparse(one.annotation):
                attributes.append(one.target.id)
        elif isinstance(one, ast.FunctionDef) and is_property(one):
            attributes.append(one.name)
        elif isinstance(one, ast.FunctionDef):
            methods.append(one)
    if shown := [f"`{name}`" for name in attributes if name[0] != "_" and name not in common]:
        yield f"Attributes: {', '.join(shown)}."
    if called := [one for one in methods if one.name[0] != "_" and (one.name not in common or has_own(one))]:
        yield f"Methods: {', '.join(f'`{call(one)}`' for one in called)}."


def has_own(method: ast.FunctionDef) -> bool:
    """Whether a method that all results have takes arguments in a class."""
    return method.name == "table" and bool(method.args.args[1:] or method.args.kwonlyargs)


def call(node: ast.FunctionDef, name: str = "") -> str:
    """A function or method with its arguments and their defaults, without types and `self`."""
    bare = copy.deepcopy(node.args)
    for one in ast.walk(bare):
        if isinstance(one, ast.arg):
            one.annotation = None
    arguments = re.sub(r"^(?:self|cls)(?:, |$)", "", ast.unparse(bare))
    return f"{name or node.name}({arguments})"


def signature(node: ast.FunctionDef, name: str = "") -> str:
    """A call with the type of its answer."""
    answer = f" -> {ast.unparse(node.returns)}" if node.returns and not name else ""
    return f"{call(node, name)}{answer}"


def definition(value: type | FunctionType) -> ast.FunctionDef | ast.ClassDef:
    """Where a function or class is defined."""
    body = parsed(value.__module__).body
    return next(node for node in body if isinstance(node, DEFINITIONS) and node.name == value.__name__)


def is_property(node: ast.FunctionDef) -> bool:
    """Whether a method is read like an attribute."""
    return any(ast.unparse(one).split(".")[-1] in {"property", "cached_property"} for one in node.decorator_list)
