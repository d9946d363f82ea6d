"""The shape of the source: who may import whom, how long things may be, and names that must agree."""

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

import levelhead
from levelhead import errors
from levelhead.messages import MESSAGES

ROOT = Path(levelhead.__file__).parent
PACKAGE = "levelhead"

LAYERS = (
    # from the bottom up: a room may import those below it and itself
    {"errors", "messages", "_version", "progress", "extras", "arguments", "immutable"},
    {"tables"},
    {"tabular"},
    {"kernels"},
    {"treebank"},
    {"interop"},
    {"scoring"},
    {"recovery"},
    {"significance"},
    {"derivation"},
    {"typology"},
    {"conversion"},
    {"jobs"},
    {"parsing"},
    {"measures"},
    {"evaluation"},
    {"correlation", "testing"},
    {"analysis"},
    {"campaign"},
    {"comparison"},
    {"report", "compat"},
    {"studies", "task"},
    {"api"},
    {"cli"},
    {"__main__", "__init__"},
)
LAYER_OF = {room: number for number, rooms in enumerate(LAYERS) for room in rooms}

WIDTH_OF_NAMES = 25
"""Of the first column of the diagram in the tour of the source."""


def test_the_tour_of_the_source_lists_rooms_from_the_top_down() -> None:
    """What a line of the diagram names is below what the lines before it name."""
    tour = (ROOT.parents[1] / "development/architecture.md").read_text(encoding="utf-8")
    diagram = tour.partition("## Rooms")[2].split("```")[1].splitlines()[1:]
    lines = [[LAYER_OF[room] for room in line[:WIDTH_OF_NAMES].split()] for line in diagram]
    assert len(lines) > 20
    assert [(above, below) for above, below in pairwise(lines) if min(above) < max(below)] == []


BAD_NAMES = {"utils", "util", "common", "base", "manager", "managers", "helpers", "helper", "core", "misc", "tools"}

FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
SOURCES = sorted(
    path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.suffix in {".py", ".pyx", ".pyi"}
)


def each(names: Iterable[str]) -> Callable[[Callable[[str], None]], Callable[[str], None]]:
    """Return a decorator that makes a check of one file a test for each room."""
    by_room: dict[str, list[str]] = {}
    for name in names:
        by_room.setdefault(name.partition("/")[0].removesuffix(".py"), []).append(name)

    def decorate(check: Callable[[str], None]) -> Callable[[str], None]:
        def test(room: str) -> None:
            for name in by_room[room]:
                check(name)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return pytest.mark.parametrize("room", by_room)(test)

    return decorate


EACH_FILE = each(FILES)


@cache
def text_of(name: str) -> str:
    """Return the text of a file of the package, read once."""
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def tree_of(name: str) -> ast.Module:
    """Return a file of the package as a tree, parsed once."""
    return ast.parse(text_of(name))


@cache
def imports_of(name: str) -> list[tuple[ast.AST, str]]:
    """Return what a file imports, each with its node, found once."""
    return [(node, full) for node in nodes_of(name) for full in imported(node)]


@cache
def nodes_of(name: str) -> tuple[ast.AST, ...]:
    """Return all nodes of a file's tree, found once."""
    return tuple(ast.walk(tree_of(name)))


def room_of(name: str) -> str:
    """Return the folder of a file, or the file itself at the top."""
    return name.partition("/")[0].removesuffix(".py")


def imported(node: ast.AST) -> Iterator[str]:
    """Give the full names of what a node imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert not node.level, "imports are absolute"
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Call) and "import_module" in {getattr(node.func, part, "") for part in ("attr", "id")}:
        name = node.args[0].values[0] if isinstance(node.args[0], ast.JoinedStr) else node.args[0]
        text = ast.literal_eval(name) if isinstance(name, ast.Constant) else ""
        yield text.rstrip(".") or PACKAGE


def rooms_imported_by(name: str) -> set[str]:
    """Return the rooms that a file imports anywhere, inside functions and for types as well."""
    parts = (full.split(".") for _, full in imports_of(name))
    own = {part[1] if len(part) > 1 else "__init__" for part in parts if part[0] == PACKAGE}
    return {room if room in LAYER_OF else "__init__" for room in own}


def test_every_room_has_a_layer() -> None:
    """A new room needs a place in the order."""
    assert {room_of(name) for name in FILES} == set(LAYER_OF)


@EACH_FILE
def test_imports_go_downwards(name: str) -> None:
    """No room knows a higher one, nor another in its own layer that knows it."""
    layer = LAYER_OF[room_of(name)]
    if room_of(name) not in {"__init__", "__main__"}:
        assert {room for room in rooms_imported_by(name) if LAYER_OF[room] > layer} == set()


RANDOM_ROOMS = {"significance", "parsing", "typology/vocabulary.py"}
"""Inference, training, and rarefaction."""

RANDOM_DRAWS = re.compile(r"default_rng|SeedSequence|\b(np|numpy)\.random\b|^ *(import|from) random\b", re.MULTILINE)


@each(name for name in FILES if not {name, room_of(name)} & RANDOM_ROOMS)
def test_only_significance_draws_for_inference(name: str) -> None:
    """Everything else requests a distribution and holds no random generator."""
    assert not RANDOM_DRAWS.search(text_of(name))


def test_no_circles_inside_a_layer() -> None:
    """Two rooms of one layer do not import one another."""
    uses = {room: set() for room in LAYER_OF}
    for name in FILES:
        uses[room_of(name)] |= rooms_imported_by(name) - {room_of(name)}
    assert {(one, other) for one in uses for other in uses[one] if one in uses[other]} == set()


LOADS_BY_NAME = {"__init__.py", "cli/__init__.py"}
"""They load public names and commands when they are first used."""


def modules_imported_by(name: str) -> set[str]:
    """Return the files that a file imports, inside functions as well, but not for types only."""
    for_types = {
        id(part)
        for node in nodes_of(name)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for child in node.body
        for part in ast.walk(child)
    }
    modules = set()
    for node, full in imports_of(name):
        if id(node) not in for_types:
            parts = full.split(".")[1:]
            endings = [
                f"{'/'.join(parts[:n])}{end}" for n in range(len(parts), 0, -1) for end in (".py", "/__init__.py")
            ]
            modules |= set([file for file in endings if file in FILES][:1])
    return modules - {name}


def test_no_circles_of_files() -> None:
    """No file imports itself by way of others, imports inside functions included."""
    reached = {name: modules_imported_by(name) for name in FILES if name not in LOADS_BY_NAME}
    grows = True
    while grows:
        sizes = {name: len(files) for name, files in reached.items()}
        reached = {name: files.union(*(reached.get(file, set()) for file in files)) for name, files in reached.items()}
        grows = sizes != {name: len(files) for name, files in reached.items()}
    circles = {
        frozenset(file for file in files if name in reached.get(file, ()))
        for name, files in reached.items()
        if name in files
    }
    assert not circles


@EACH_FILE
def test_imports_from_other_rooms_are_of_public_names(name: str) -> None:
    """A name with an underscore is nobody else's business, the version apart."""
    names = [full for _, full in imports_of(name) if full.startswith(f"{PACKAGE}.")]
    parts = [part for full in names for part in full.split(".") if part.startswith("_") and part != "_version"]
    assert parts == []


@each(SOURCES)
def test_names_say_what_things_are(name: str) -> None:
    """No file or folder is named for being left over."""
    assert not {*name.replace(".", "/").split("/")} & BAD_NAMES


@each(SOURCES)
def test_files_are_short(name: str) -> None:
    """Five hundred lines at most."""
    assert len(text_of(name).splitlines()) <= 500


FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@EACH_FILE
def test_functions_are_short(name: str) -> None:
    """Sixty lines of body at most, without the docstring."""
    for node in nodes_of(name):
        if isinstance(node, FUNCTIONS):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            n_lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            assert n_lines <= 60, f"{name}:{node.lineno} {node.name} has {n_lines} lines"


@EACH_FILE
def test_modules_and_classes_are_explained(name: str) -> None:
    """`test_public_names` checks the functions of the reference."""
    assert ast.get_docstring(tree_of(name)) or name == "_version.py"
    classes = [node for node in nodes_of(name) if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    assert [node.name for node in classes if not ast.get_docstring(node)] == []


AT_THE_ROOT = {
    "__init__", "__main__", "_version", "arguments", "errors", "extras", "immutable", "messages", "progress", "tabular",
}  # fmt: skip
"""Modules that every room may use, and so belong to none."""


def test_other_modules_are_in_rooms() -> None:
    assert {path.stem for path in ROOT.glob("*.py")} == AT_THE_ROOT


def test_no_two_public_classes_share_a_name() -> None:
    """The names of the official scripts are theirs."""
    names = [
        node.name
        for name in FILES
        if room_of(name) != "compat"
        for node in tree_of(name).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert sorted(name for name in set(names) if names.count(name) > 1) == []


def test_the_public_names_are_what_is_importable() -> None:
    """The list is sorted, complete, and holds nothing that is not there or that is something else of the same name."""
    for_types, _ = (node for node in tree_of("__init__.py").body if isinstance(node, ast.If))
    nodes = [node for node in for_types.body if isinstance(node, ast.ImportFrom)]
    sources = {
        alias.asname or alias.name: getattr(importlib.import_module(node.module), alias.name)
        for node in nodes
        for alias in node.names
        if node.module.startswith(PACKAGE)
    }
    sources["__version__"] = levelhead._version.VERSION
    assert list(levelhead.__all__) == sorted(sources)
    assert {name: getattr(levelhead, name) for name in levelhead.__all__} == sources
    assert set(levelhead.__all__) <= set(dir(levelhead))
    assert not hasattr(levelhead, "no_such_name")


def test_a_star_import_gives_the_public_names() -> None:
    """And nothing else."""
    names: dict[str, object] = {}
    exec(f"from {PACKAGE} import *", names)
    assert set(names) - {"__builtins__"} == set(levelhead.__all__)


@pytest.mark.parametrize(
    "room",
    ["treebank", "scoring", "correlation", "report", "cli", "derivation", "conversion", "typology", "jobs", "campaign"],
)
def test_the_public_names_of_rooms(room: str) -> None:
    """Each room lists them in order, and they are there."""
    module = importlib.import_module(f"{PACKAGE}.{room}")
    assert sorted(module.__all__) == sorted(set(module.__all__))
    assert all(hasattr(module, name) for name in module.__all__)


# Slugs

SLUG = re.compile(r"[a-z]+(-[a-z]+)*")


def slug_positions() -> dict[str, int]:
    """Find every function and class of the package with a parameter `slug`, and where it stands."""
    found = {}
    for name in FILES:
        for node in nodes_of(name):
            if isinstance(node, FUNCTIONS):
                names = [argument.arg for argument in node.args.args if argument.arg != "self"]
                if "slug" in names and node.name != "__init__":
                    found[node.name] = names.index("slug")
    kinds = [kind for kind in vars(errors).values() if inspect.isclass(kind)]
    found |= {kind.__name__: 1 for kind in kinds if issubclass(kind, errors.LevelheadError)}
    found |= {kind.__name__: 0 for kind in kinds if issubclass(kind, errors.InputError)}
    return found | {"Fault": 0}


def literal_slugs(name: str, positions: dict[str, int]) -> Iterator[str]:
    """Give the slugs written in a file: arguments named so, keyword arguments, and tables named for slugs."""
    for node in nodes_of(name):
        if isinstance(node, ast.Call):
            function = ast.unparse(node.func).rpartition(".")[2]
            values = [keyword.value for keyword in node.keywords if keyword.arg == "slug"]
            if function in positions and len(node.args) > positions[function]:
                values.append(node.args[positions[function]])
            yield from (v.value for v in values if isinstance(v, ast.Constant))
        elif isinstance(node, ast.Assign) and "slug" in ast.unparse(node.targets[0]).lower():
            texts = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
            yield from (text for text in texts if isinstance(text, str) and SLUG.fullmatch(text))


def test_every_slug_used_is_explained() -> None:
    """A fault or error without an entry in the messages would leave people alone."""
    positions = slug_positions()
    used = {slug: name for name in FILES for slug in literal_slugs(name, positions)}
    assert len(used) > 30
    assert {slug: name for slug, name in used.items() if slug not in MESSAGES} == {}


def test_every_slug_explained_is_used() -> None:
    """An entry that nothing raises explains what cannot happen."""
    texts = {
        node.value
        for name in FILES
        if name != "messages.py"
        for node in nodes_of(name)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(MESSAGES) - texts == set()


def test_messages_are_sentences() -> None:
    """Each says what it means and what to do, under a name of lower-case words."""
    for slug, message in MESSAGES.items():
        assert SLUG.fullmatch(slug)
        assert message.severity in {"error", "warning"}, slug
        assert message.meaning.endswith("."), slug
        assert message.remedy.endswith("."), slug


def public_classes() -> Iterator[tuple[str, str]]:
    """Give the public classes of the library with their files, but for copies of the official scripts' own names."""
    for name in FILES:
        if room_of(name) not in {"compat", "cli"}:
            yield from ((node.name, name) for node in tree_of(name).body if isinstance(node, ast.ClassDef))


def test_public_classes_have_names_of_their_own() -> None:
    """One public name means one thing."""
    files: dict[str, list[str]] = {}
    for name, file in public_classes():
        files.setdefault(name, []).append(file)
    assert {name: some for name, some in files.items() if len(some) > 1 and not name.startswith("_")} == {}
