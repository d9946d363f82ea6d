"""The pages of the Python reference: entries of functions and classes from their signatures and docstrings."""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import inspect
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType

from formats import escaped
from topics import ABOUT_API, TOPICS, Topic

from levelhead.api.parameters import SHARED, parameters_of
from levelhead.tabular import Tabular


def reference() -> dict[str, tuple[str, str, Iterable[str]]]:
    """The pages of the Python reference by name: title, introduction and blocks."""
    contents = [f"| [{topic.title}]({name}.md) | {topic.about} |" for name, topic in TOPICS.items()]
    index = "\n".join(["| page | you can |", "| --- | --- |", *contents])
    about, stable, promises = ABOUT_API.partition("\n## What is stable\n")
    shared = "\n".join(f"- `{name}: {types_of_shared()[name]}`: {escaped(text)}" for name, text in SHARED.items())
    about, stable, promises = ABOUT_API.partition("\n## What is stable\n")
    blocks = [index, f"## Shared arguments\n\n{ABOUT_SHARED}", shared, f"{stable}{promises}".strip()]
    pages = {name: (topic.title, f"\n{topic.about}\n", topic_blocks(topic)) for name, topic in TOPICS.items()}
    return {"index": ("Python", about, blocks), **pages}


ABOUT_SHARED = "Functions of `levelhead` take these, unless an entry describes them itself:"


@functools.cache
def types_of_shared() -> dict[str, str]:
    """The most frequent type of each shared argument."""
    entries = [value for topic in TOPICS.values() for _, value in named(topic.entries) if is_checked(value)]
    counts = Counter(
        (one.arg, ast.unparse(one.annotation))
        for value in entries
        for one in ast.walk(definition(value))
        if isinstance(one, ast.arg) and one.annotation is not None
    )
    return dict(pair for pair, _ in reversed(counts.most_common()))


def is_checked(value: type | FunctionType) -> bool:
    """Whether a function is one of `levelhead.api`, whose docstring leaves out shared arguments."""
    return hasattr(value, "__wrapped__")


def topic_blocks(topic: Topic) -> Iterator[str]:
    """The entries of a page, then its other names in lines."""
    for name, value in named(topic.entries):
        yield from entry(name, value)
    if topic.lines:
        yield f"## More names\n\n{ABOUT_LINES}"
    for module in topic.lines:
        yield f"**{module}**"
        yield "\n".join(line(value) for _, value in named({module: topic.lines[module]}))


ABOUT_LINES = "`help(name)` describes their arguments, fields and methods."


def named(names: Mapping[str, str]) -> Iterator[tuple[str, type | FunctionType]]:
    """The functions and classes that are listed by module, with their full names."""
    for module, listed in names.items():
        for name in listed.split():
            yield f"{module}.{name}", getattr(importlib.import_module(module), name)


@functools.cache
def parsed(module: str) -> ast.Module:
    """The source of a module."""
    return ast.parse(inspect.getsource(importlib.import_module(module)))


DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


def entry(name: str, value: type | FunctionType) -> Iterator[str]:
    """A function or class with its signature and docstring; of methods the first lines."""
    node = definition(value)
    function = getattr(value, "__wrapped__", value)
    doc = inspect.cleandoc(function.__doc__ or "")
    yield f"## {name}"
    if isinstance(node, ast.FunctionDef):
        yield f"```python\n{folded(signature(without_shared(node) if is_checked(value) else node))}\n```"
        yield described(doc)
        if is_checked(value) and any(f"\n    {one}: " not in doc for one in parameters_of(function)):
            yield "Other arguments: [shared](index.md#shared-arguments)."
        return
    yield f"```python\n{signature(node)}\n```"
    yield f"{about_of(value)} {record_tables()[value]}" if value in record_tables() else described(doc)
    if lines := list(method_lines(value, node)):
        yield "\n".join(lines)


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
                        found.setdefault(
                            part, f"Fields: table `{name}` of [{result.KIND}](../formats.md#{result.KIND})."
                        )
    return found


def about_of(value: type | FunctionType) -> str:
    """The first paragraph of a docstring, on one line."""
    first = inspect.cleandoc(value.__doc__ or "").partition("\n\n")[0]
    return escaped(" ".join(first.split()))


def method_lines(value: type, node: ast.ClassDef) -> Iterator[str]:
    """The public methods and properties of a class; of results not those that all results have."""
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
            inherited = issubclass(value, Tabular) and value is not Tabular and hasattr(Tabular, method.name)
            if not inherited or (method.name in {"table", "verdict"} and len(ast.unparse(method.args)) > len("self")):
                first = (ast.get_docstring(method) or "").partition("\n\n")[0]
                shown = attribute(method) if is_property(method) else signature(method)
                yield f"- `{shown}`: {escaped(' '.join(first.split()))}"


def without_shared(node: ast.FunctionDef) -> ast.FunctionDef:
    """A function without the types of its shared keyword arguments."""
    shown, types = copy.deepcopy(node), types_of_shared()
    for one in shown.args.kwonlyargs:
        if one.arg in SHARED and one.annotation is not None and ast.unparse(one.annotation) == types[one.arg]:
            one.annotation = None
    return shown


def definition(value: type | FunctionType) -> ast.FunctionDef | ast.ClassDef:
    """Where a function or class is defined."""
    body = parsed(value.__module__).body
    return next(node for node in body if isinstance(node, DEFINITIONS) and node.name == value.__name__)


def signature(node: ast.FunctionDef | ast.ClassDef) -> str:
    """What the source has, on one line, without `self`."""
    if isinstance(node, ast.ClassDef):
        return f"class {node.name}({', '.join(map(ast.unparse, node.bases))})".replace("()", "")
    answer = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    arguments = re.sub(r"^(?:self|cls)(?:, |$)", "", ast.unparse(node.args))
    return f"{node.name}({arguments}){answer}"


def folded(shown: str) -> str:
    """A signature, with a line for each parameter if it is long."""
    if len(shown) <= 100 or (not shown.endswith(")") and ") -> " not in shown):
        return shown
    name, _, rest = shown.partition("(")
    inside, _, answer = rest.rpartition(") -> ") if ") -> " in rest else (rest[:-1], "", "")
    depths = itertools.accumulate((one in "([{") - (one in ")]}") for one in inside)
    ends = [i for i, (one, depth) in enumerate(zip(inside, depths, strict=True)) if one == "," and depth == 0]
    parts = [inside[start:end].strip(" ,") for start, end in itertools.pairwise([0, *ends, len(inside)])]
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), ")" + (f" -> {answer}" if answer else "")])


def is_property(node: ast.FunctionDef) -> bool:
    """Whether a method is read like an attribute."""
    return any(ast.unparse(one).split(".")[-1] in {"property", "cached_property"} for one in node.decorator_list)


def attribute(node: ast.FunctionDef) -> str:
    """A property as it is used: its name and its type, without parentheses."""
    return f"{node.name}: {ast.unparse(node.returns)}" if node.returns else node.name


def described(doc: str) -> str:
    """A docstring as Markdown: its sections as lists, what is returned as a paragraph."""
    lines: list[str] = []
    section = ""
    for line in doc.split("\n"):
        if SECTION.fullmatch(line):
            section = line[:-1]
            lines += ["", f"**{section}**", ""]
        elif match := ARGUMENT.fullmatch(line):
            lines.append(f"- `{match[1]}`: {escaped(match[2])}")
        else:
            lines.append(escaped(line.strip() if section in {"Returns", "Yields"} else line))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


SECTION = re.compile(r"(Args|Returns|Raises|Yields|Attributes|Example):")
ARGUMENT = re.compile(r" {4}([*\w]+): (.*)")
