"""What the documentation shows beside its sessions: commands in other blocks, the notebook, the pages of studies."""

import json
import pkgutil
import re
import shlex
from pathlib import Path

import click
import pytest

from conftest import script
from documentation import INLINE, PAGES, ROOT, rows_on
from levelhead.cli import program
from levelhead.studies import STUDIES
from levelhead.treebank.relations import UD1

DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(sh|console|text|yaml)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def commands(text: str) -> list[str]:
    """Every `levelhead ...` of a page, with continued lines put together."""
    blocks = [(kind, text.replace("\\\n", " ").splitlines()) for kind, text in BLOCK.findall(text)]
    lines = [line for kind, lines in blocks for line in lines if kind != "console" or line.startswith("$ ")]
    shown = [line.strip().removeprefix("$ ").removeprefix("- run: ") for line in lines]
    return [line for line in shown if line.startswith("levelhead ")] + INLINE.findall(text)


def unknown(command: str) -> list[str]:
    """The verb or the options of a command that do not exist."""
    words = shlex.split(re.split(r" [|>] | && |; ", command)[0].replace("...", ""), comments=True)[1:]
    current: click.Command = program.cli
    context = click.Context(program.cli)
    while isinstance(current, click.Group) and words and not words[0].startswith("-"):
        found = current.get_command(context, words[0])
        if found is None:
            return [] if words[0] in {"VERB", "measures"} or words[0].startswith("{") else [words[0]]
        current, words = found, words[1:]
    known = {name for parameter in current.params for name in (*parameter.opts, *parameter.secondary_opts)}
    known |= {"--help", "-h", "--version"}
    asked = [word.partition("=")[0] for word in words if re.fullmatch(r"--?[a-zA-Z][\w-]*", word.partition("=")[0])]
    return [word for word in asked if word not in known]


@pytest.mark.parametrize("page", PAGES, ids=[path.name for path in PAGES])
def test_commands_that_are_shown_exist(page: Path) -> None:
    """They are run as well: sessions by test_readme, others by test_snippets."""
    shown = commands(page.read_text(encoding="utf-8"))
    assert [(command, missing) for command in shown if (missing := unknown(command))] == []


def test_a_command_that_does_not_exist_is_found() -> None:
    assert commands("```sh\nlevelhead scor a b\nlevelhead score \\\n  --color a b\n```\n`levelhead rank x`") == [
        "levelhead scor a b", "levelhead score    --color a b", "levelhead rank x",
    ]  # fmt: skip
    assert unknown("levelhead scor a b") == ["scor"]
    assert unknown("levelhead score --color -m LAS a b | head") == ["--color"]


def test_the_saved_outputs_of_the_notebook_are_those_of_the_code(tmp_path: Path) -> None:
    """Every code cell runs and has its output saved; tables and drawings among them."""
    notebook = script("notebook.py")
    saved = notebook.NOTEBOOK.read_text(encoding="utf-8")
    made = json.dumps(notebook.executed(json.loads(saved)), ensure_ascii=False, indent=1) + "\n"
    assert notebook.without_versions(made) == notebook.without_versions(saved)
    cells = [cell for cell in json.loads(saved)["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] for cell in cells)
    kinds = [kind for cell in cells for output in cell["outputs"] for kind in output.get("data", ())]
    assert kinds.count("text/html") >= 6
    assert kinds.count("image/svg+xml") == 2
    assert str(tmp_path.parent) not in saved


@pytest.mark.parametrize("name", STUDIES)
def test_pages_of_studies(name: str) -> None:
    """Results only: each has its claims, its figures are there, and no text of treebanks is."""
    page = (DOCS / "studies" / f"{name}.md").read_text(encoding="utf-8")
    for figure in re.findall(r"\]\(([^)]+\.svg)\)", page):
        assert (DOCS / "studies" / figure).read_text(encoding="utf-8").startswith("<svg")
    assert "## Claims" in page
    assert "quick:yes" not in page
    assert page.rstrip().split("\n")[-1].startswith("`seed:1|")


def test_callin_draws_every_relation_of_his_table() -> None:
    tables = ("Table 2: classes of relations", "Figure 2: averaged word dependency entropy")
    rows = [row for title in tables for row in rows_on("callin", title)]
    relations = {row[0] for row in rows if row[1] in {"CONTENT", "FUNCTION", "OTHER"}}
    assert len(relations) > 35
    assert relations - UD1 == set()


def exists(name: str) -> bool:
    """Whether a name such as `evaluation.fold.fold`, of a module or of something in it, is found in the package."""
    try:
        return bool(pkgutil.resolve_name(f"levelhead.{name}"))
    except (ImportError, AttributeError):
        return False


def test_the_tour_of_the_source_names_what_exists() -> None:
    text = (ROOT / "development/architecture.md").read_text(encoding="utf-8")
    names = re.findall(r"`([a-z_]+(?:\.\w+)*)`", text)
    assert len(names) > 30
    assert [name for name in names if name not in {"fold", "compare"} and not exists(name)] == []
    assert not exists("evaluation.fold.fold_everything")
    assert len(text.split()) <= 900


def test_the_tour_of_the_source_lists_every_room() -> None:
    rooms = (ROOT / "development/architecture.md").read_text(encoding="utf-8").partition("## Rooms")[2]
    folders = {path.parent.name for path in (ROOT / "src/levelhead").glob("*/__init__.py")}
    assert [room for room in sorted(folders) if not re.search(rf"\b{room}\b", rooms)] == []
