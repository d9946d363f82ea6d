"""Write the reference pages of the documentation from the code: measures, commands, messages, formats, Python.

python scripts/docs.py            writes the pages of measures, messages and formats, those of commands and of Python,
                                  and the table of columns in docs/profile.md
python scripts/docs.py --check    writes nothing; exits with 1 if a page is not what the code says
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from levelhead import score
from levelhead.measures import REGISTRY
from levelhead.measures.registry import MEASURE_GROUPS
from levelhead.messages import MESSAGES
from levelhead.scoring.measure import EMPTY_NODES, Definition
from levelhead.scoring.rules import RULES, Rules
from levelhead.tables import writers
from levelhead.treebank import faults_of
from levelhead.typology.profile_columns import columns_table

sys.path.insert(0, str(Path(__file__).parent))
from commands import command_pages
from formats import ABOUT_FORMATS, escaped, formats
from reference import reference

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
INVALID = "examples/pud/systems/eager/fi_pud.conllu"
NOTE = "<!-- by scripts/docs.py -->\n"

COLUMNS = {"lemmas": "LEMMA"}
"""Columns whose names in CoNLL-U are not those in Python."""

ABOUT_MEASURES = """
Look up what a measure counts, where it comes from, and whether to report it: each group begins with advice.
`levelhead measures LAS` prints the same. A measure has the same name everywhere: in the shell (`-m`), in Python, in
tables and in JSON. `LAS(full)` has an argument, `CLAS.recall` names a ratio, and
[classes of relations](classes.md#how-a-measure-is-written) can be added to most names.

| ratio | meaning |
| --- | --- |
| `precision` | correct / number in the system |
| `recall` | correct / number in gold |
| `f1` | harmonic mean of both, and the default |
| `aligned_accuracy` | correct / words aligned with a gold word; tables call it AligndAcc, as the official scripts do |

If a definition below ends in "/ words", precision divides by the system's words and recall by gold's. If there is
nothing to count, a ratio has no value: a dash in tables, `null` in JSON (0.00 under the rules of the official scorers).

Examples are scores of `examples/parallel/systems/alpha/en.conllu`. The file of weights has three lines: `det 0.1`,
`nsubj 0.9` and `obj 0.9`.
"""

ABOUT_MESSAGES = f"""
Look up what an error or warning means and what to do about it. Messages look like those of a compiler, so editors can
jump to them. They have the file, the line, the name of the error, which never changes, and a description:

```text
{faults_of(ROOT / INVALID)[0].in_file("eager/fi_pud.conllu")}
```

Each name below is followed by what it means, then by what to do, which `levelhead validate` also prints. In Python,
`error.faults` lists all errors with their names (`slug`). A file with an error cannot be used; a file with warnings
only is scored.
"""


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
        "measures.md": page("Measures", ABOUT_MEASURES, measures()),
        **{f"commands/{name}.md": page(*parts) for name, *parts in command_pages()},
        "messages.md": page("Messages", ABOUT_MESSAGES, messages()),
        "formats.md": page("Output formats", ABOUT_FORMATS, formats()),
        "profile.md": with_part(ROOT / "docs/profile.md", "columns", writers.to_markdown(columns_table())),
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


def measures() -> Iterator[str]:
    """Each measure of the registry in its group, with advice; then which rules print it."""
    for group in MEASURE_GROUPS:
        yield f"## {group.title}"
        yield escaped(group.advice)
        for definition in group.definitions:
            yield f"### {definition.name}"
            yield escaped(definition.meaning)
            yield "\n".join(f"- {line}" for line in facts(definition))
    yield "## Measures by rules"
    yield (
        "Yes: printed by default. If in gold: printed by default if gold has empty nodes. With -m: printed if"
        " requested. No: not available. [Rules](rules.md) explains them."
    )
    names = dict.fromkeys(name for rules in RULES.values() for name in rules.measures) | dict.fromkeys(REGISTRY)
    rows = ([name, *(printed(name, rules) for rules in RULES.values())] for name in in_order(names))
    yield table(["measure", *RULES], rows)


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


def facts(definition: Definition) -> Iterator[str]:
    """What is correct of what, and the rest."""
    yield f"Counts: {escaped(definition.formula)}"
    if definition.argument is not None:
        yield f"Argument: {escaped(definition.argument)}"
    if definition.columns:
        of_nodes = definition.columns[-1] if EMPTY_NODES in definition.columns else None
        columns = " or ".join(COLUMNS.get(column, column.upper()) for column in definition.columns)
        yield (
            f"No value if gold has no {of_nodes}" if of_nodes else f"Under `ud`, no value if gold has none in {columns}"
        )
    yield f"Source: {escaped(definition.source)}"
    if (example := worked(definition)) is not None:
        yield f"Example: {example}"


def worked(definition: Definition) -> str | None:
    """The measure on a pair of example files, with the numbers behind it."""
    text = WORKED.get(definition.name, definition.name)
    files = [ROOT / path for path in EXAMPLE]
    if not text:
        return None
    if definition.name == "DPPL":  # it needs a language model
        value = next(iter(score(*files, measures=[f"DPPL({files[0]})"]).values())).value
        return f"`DPPL({EXAMPLE[0]})` is {value:.2f}, with a model trained on the gold file itself"
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "weights"
        weights.write_text(WEIGHTS, encoding="utf-8")
        result = next(iter(score(*files, measures=[text.replace("weights", str(weights))]).values()))
    if result.value is None:
        return None
    right, gold, system = (f"{part:g}" for part in (result.correct, result.gold, result.system))
    shown = f"`{text}` is {result.value:.2f}"
    return f"{shown}: {right} correct, {gold} in gold, {system} in the system"


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


def messages() -> Iterator[str]:
    """Each slug under its severity, in the order of the registry."""
    for severity, title in (("error", "Errors"), ("warning", "Warnings")):
        yield f"## {title}"
        for slug, message in MESSAGES.items():
            if message.severity == severity:
                yield f"### {slug}"
                yield f"{escaped(message.meaning)} {escaped(message.remedy)}"


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
