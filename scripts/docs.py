"""Write the reference pages of the documentation from the code: measures, commands, messages, formats, Python.

python scripts/docs.py            writes the pages of measures, messages and formats, those of commands and of Python,
                                  and the table of columns in docs/profile-columns.md
python scripts/docs.py --check    writes nothing; exits with 1 if a page is not what the code says
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from levelhead import score
from levelhead.measures.registry import MEASURE_GROUPS, REGISTRY
from levelhead.messages import MESSAGES
from levelhead.scoring.measure import EMPTY_NODES, Definition
from levelhead.scoring.measure_definitions import MeasureGroup
from levelhead.scoring.rules import RULES, Rules
from levelhead.tables import writers
from levelhead.tables.writers import folded
from levelhead.treebank import faults_of
from levelhead.typology.profile_columns import columns_table

sys.path.insert(0, str(Path(__file__).parent))
from commands import command_pages
from formats import ABOUT_FORMATS, escaped, formats
from reference import reference

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
INVALID = "examples/pud/systems/eager/fi_pud.conllu"
NOTE = "<!--scripts/docs.py-->\n"

COLUMNS = {"lemmas": "LEMMA"}
"""Columns whose names in CoNLL-U are not those in Python."""

ABOUT_MEASURES = """
What each measure counts, where it comes from, and whether to report it. `levelhead measures LAS` prints the same.
There are also [measures of segmentation and tags](measures-tags.md), and [more measures](measures-more.md): weighted
LAS, enhanced graphs, empty nodes, whole sentences, perplexity.

A measure has the same name everywhere: in the shell (`-m`), in Python, in tables and in JSON. `LAS(full)` has an
argument. Most can be restricted to [classes of relations](classes.md#how-a-measure-is-written), as in `LAS@CORE`, or
name a ratio, as in `CLAS.recall`:

| ratio | meaning |
| --- | --- |
| `precision` | correct / number in the system |
| `recall` | correct / number in gold |
| `f1` | harmonic mean of both; the default |
| `aligned_accuracy` | correct / words aligned with a gold word; AligndAcc in tables, as in the official scripts |

If a definition ends in "/ words", precision divides by the system's words and recall by gold's. If there is nothing to
count, the value is missing: a dash in tables, null in JSON (0.00 under the rules of the official scorers).

Examples are the scores of `systems/alpha/en.conllu` in `examples/parallel`.
"""

ABOUT_OTHERS = """
[Measures](measures.md) explains how to read these entries.
"""
ABOUT_WEIGHTS = "In the examples, the file of weights has the lines `det 0.1`, `nsubj 0.9` and `obj 0.9`.\n"

ABOUT_MESSAGES = f"""
What errors and warnings mean, and what to do about them. As in messages of compilers, the file and the line come first,
so that editors can jump there, then the name of the error and what is wrong.

```text
{folded(str(faults_of(ROOT / INVALID)[0].in_file("eager/fi_pud.conllu")), 100)}
```

The names of errors never change; in Python, each fault in `error.faults` has its name as `slug`. A file with an error
cannot be used; a file with only warnings is scored. Other messages are about
[sentences and words](messages-sentences.md), [scores](messages-scores.md), and
[parsers, shared tasks and others](messages-other.md).
"""


ABOUT_OTHER_MESSAGES = "\n[Messages about files](messages.md) explains what messages look like.\n"


def main(arguments: list[str]) -> int:
    """Write the pages, or only compare them."""
    made = pages()
    stale = [name for name, text in made.items() if not is_fresh(DOCS / name, text)]
    if "--check" in arguments:
        for name in stale:
            print(f"docs/{name} is not what the code says: run python scripts/docs.py", file=sys.stderr)
        return 1 if stale else 0
    for name in stale:
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(made[name], encoding="utf-8")
        print(f"docs/{name}")
    return 0


def is_fresh(path: Path, text: str) -> bool:
    """Whether a page is there and says this."""
    return path.is_file() and path.read_text(encoding="utf-8") == text


def pages() -> dict[str, str]:
    """Return the generated pages by file name."""
    return {
        "measures.md": page("Measures", ABOUT_MEASURES, [*measures(MAIN), *measures_by_rules()]),
        "measures-tags.md": page("Measures of segmentation and tags", ABOUT_OTHERS, measures(TAGS)),
        "measures-more.md": page("More measures", ABOUT_OTHERS + ABOUT_WEIGHTS, measures(MORE)),
        **{f"commands/{name}.md": page(*parts) for name, *parts in command_pages()},
        **{f"{name}.md": page(*parts) for name, *parts in message_pages()},
        "formats.md": page("Output formats", ABOUT_FORMATS, formats()),
        "profile-columns.md": with_part(
            ROOT / "docs/profile-columns.md", "columns", writers.to_markdown(columns_table())
        ),
        **{f"api/{name}.md": page(*parts) for name, parts in reference().items()},
    }


def page(title: str, about: str, blocks: Iterable[str]) -> str:
    """Put a page together: blocks are separated by blank lines."""
    return "\n\n".join([f"# {title}\n\n{NOTE}{about}".rstrip(), *blocks]) + "\n"


def with_part(path: Path, name: str, text: str) -> str:
    """Return a page that is written by hand, except for the part between two comments, which is this text."""
    start, end = f"<!-- docs.py: {name} -->\n\n", "\n<!-- end -->\n"
    before, _, rest = path.read_text(encoding="utf-8").partition(start)
    if end not in rest:
        raise ValueError(f"{path} has no lines {start.strip()} and {end.strip()}")
    return f"{before}{start}{text}{end}{rest.partition(end)[2]}"


def groups_with(*names: str) -> list[MeasureGroup]:
    """The groups of measures that have one of these measures."""
    return [group for group in MEASURE_GROUPS if {one.name for one in group.definitions}.intersection(names)]


MAIN, TAGS = groups_with("LAS", "CLAS", "MLAS"), groups_with("Words", "UPOS")
MORE = [group for group in MEASURE_GROUPS if group not in MAIN + TAGS]
"""The groups of measures by page: most users need the main ones."""


def measures(groups: Iterable[MeasureGroup]) -> Iterator[str]:
    """Each measure in its group, with advice; what all measures of a group have in common is said once."""
    for group in groups:
        yield f"## {group.title}"
        sources = {definition.source for definition in group.definitions}
        in_common = len(sources) == 1 and len(group.definitions) > 1
        of_nodes = all(EMPTY_NODES in (definition.columns or ()) for definition in group.definitions)
        needs = " These measures have no value if gold has no empty nodes." if of_nodes else ""
        yield escaped(group.advice) + needs + (f" Source: {escaped(sources.pop())}." if in_common else "")
        for definition in group.definitions:
            yield f"### {definition.name}"
            yield "\n".join([escaped(definition.meaning), "", *facts(definition, in_common)])


def measures_by_rules() -> Iterator[str]:
    """Which rules print which measures; measures that are treated alike are in one row."""
    yield "## Measures by rules"
    yield (
        "Yes: printed by default. If in gold: printed by default if gold has empty nodes. With -m: printed if"
        " requested. No: not available. [Rules](rules.md) explains the columns."
    )
    names = dict.fromkeys(name for rules in RULES.values() for name in rules.measures) | dict.fromkeys(REGISTRY)
    rows: dict[tuple[str, ...], list[str]] = {}
    for name in in_order(names):
        rows.setdefault(tuple(printed(name, rules) for rules in RULES.values()), []).append(name)
    yield table(["measures", *RULES], ([", ".join(alike), *how] for how, alike in rows.items()))


def in_order(names: Iterable[str]) -> list[str]:
    """Names in the order of the registry, one with an argument behind the one without."""
    order = list(REGISTRY)
    return sorted(names, key=lambda name: (order.index(name.partition("(")[0]), name))


def printed(name: str, rules: Rules) -> str:
    """Whether rules print a measure."""
    if name in rules.measures:
        return "yes"
    if name in rules.of_empty_nodes:
        return "if in gold"
    return "with -m" if rules.defines(name.partition("(")[0]) and not rules.content else "no"


def facts(definition: Definition, source_is_known: bool) -> Iterator[str]:
    """What is correct of what, and the rest."""
    yield f"- Counts: {escaped(definition.formula)}"
    if definition.argument is not None:
        yield f"- Argument: {escaped(argument(definition))}"
    if definition.columns:
        if EMPTY_NODES not in definition.columns:
            columns = " or ".join(COLUMNS.get(column, column.upper()) for column in definition.columns)
            yield f"- Under `ud`, no value if gold has no {columns}"
        elif len(definition.columns) > 1:
            yield f"- No value if gold has no {definition.columns[-1]}"
    if not source_is_known:
        yield f"- Source: {escaped(definition.source)}"
    if (example := worked(definition)) is not None:
        yield f"- Example: {example}"


def argument(definition: Definition) -> str:
    """What the argument of a measure means; if an earlier measure has the same one, its name."""
    earlier = takewhile(lambda one: one is not definition, REGISTRY.values())
    text = definition.argument or ""
    same = next((one for one in earlier if one.argument and one.argument in text), None)
    return text.replace(same.argument or "", f"see [{same.name}](#{same.name.lower()})") if same else text


def worked(definition: Definition) -> str | None:
    """The measure on a pair of example files, with the numbers behind it."""
    text = WORKED.get(definition.name, definition.name)
    files = [ROOT / path for path in EXAMPLE]
    if not text:
        return None
    if definition.name == "DPPL":  # it needs a language model
        value = next(iter(score(*files, measures=[f"DPPL({files[0]})"]).values())).value
        return f"`DPPL(gold/en.conllu)` is {value:.2f}, with a model trained on the gold file itself"
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "weights"
        weights.write_text(WEIGHTS, encoding="utf-8")
        result = next(iter(score(*files, measures=[text.replace("weights", str(weights))]).values()))
    if result.value in {None, 100}:  # nothing to see
        return None
    right, gold, system = (f"{part:g}" for part in (result.correct, result.gold, result.system))
    of = gold if gold == system else f"{gold} in gold and {system} in the system"
    return f"{f'`{text}` is ' if text != definition.name else ''}{result.value:.2f}, {right} of {of}"


EXAMPLE = ("examples/parallel/gold/en.conllu", "examples/parallel/systems/alpha/en.conllu")
WEIGHTS = "det 0.1\nnsubj 0.9\nobj 0.9\n"
WORKED = {
    "WeightedLAS": "WeightedLAS(weights)",
    "WLAS": "WLAS(weights,default=0.5)",
    "CallinWLAS": "CallinWLAS(weights,default=0.5)",
    "Feats": "",  # only under the rules of 2017 and of morphosyntactic parsing
    "MSLAS": "",  # only under the latter
    **{name: "" for name in REGISTRY if name.startswith("Empty")},  # 0: the system has no empty nodes
}
"""The text of measures that need an argument."""


def message_pages() -> Iterator[tuple[str, str, str, Iterable[str]]]:
    """Yield the file name, title, introduction and blocks of each page of messages."""
    for name, title in MESSAGE_PAGES.items():
        topics = [topic for topic in TOPICS if topic.page == name]
        about = (
            ABOUT_MESSAGES
            if name == "messages"
            else "\n[Messages about files](messages.md) explains what messages look like.\n"
        )
        yield name, title, about, message_blocks(topics)


def message_blocks(topics: Iterable[MessageTopic]) -> Iterator[str]:
    """Each slug under its topic, in the order of the registry."""
    starts = {topic.first for topic in TOPICS}
    slugs = list(MESSAGES)
    for topic in topics:
        yield f"## {topic.title}"
        begin = slugs.index(topic.first)
        for slug in (topic.first, *takewhile(lambda one: one not in starts, slugs[begin + 1 :])):
            message = MESSAGES[slug]
            yield f"### {slug}"
            warning = "Warning. " if message.severity == "warning" else ""
            yield f"{warning}{escaped(message.meaning)} {escaped(message.remedy)}"


class MessageTopic(NamedTuple):
    """Messages about one topic: their page, the title, and the first in the order of the registry."""

    page: str
    title: str
    first: str


MESSAGE_PAGES = {
    "messages": "Messages about files",
    "messages-sentences": "Messages about sentences and words",
    "messages-scores": "Messages about scores and comparisons",
    "messages-other": "Messages about parsers, shared tasks and others",
}
TOPICS = (
    MessageTopic("messages", "The file", "unknown-test-set"),
    MessageTopic("messages", "Lines", "line-too-long"),
    MessageTopic("messages-sentences", "IDs", "invalid-id"),
    MessageTopic("messages-sentences", "Trees", "invalid-head"),
    MessageTopic("messages-sentences", "Columns and comments", "unusual-character"),
    MessageTopic("messages-scores", "Rules", "refused-by-rules"),
    MessageTopic("messages-scores", "Gold and system", "text-mismatch"),
    MessageTopic("messages-scores", "Answers of language models", "no-answers"),
    MessageTopic("messages-other", "Other libraries", "cannot-hold"),
    MessageTopic("messages-scores", "Tables and statistics", "invalid-power"),
    MessageTopic("messages-other", "Derivations", "not-derivable"),
    MessageTopic("messages-other", "Conversion", "invalid-targets"),
    MessageTopic("messages-scores", "Rankings", "invalid-manifest"),
    MessageTopic("messages-other", "Jobs and clusters", "changing-file"),
    MessageTopic("messages-other", "Studies", "unknown-study"),
    MessageTopic("messages-other", "Stored results", "invalid-store"),
    MessageTopic("messages-other", "Shared tasks", "invalid-task"),
    MessageTopic("messages-scores", "Measures and options", "no-partial-score"),
    MessageTopic("messages-other", "Parsers", "unknown-parser"),
    MessageTopic("messages-other", "Output", "output"),
)


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
