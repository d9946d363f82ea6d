"""The documentation says what the code says: generated pages are fresh, names and links on the others exist."""

import importlib
import inspect
import re
from functools import cache

import click
import pytest

import levelhead
from conftest import ROOT, script
from levelhead import compat
from levelhead._version import VERSION
from levelhead.api.results import _CLASSES as RESULTS, kinds
from levelhead.cli import program
from levelhead.measures.registry import REGISTRY
from levelhead.messages import MESSAGES

DOCS = ROOT / "docs"


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


SCRIPT = script("docs.py")
COMMANDS = script("commands.py")
REFERENCE = script("reference.py")
FORMATS = script("formats.py")


pages = cache(SCRIPT.pages)


def test_generated_pages_are_fresh() -> None:
    stale = [name for name, text in pages().items() if text_of(f"docs/{name}") != text]
    assert stale == [], "run python scripts/docs.py"


def test_stale_pages_are_told_and_written(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(SCRIPT, "DOCS", tmp_path)
    monkeypatch.setattr(SCRIPT, "pages", pages)
    assert SCRIPT.main(["--check"]) == 1
    assert "docs/commands/score.md is not what the code says" in capsys.readouterr().err
    assert SCRIPT.main([]) == 0
    assert SCRIPT.main(["--check"]) == 0
    (tmp_path / "messages.md").write_text("else", encoding="utf-8")
    assert SCRIPT.main(["--check"]) == 1
    assert (tmp_path / "messages.md").read_text(encoding="utf-8") == "else"


def test_a_part_of_a_page_is_written_between_its_comments(tmp_path) -> None:
    page = tmp_path / "page.md"
    page.write_text("One\n\n<!-- docs.py: rows -->\n\nold\n\n<!-- end -->\n\nTwo\n", encoding="utf-8")
    expected = "One\n\n<!-- docs.py: rows -->\n\nnew\n\n<!-- end -->\n\nTwo\n"
    assert SCRIPT.with_part(page, "rows", "new\n") == expected
    with pytest.raises(ValueError, match=r"page\.md has no lines <!-- docs\.py: columns --> and <!-- end -->"):
        SCRIPT.with_part(page, "columns", "new\n")
    assert "| sentences | sizes |" in pages()["profile-columns.md"]


def test_every_slug_and_measure_has_an_anchor() -> None:
    pages_of_messages = "".join(text_of(f"docs/messages{part}.md") for part in ("", "-sentences", "-scores", "-other"))
    assert sorted(re.findall(r"^### (\S+)$", pages_of_messages, re.MULTILINE)) == sorted(MESSAGES)
    assert "\n### root-relation\n\nWarning. " in pages_of_messages
    pages_of_measures = "".join(text_of(f"docs/measures{part}.md") for part in ("", "-tags", "-more"))
    assert sorted(re.findall(r"^### (\S+)$", pages_of_measures, re.MULTILINE)) == sorted(REGISTRY)


@pytest.mark.parametrize("verb", program.COMMANDS)
def test_every_option_is_on_the_page(verb: str) -> None:
    context = click.Context(program.cli)
    command = program.cli.get_command(context, verb)
    assert command is not None
    section = text_of(f"docs/commands/{verb}.md").partition("\n## Result: ")[0]
    commands = list(command.commands.values()) if isinstance(command, click.Group) else [command]
    parameters = [parameter for one in commands for parameter in one.params if isinstance(parameter, click.Option)]
    names = [max(parameter.opts, key=len) for parameter in parameters if not parameter.hidden]
    assert names
    shared = section + all_of_groups(section)
    taken = set(re.findall(r"`(--[\w-]+)`", shared))
    described = {name: shared + shared_options() * (name in taken) for name in names}
    assert [name for name, text in described.items() if not re.search(rf"^- `[^`]*{name}\b", text, re.MULTILINE)] == []


def all_of_groups(section: str) -> str:
    """The descriptions of the groups of shared options that a command takes completely."""
    titles = re.findall(r"\[([\w ]+)\]\(index\.md#[\w-]+\) all", section)
    groups = {part.partition("\n")[0].lower(): part for part in shared_options().split("\n### ")}
    return "".join(groups[title] for title in titles)


def shared_options() -> str:
    return pages()["commands/index.md"].partition("\n## Shared options\n")[2]


def test_options_with_the_same_text_are_described_once() -> None:
    """Unless the shared option of the name is another; if only the default differs, that is all a command shows."""
    every = "\n".join(text for name, text in pages().items() if name.startswith("commands/"))
    lines = re.findall(r"^- `--?\w.*$", every, re.MULTILINE)
    assert [line for line in lines if "None" in line] == []
    repeated = {re.findall(r"--\w+", line)[0] for line in lines if lines.count(line) > 1}
    assert len(lines) > 150
    assert repeated == {"--format", "--measure"}
    assert re.findall(rf"^- `[^`]*({'|'.join(repeated)})\b", shared_options(), re.MULTILINE) == [
        "--measure",
        "--format",
    ]
    assert "\n- `--format [tsv|jsonl|json]`: [default: tsv]\n" in every
    assert "\n- `--title TEXT`: Title of the task [default: A shared task]\n" in every
    assert "\n- `--title TEXT`: Heading of the --report page\n" in shared_options()


def test_groups_of_commands_are_documented_below_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.group()
    def judge() -> None:
        """Ask *people*."""

    @judge.command()
    @click.option("--seed", type=int, default=1, show_default=True, help="Where chance begins, a|b.")
    @click.option("--secret", hidden=True)
    def draw() -> None:
        """Draw sentences of at least <N> words: `-n N`.

        \b
        one
        two
        """

    @judge.command(hidden=True)
    def test() -> None:
        """Not shown."""

    monkeypatch.setattr(program, "example_of", "{} --seed 2".format)
    context = click.Context(judge, info_name="judge", parent=click.Context(program.cli, info_name="levelhead"))
    page = "\n".join(COMMANDS.command_blocks(judge, context, COMMANDS.shared_options(judge, context)))
    assert page.startswith("Ask \\*people\\*.\n## levelhead judge draw\n")
    assert "at least &lt;N> words: `-n N`.\n```sh\nlevelhead judge draw --seed 2\n```\n" in page
    assert "\n`levelhead judge draw`\n```text\none\ntwo\n```\n" in page
    assert "- `--seed INTEGER`: Where chance begins, a|b. [default: 1]" in page
    assert "secret" not in page
    assert "levelhead judge test" not in page


def test_every_page_is_in_the_navigation() -> None:
    named = re.findall(r"^ +- .*: (\S+\.md)$", text_of("mkdocs.yml"), re.MULTILINE)
    assert sorted(named) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


@pytest.mark.parametrize(
    "page",
    ["README.md", "CONTRIBUTING.md"]
    + [
        path.relative_to(ROOT).as_posix()
        for folder in ("docs", "development")
        for path in sorted((ROOT / folder).rglob("*.md"))
    ],
)
def test_links_to_files_lead_somewhere(page: str) -> None:
    prose = re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)
    links = set(re.findall(r"\]\(([^):#]+)(?:#[^)]*)?\)", prose)) - {"example-report/index.html"}  # made with the site
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).is_file()] == []
    included = re.findall(r'^--8<-- "(.*)"$', prose, re.MULTILINE)
    assert [path for path in included if not (ROOT / path).is_file()] == []


def test_hook_and_action_are_as_the_page_says() -> None:
    page, action = text_of("docs/ci.md"), text_of("action.yml")
    (hook,) = re.findall(r"- id: (\S+)", page)
    assert f"- id: {hook}\n" in text_of(".pre-commit-hooks.yaml")
    given = re.findall(r"^    (\S+): ", page.partition("  with:\n")[2].partition("```")[0], re.MULTILINE)
    inputs = re.findall(r"^  (\S+):$", action.partition("inputs:\n")[2].partition("runs:\n")[0], re.MULTILINE)
    assert len(given) == 9
    assert {*given, "version"} == set(inputs)
    assert set(re.findall(r"levelhead@v([0-9.]+)|rev: v([0-9.]+)", page)) == {(VERSION, ""), ("", VERSION)}


def test_names_of_the_official_scripts_are_as_the_page_says() -> None:
    listed = text_of("docs/migration.md").partition("Other names are also available")[2].partition("\n\n")[0]
    names = re.findall(r"`(\w+)`", listed)
    assert len(names) == 9
    assert {*names, "load_conllu_file", "evaluate", "UDError", *SCRIPT_COLUMNS} == set(compat.__all__)


SCRIPT_COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()


def test_version_is_the_same_everywhere() -> None:
    assert f"\nversion: {VERSION}\n" in text_of("CITATION.cff")
    assert f"\n## {VERSION} " in text_of("CHANGELOG.md")


def test_properties_are_shown_as_attributes() -> None:
    """`evaluation.warnings` is no call; `profile.number(...)` is one."""
    (attributes,) = re.findall(r"^Attributes: `scores`.*$", pages()["api/scoring.md"], re.MULTILINE)
    assert "`warnings`" in attributes.partition(" Methods: ")[0]
    assert "`table(*, counts=False, measures=())`" in attributes.partition(" Methods: ")[2]
    assert "to_frame" not in attributes, "all results have it"
    assert " `number(name)`" in pages()["api/treebanks.md"]


def test_an_entry_is_short_and_help_has_the_rest() -> None:
    """Fields of records are described with the commands, arguments in `help`, shared ones among them."""
    entry = pages()["api/scoring.md"].partition("\n## levelhead.score\n")[2].partition("\n## ")[0]
    assert "\n`score(gold, system, *, measures=None, rules='ud', " in entry
    assert ") -> Evaluation`\n\nA system's scores, " in entry
    assert "- `rules`" not in entry
    assert "help(levelhead.score)" in pages()["api/index.md"]
    described = inspect.getdoc(levelhead.score) or ""
    assert [name for name in inspect.signature(levelhead.score).parameters if f"    {name}: " not in described] == []
    line = "- `Gain`: A system's gain over the baseline on words with the same properties."
    fields = "Fields: `gains` of [breakdown](../commands/breakdown.md#result-breakdown)."
    assert f"\n{line} {fields}\n" in pages()["api/breakdowns.md"]


def test_tables_of_results_are_on_the_pages_of_commands() -> None:
    """Each kind of result is on one page, with all its tables and columns; those of many tables are described once."""
    for kind in kinds():
        address, _, anchor = FORMATS.address(kind).partition("#")
        title = kind if address == "formats.md" else f"Result: {kind}"
        assert anchor == title.lower().replace(": ", "-")
        section = pages()[address].partition(f"\n## {title}\n")[2].partition("\n## ")[0]
        tables = set(re.findall(r"^\*\*([^*]+)\*\*", section, re.MULTILINE))
        tables |= set(" ".join(re.findall(r"\(../formats.md#shared-tables\): (.*)\.", section)).split(", "))
        assert set(levelhead.columns(kind)) == tables - {""}, kind
    shared = pages()["formats.md"].partition("\n## Shared columns\n")[2]
    assert "\n- `treebank`: " in shared
    assert "\n**coverage**: `treebank`\n" in shared
    assert sum("\n- `treebank`: " in text for text in pages().values()) == 1


def listed() -> list[tuple[str, object]]:
    """The names on the pages of the reference."""
    topics = REFERENCE.TOPICS.values()
    return [pair for topic in topics for names in (topic.entries, topic.lines) for pair in REFERENCE.named(names)]


def test_every_public_name_is_on_one_page() -> None:
    """The names of the package, and the results of its functions, have entries."""
    names = listed()
    assert len(names) == len({id(value) for _, value in names}) > 200
    entries = {name for topic in REFERENCE.TOPICS.values() for name, _ in REFERENCE.named(topic.entries)}
    headings = re.findall(r"^## (levelhead\.[\w.]+)$", "\n".join(pages().values()), re.MULTILINE)
    assert sorted(entries) == sorted(headings)
    assert {f"levelhead.{name}" for name in levelhead.__all__} - entries == {"levelhead.__version__"}
    results = {f"levelhead.{name.replace(':', '.')}" for name in RESULTS.values()}
    defined = {f"{value.__module__}.{value.__name__}" for name, value in names if name in entries}
    assert results - defined == INTERNAL


INTERNAL = {
    "levelhead.api.listings.Installation", "levelhead.api.listings.MeasureList",
    "levelhead.api.listings.ProfileColumnList", "levelhead.api.listings.SchemeList",
    "levelhead.conversion.round_trip.RoundTrips",
    "levelhead.task.documents.Submissions", "levelhead.task.standings.Leaderboard",
}  # fmt: skip
"""Results of commands that no public function returns."""


def test_names_that_pages_import_are_on_the_pages_of_the_reference() -> None:
    known = {f"{value.__module__}.{value.__name__}" for _, value in listed()}
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *DOCS.glob("*.md"))]
    imports = {
        pair
        for text in texts
        for pair in re.findall(r"^(?:>>> )?from (levelhead[\w.]*) import (.*)$", text, re.MULTILINE)
    }
    assert len(imports) > 8
    values = [getattr(importlib.import_module(module), name) for module, names in imports for name in names.split(", ")
              if " as " not in name and not name.isupper()]  # fmt: skip
    defined = {f"{value.__module__}.{value.__name__}" for value in values if not inspect.ismodule(value)}
    assert defined - known == set()


def test_every_page_of_the_reference_is_in_the_navigation() -> None:
    navigation = text_of("mkdocs.yml")
    assert all(navigation.count(f": {name}\n") == 1 for name in pages() if name.startswith("api/"))


def test_the_default_measures_in_help_are_those_computed(capfd) -> None:
    """`compare` has its own: UAS, LAS and CLAS, whatever the rules' scorer prints; `score` has the scorer's."""
    examples = ROOT / "examples/parallel"
    gold, alpha, beta = (examples / part / "en.conllu" for part in ("gold", "systems/alpha", "systems/beta"))
    for command, default in (
        ("score", "all measures that the official scorer prints"),
        ("compare", "UAS, LAS and CLAS; with the rules msp25: all official measures"),
    ):
        section = pages()[f"commands/{command}.md"]
        text = shared_options() if "`--measure`" in section else section
        assert re.search(rf"^- `-m, --measure MEASURE,\.\.\.`:.* \[default: {default}\]", text, re.MULTILINE)
    assert program.run(["compare", str(gold), str(alpha), str(beta), "--format", "tsv"]) == 0
    rows = [line.split("\t") for line in capfd.readouterr().out.splitlines()]
    assert list(dict.fromkeys(row[1] for row in rows[1:])) == ["UAS", "LAS", "CLAS"]
