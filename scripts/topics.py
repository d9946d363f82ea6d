"""The pages of the Python reference: which modules are on which page, and what is stable."""

from typing import NamedTuple

ABOUT_API = """
`import levelhead` has a function for each command, and the types that these functions take and return.

```python
import levelhead

scores = levelhead.score("gold.conllu", "system.conllu")
print(scores)  # the table that `levelhead score` prints
float(scores["LAS"]), scores.to_dict(), scores.to_frame()
```

Import all other public names from their packages, as in `from levelhead.significance import sign_test`.

## What is stable

Versions are [semantic](https://semver.org): from 1.0 on, only a new major version changes what is listed here. Until
then a minor version (0.1 to 0.2) may, but a patch (0.1.0 to 0.1.1) never does. The [changelog](../changelog.md) says
what changed.

| stable | means |
| --- | --- |
| public names | the functions, classes, arguments, attributes and methods on these pages, and their types |
| commands | options, exit codes, names of columns in TSV, [names of errors and warnings](../messages.md) |
| JSON | keys and meanings, by the number `schema`: see [output formats](../formats.md) |
| numbers | scores under the rules of an official scorer never change; corrections of others are in the changelog |
| models | a version reads the models of all versions with the same number of the model format, or says that it cannot |

Not stable: modules and names that are not on these pages, even if they can be imported, and names that begin with `_`;
texts (tables, notes, help, error messages), HTML and charts; the contents of a store (`--store`), which another version
refuses; the folder of a shared task while it runs; the numbers of parsers, which may get better.

Python warns (`DeprecationWarning`) for one minor version before a public name is removed.
"""


class Topic(NamedTuple):
    """A page of the Python reference: its title, what it begins with, and the modules whose public names it has."""

    title: str
    about: str
    modules: tuple[str, ...]


TOPICS = {
    "reading": Topic(
        "Reading and writing",
        "Read and write treebanks, look at sentences and words, and convert them for other libraries.",
        ("levelhead.treebank", "levelhead.api.validation", "levelhead.treebank.validation", "levelhead.interop",
         "levelhead.interop.treebanks"),
    ),
    "scoring": Topic(
        "Scoring",
        "Score an output, choose rules, measures and weights, and define your own.",
        (
            "levelhead.api.scoring", "levelhead.evaluation.pair", "levelhead.scoring", "levelhead.measures",
            "levelhead.measures.user_definitions",
            "levelhead.evaluation.partial", "levelhead.evaluation.epochs", "levelhead.evaluation.provenance",
            "levelhead.evaluation.setup", "levelhead.testing",
        ),
    ),
    "breakdowns": Topic(
        "Breakdowns",
        "See where errors are: by property, by kind, in the trees, and as tables of words and sentences.",
        (
            "levelhead.api.breakdowns", "levelhead.api.words", "levelhead.analysis", "levelhead.comparison.breakdowns",
            "levelhead.comparison.gains", "levelhead.comparison.error_analysis", "levelhead.comparison.intervals",
            "levelhead.comparison.system_errors", "levelhead.comparison.contrasts", "levelhead.comparison.word_tables",
        ),
    ),
    "comparing": Topic(
        "Comparing",
        "Compare systems, treebanks and annotations, with confidence intervals and tests.",
        (
            "levelhead.api.comparing", "levelhead.comparison", "levelhead.comparison.evaluations",
            "levelhead.comparison.agreement", "levelhead.comparison.changes",
            "levelhead.comparison.suspects",
        ),
    ),
    "rankings": Topic(
        "Rankings",
        "Rank many systems on many test sets.",
        ("levelhead.api.ranking", "levelhead.campaign", "levelhead.campaign.ranked_systems"),
    ),
    "significance": Topic(
        "Significance", "Confidence intervals, tests and corrections.", ("levelhead.significance",)
    ),
    "treebanks": Topic(
        "Treebanks",
        "Profile treebanks, measure their similarity, and select those that can be compared.",
        ("levelhead.api.treebanks", "levelhead.typology", "levelhead.typology.collection"),
    ),
    "correlations": Topic(
        "Correlations and judgments",
        "Correlate columns of tables by treebank, and measures with people's judgments.",
        ("levelhead.api.correlation", "levelhead.correlation", "levelhead.comparison.judgment"),
    ),
    "conversion": Topic(
        "Conversion and derivation",
        "Convert heads, derive transitions, measure perplexity, and recover answers of language models.",
        (
            "levelhead.api.conversion", "levelhead.conversion", "levelhead.derivation",
            "levelhead.recovery",
        ),
    ),
    "parsing": Topic("Parsing", "Train and run parsers.", ("levelhead.api.parsers", "levelhead.parsing")),
    "results": Topic(
        "Results",
        "Every result prints itself: as text, JSON, a data frame or a table in a notebook; pages, charts, tables for"
        " papers.",
        (
            "levelhead.tabular", "levelhead.api.results", "levelhead.api.reports", "levelhead.report.citation",
            "levelhead.report", "levelhead.tables.writers", "levelhead.report.page",
        ),
    ),
    "studies": Topic("Studies", "Replicate the experiments of papers.", ("levelhead.api.studies", "levelhead.studies")),
    "jobs": Topic("Jobs", "Run jobs in processes or on a cluster, and keep their results.", ("levelhead.jobs",)),
    "errors": Topic("Errors", "The exceptions, and what they contain.", ("levelhead.errors",)),
    "official": Topic(
        "Official scripts", "The functions and classes of official scorers, for existing code.", ("levelhead.compat",)
    ),
}  # fmt: skip
"""The pages of the Python reference."""
