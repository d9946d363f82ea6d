"""The pages of the Python reference: which names are on which page, and what is stable."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

ABOUT_API = """
`import levelhead` has a function for each command, with the same defaults, and the types that these functions take and
return.

```python
import levelhead

scores = levelhead.score("gold.conllu", "system.conllu")
print(scores)  # the table that `levelhead score` prints
float(scores["LAS"]), scores.to_dict(), scores.to_frame()
```

These pages list the public names with their arguments. `help(levelhead.score)` explains all arguments and errors of a
function, with types, shapes and units; `help(levelhead.Score)` the attributes and methods of a result.

Import names that are not in `levelhead` itself from their packages, as in
`from levelhead.significance import sign_test`. The [recipes](../recipes.md) show analyses in pandas.

## What is stable

Versions are [semantic](https://semver.org): from 1.0 on, only a new major version changes what is listed here. Until
then, a minor version (0.2 to 0.3) can also change it; a patch (0.2.0 to 0.2.1) never does. The
[changelog](../changelog.md) lists changes.

| stable | means |
| --- | --- |
| public names | the functions, classes, arguments, attributes and methods on these pages, and their types |
| commands | options, exit codes, names of columns in TSV, [names of errors and warnings](../messages.md) |
| JSON | keys and their meanings, until the number `schema` changes: see [output formats](../formats.md#json) |
| numbers | scores under official rules never change; corrections of other numbers are in the changelog |
| models | a model can be read by every version with the same number of the model format; others reject it |

Not stable: names that are not on these pages, even if they can be imported, and names that begin with `_`; texts
(tables, notes, help, error messages), HTML and charts; the contents of a store (`--store`), which other
versions reject; the folder of a shared task while it runs; scores of levelhead's parsers, which may improve.

Python warns (`DeprecationWarning`) for one minor version before a public name is removed.
"""


class Topic(NamedTuple):
    """A page of the Python reference: names with an entry each, and names with a line each, by their modules."""

    title: str
    about: str
    entries: Mapping[str, str]
    lines: Mapping[str, str] = MappingProxyType({})


TOPICS = {
    "reading": Topic(
        "Reading and writing",
        "Read, write and inspect treebanks, and convert them for other libraries.",
        {
            "levelhead": "read from_conllu build write validate faults_of Treebank Sentence",
            "levelhead.treebank": "Word",
            "levelhead.treebank.validation": "Validation",
            "levelhead.interop": (
                "from_frame from_spacy from_stanza to_pandas to_polars to_spacy to_stanza word_table"
            ),
        },
        {
            "levelhead.treebank": (
                "to_conllu nonprojective_arcs Comments EmptyNodes Limits MultiwordTokens Source StringColumn Strings"
            ),
        },
    ),
    "scoring": Topic(
        "Scoring",
        "Score an output, choose rules, measures and weights, and define your own.",
        {
            "levelhead": (
                "score explain Evaluation EpochScorer Score Measure measure WordColumns parse_measure read_definitions"
                " Rules Counts"
            ),
            "levelhead.analysis.rule_differences": "Explanation",
            "levelhead.api.spacy_scorer": "parser_scorer",
            "levelhead.evaluation.partial": "PartialCoverage",
            "levelhead.evaluation.setup": "setup_of",
            "levelhead.testing": "assert_las assert_score",
            "levelhead.treebank.provenance": "Provenance",
        },
        {
            "levelhead.scoring": "Agree CustomMeasure Matches",
            "levelhead.measures": "Registry",
            "levelhead.evaluation.setup": "Setup",
            "levelhead.treebank.provenance": "FileId",
        },
    ),
    "breakdowns": Topic(
        "Breakdowns",
        "Find errors by properties of words, by type, in trees and in tables ([recipes](../recipes.md)).",
        {
            "levelhead": "analyze breakdown confusion trees words sentences",
            "levelhead.comparison.breakdowns": "Breakdowns",
            "levelhead.comparison.system_errors": "ErrorAnalysis Confusions",
            "levelhead.comparison.trees": "TreeExamples ErrorExamples Contrasts",
            "levelhead.comparison.word_tables": "AlignedWords CountedSentences",
        },
        {
            "levelhead.analysis": ("Average Breakdown Cascading ConfusedWords Confusion Example Training WordProperty"),
            "levelhead.comparison.breakdowns": "AverageGain Gain",
            "levelhead.comparison.trees": "Contrast",
        },
    ),
    "comparing": Topic(
        "Comparing",
        "Compare systems, treebanks and annotations, with confidence intervals and tests.",
        {
            "levelhead": "compare languages power agree diff",
            "levelhead.comparison": "Comparison",
            "levelhead.comparison.evaluations": "Languages",
            "levelhead.comparison.power": "Power",
            "levelhead.comparison.agreement": "Agreement",
            "levelhead.comparison.changes": "Changes TreebankChanges ReleaseChanges",
        },
        {
            "levelhead.comparison.evaluations": "LanguagePair",
            "levelhead.comparison.agreement": "BeyondChance Disagreement LabelAgreement",
            "levelhead.comparison.changes": "ChangeExample ChangePattern SentenceChange",
        },
    ),
    "rankings": Topic(
        "Rankings",
        "Rank many systems on many test sets.",
        {
            "levelhead": "rank difficulty",
            "levelhead.campaign.ranked_systems": "RankedSystems",
            "levelhead.comparison.difficulty": "Difficulty",
        },
        {
            "levelhead.campaign": (
                "find_plan groups_named score_plan rank Group Language Manifest OutputResult Plan Ranking Results"
                " Standing System TestSet"
            ),
        },
    ),
    "significance": Topic(
        "Significance",
        "Confidence intervals, tests and corrections.",
        {"levelhead.significance": "ComparedScore Estimate Units Wins InferenceSettings units_of differences"},
        {
            "levelhead.significance": (
                "system_counts corrected sign_test signed_rank_test count_wins better_on_at_least resampled Run"
                " SystemCounts"
            ),
        },
    ),
    "treebanks": Topic(
        "Treebanks",
        "Profile, compare and select treebanks, find annotation errors, and get files of UD releases.",
        {
            "levelhead": "profile similarity select suspects testsets Profile",
            "levelhead.typology": "Survey SelectedTreebanks Criteria",
            "levelhead.typology.collection": "Samples Similarities",
            "levelhead.comparison.suspects": "Suspects",
            "levelhead.treebank.releases.files": "TestSets",
        },
        {
            "levelhead.typology": (
                "profile count_treebank HeadEntropy ProfileColumn Rarefied SelectionDecision Similarity TreebankCounts"
            ),
            "levelhead.comparison.suspects": "Suspect",
        },
    ),
    "correlations": Topic(
        "Correlations and judgments",
        "Correlate columns of tables, and measures with human judgments.",
        {
            "levelhead": "correlate judge measurements",
            "levelhead.correlation": "Correlation Measurements CumulativeVariances",
            "levelhead.comparison.judgment": "Judgment",
        },
        {
            "levelhead.correlation": (
                "read_tables cumulative_variance AgreementDifference AgreementEstimate Coefficient"
                " CumulativeVariance HumanAgreement Pair Preferences"
            ),
        },
    ),
    "conversion": Topic(
        "Conversion and derivation",
        "Convert heads, derive transitions, measure perplexity, and recover answers of language models.",
        {
            "levelhead": "convert derive perplexity recover",
            "levelhead.derivation": "Derivations Perplexities",
            "levelhead.recovery": "Recovery",
        },
        {
            "levelhead.conversion": "NotRestored RoundTrip Targets",
            "levelhead.derivation": (
                "derive sequences_of estimate perplexity sentence_sums Action Configuration Discounts NgramModel"
                " Perplexity SentenceSums Sequences Transition TransitionSystem"
            ),
            "levelhead.recovery": "Layout RecoveredAnswer",
        },
    ),
    "parsing": Topic(
        "Parsing",
        "Train and run parsers.",
        {"levelhead": "train parse crossval", "levelhead.parsing": "Recipe ExternalSettings Model"},
        {
            "levelhead.parsing": (
                "train write_model read_model Baseline Ensemble ExternalModel ParsedTreebank Report Schedule"
            ),
        },
    ),
    "results": Topic(
        "Results",
        "Get results as text, JSON, data frames, pages, charts and tables for papers.",
        {
            "levelhead": "load columns cite paper_table write_report",
            "levelhead.api.results": "LoadedResult",
            "levelhead.report.citation": "Citation",
            "levelhead.report": "Table",
            "levelhead.tabular": "Tabular",
        },
        {
            "levelhead.api.results": "kinds json_schema",
            "levelhead.report": "Column",
            "levelhead.tables.data": "DataColumn DataTable",
            "levelhead.tables.writers": "to_text to_markdown to_html to_latex to_tsv data_to_tsv",
            "levelhead.report.charts.result_charts": "bar_chart scatter_chart",
            "levelhead.report.page": "write_drawing",
        },
    ),
    "studies": Topic(
        "Studies",
        "Replicate the experiments of papers.",
        {"levelhead": "reproduce", "levelhead.studies": "Study StudyRequest"},
        {"levelhead.studies": "reproduce Claim StudySection StudySpec"},
    ),
    "jobs": Topic(
        "Jobs",
        "Run jobs in processes or on a cluster, and keep their results.",
        {"levelhead.jobs": "processes cluster borrowed Store Tls"},
        {"levelhead.jobs": "Workers"},
    ),
    "errors": Topic(
        "Errors",
        "The exceptions, and what they contain.",
        {
            "levelhead": (
                "LevelheadError InputError ConlluError MeasureError OutputError TextMismatch UnreadableFile Fault"
            ),
            "levelhead.errors": "Place",
        },
    ),
    "official": Topic(
        "Official scripts",
        "The functions and classes of official scorers, [for existing code](../migration.md).",
        {"levelhead.compat": "Score UDError UDRepresentation load_deprel_weights"},
    ),
}
"""The pages of the Python reference. Names on no page can change in any version."""

WHOLE = ("WordColumns",)
"""Names whose whole docstring is on the page, for those who write measures."""
