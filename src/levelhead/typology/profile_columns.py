"""The columns of profiles, each defined by one entry: meaning, formula, source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, NamedTuple

from levelhead.tables.data import NOT_A_COLUMN, DataColumn, DataType, share
from levelhead.tables.table import Column, Table
from levelhead.treebank.relations import Scheme
from levelhead.typology import vocabulary
from levelhead.typology.counts import TreebankCounts

Value = int | float | None | Mapping[str, int | float]
"""A number, None, or one number for each relation, part of speech ..."""


class ProfileSettings(NamedTuple):
    """The settings that determine the values of a profile, in addition to its counts."""

    scheme: Scheme  # the classes of relations
    least: int = 5  # frequency of a word with its part of speech and relation for the head-word entropy


class ProfileColumn(NamedTuple):
    """A column of a profile.

    Args:
        name: the name of the column.
        group: the group of the column.
        unit: the unit, such as percent, words or bits; "" without a unit.
        meaning: the definition in one sentence.
        formula: the formula of the column.
        source: the source of the definition.
        value: the function that computes the value (or values) from counts.
        by: what each value describes, such as a "relation"; None for a single value.
        in_summary: whether tables show it by default.
    """

    name: str
    group: str
    unit: str
    meaning: str
    formula: str
    source: str
    value: Annotated[Callable[[TreebankCounts, ProfileSettings], Value], NOT_A_COLUMN]
    by: str | None = None
    in_summary: bool = False

    @property
    def name_in_rows(self) -> str:
        """The name of the column in tables with one row for each relation, or for each other value of `by`."""
        return "share" if self.group == "frequencies" else self.name.removesuffix(f"_by_{self.by}")

    @property
    def unit_text(self) -> str:
        """The unit of the column as printed in tables."""
        return "%" if self.unit == "percent" else self.unit

    def display(self, name: str) -> Column:
        """Return the column for a printed table; its heading is `name`, with "(%)" if the unit is percent."""
        return Column(f"{name} (%)", "percent") if self.unit == "percent" else Column(name, "number")

    @property
    def is_count(self) -> bool:
        """Whether the values of the column are integers."""
        return self.name.endswith("_max") or (self.group == "sizes" and not self.unit)

    def data(self, name: str) -> DataColumn:
        """Return the column for a table of data, in which this column has the name `name`."""
        kind: DataType = "integer" if self.is_count else "number"
        limits = (0, 100) if self.unit == "percent" else (0,)
        return DataColumn(name, kind, self.meaning.rstrip("."), self.unit, optional=True, limits=limits, always=False)


def _shares(counts: Mapping[str, int], whole: int) -> dict[str, float]:
    return {name: 100 * n / whole for name, n in counts.items()} if whole else {}


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _divided(parts: Mapping[str, int], wholes: Mapping[str, int], factor: int = 1) -> dict[str, float]:
    return {name: factor * parts.get(name, 0) / whole for name, whole in wholes.items()}


def _classes(counts: TreebankCounts, settings: ProfileSettings) -> dict[str, float]:
    sums = dict.fromkeys(settings.scheme.names, 0)
    for relation, n in counts.words.frequencies(0).items():
        sums[settings.scheme.class_of(relation)] += n
    return _shares(sums, counts.sizes.words)


_CALLIN = "Callin"
_UD = "CoNLL-U"
_KUHLMANN = "Kuhlmann and Nivre (2006)"
_LIU = "Liu (2008)"
_LEAK = "after Søgaard (2020) and Krasner, Wanner and Anastasopoulos (2022); requires --train"
_KOHITA = "Kohita et al. (2017), section 3.2"

_COLUMNS = (
    ProfileColumn(
        "sentences", "sizes", "",
        "Sentences.", "number of trees", _UD,
        lambda c, _: c.sizes.sentences, in_summary=True,
    ),
    ProfileColumn(
        "tokens", "sizes", "",
        "Surface tokens: multiword tokens, and words outside of multiword tokens.", "number of tokens", _UD,
        lambda c, _: c.sizes.tokens,
    ),
    ProfileColumn(
        "words", "sizes", "",
        "Syntactic words.", "number of words", _UD,
        lambda c, _: c.sizes.words, in_summary=True,
    ),
    ProfileColumn(
        "types", "sizes", "",
        "Distinct forms of words, case-sensitive.", "number of distinct FORM", f"{_CALLIN}, section 4.2: n_w",
        lambda c, _: len(c.words.axes[1]),
    ),
    ProfileColumn(
        "lemmas", "sizes", "",
        "Distinct lemmas; no value if no word has a lemma.", "number of distinct LEMMA", _UD,
        lambda c, _: vocabulary.forms_and_lemmas(c.lemmas)[1] or None,
    ),
    ProfileColumn(
        "sentence_length", "sizes", "words",
        "Mean length of sentences in words.", "words / sentences", _UD,
        lambda c, _: c.sizes.sentence_lengths.mean, in_summary=True,
    ),
    ProfileColumn(
        "sentence_length_max", "sizes", "words",
        "Length of the longest sentence in words.", "maximum of words", _UD,
        lambda c, _: c.sizes.sentence_lengths.max,
    ),
    ProfileColumn(
        "multiword_tokens", "sizes", "",
        "Multiword tokens.", "number of ID ranges", _UD,
        lambda c, _: c.sizes.multiword_tokens,
    ),
    ProfileColumn(
        "multiword_share", "sizes", "percent",
        "Share of multiword tokens among tokens.", "multiword tokens / tokens", _UD,
        lambda c, _: share(c.sizes.multiword_tokens, c.sizes.tokens),
    ),
    ProfileColumn(
        "empty_nodes", "sizes", "",
        "Empty nodes of the enhanced graph.", "number of decimal IDs", _UD,
        lambda c, _: c.sizes.empty_nodes,
    ),
    ProfileColumn(
        "empty_share", "sizes", "percent",
        "Share of empty nodes among nodes of the enhanced graph.", "empty nodes / (words + empty nodes)", _UD,
        lambda c, _: share(c.sizes.empty_nodes, c.sizes.words + c.sizes.empty_nodes),
    ),
    ProfileColumn(
        "relation", "frequencies", "percent",
        "Share of words with each universal relation, including punctuation.", "words of the relation / words", _UD,
        lambda c, _: _shares(c.words.frequencies(0), c.sizes.words), by="relation", in_summary=True,
    ),
    ProfileColumn(
        "deprel", "frequencies", "percent",
        "Share of words with each relation, including subtypes.", "words of the relation with subtype / words", _UD,
        lambda c, _: _shares(c.relations.frequencies(), c.sizes.words), by="deprel", in_summary=True,
    ),
    ProfileColumn(
        "class", "frequencies", "percent",
        "Share of words whose relation is in each class of the scheme, including punctuation.",
        "words of the class / words", f"{_CALLIN}, figure 3; Nivre and Fang (2017)",
        _classes, by="class", in_summary=True,
    ),
    ProfileColumn(
        "upos", "frequencies", "percent",
        "Share of words with each universal part of speech.", "words of the part of speech / words", _UD,
        lambda c, _: _shares(c.tags.frequencies(0), c.sizes.words) if vocabulary.are_annotated(c.tags, 0) else {},
        by="upos", in_summary=True,
    ),
    ProfileColumn(
        "feature", "frequencies", "percent",
        "Share of words with each feature.", "words with Name=Value in FEATS / words", _UD,
        lambda c, _: _shares(vocabulary.feature_counts(c.tags), c.sizes.words), by="feature", in_summary=True,
    ),
    ProfileColumn(
        "wde", "vocabulary", "",
        "Word dependency entropy: how evenly the words of a relation are distributed, from 0 (a single word) to 1"
        " (uniform).",
        "H(p(w | relation)) / log(types)", f"{_CALLIN}, section 4.2",
        lambda c, _: vocabulary.word_dependency_entropy(c.words), by="relation",
    ),
    ProfileColumn(
        "sttr", "vocabulary", "",
        "Standardized type/token ratio of surface tokens, case-sensitive.",
        "mean of types / tokens over chunks of 1000 tokens; a shorter last chunk is left out",
        f"{_CALLIN}, section 4.3, after Scott",
        lambda c, _: c.lexical.sttr, in_summary=True,
    ),
    ProfileColumn(
        "sttr_sd", "vocabulary", "",
        "Standard deviation of the type/token ratio of chunks.", "with n - 1 in the denominator",
        f"{_CALLIN}, section 4.3",
        lambda c, _: c.lexical.sttr_deviation,
    ),
    ProfileColumn(
        "mattr", "vocabulary", "",
        "Moving-average type/token ratio, which does not depend on the length of the text.",
        "mean of types / 500 over all windows of 500 consecutive tokens", "Covington and McFall (2010)",
        lambda c, _: c.lexical.mattr,
    ),
    ProfileColumn(
        "head_entropy", "vocabulary", "bits",
        "Head-word vocabulary entropy: uncertainty of the head word in bits, given a word with its UPOS and relation.",
        "sum of P(p, l, w) H(head | p, l, w) over UPOS p, relation l, word w with >= 5 occurrences; roots left out",
        _KOHITA,
        lambda c, s: vocabulary.head_entropy(c.heads, s.least).bits, in_summary=True,
    ),
    ProfileColumn(
        "head_entropy_by_relation", "vocabulary", "bits",
        "Head-word vocabulary entropy of each relation l in bits.",
        "sum of P(p, w | l) H(head | p, l, w) over (p, w), as above", _KOHITA,
        lambda c, s: vocabulary.head_entropy(c.heads, s.least).by_relation, by="relation",
    ),
    ProfileColumn(
        "head_entropy_share", "vocabulary", "percent",
        "Share of arcs that the head-word vocabulary entropy uses.", "arcs with a frequent (p, l, w) / arcs", _KOHITA,
        lambda c, s: share(*vocabulary.head_entropy(c.heads, s.least)[2:]),
    ),
    ProfileColumn(
        "features_per_word", "morphology", "",
        "Mean number of features per word; no value if the treebank has no features.",
        "pairs Name=Value in FEATS / words", _UD,
        lambda c, _: vocabulary.features_per_word(c.tags), in_summary=True,
    ),
    ProfileColumn(
        "features_per_upos", "morphology", "",
        "Mean number of features per word, for each part of speech.", "pairs Name=Value in FEATS / words of the UPOS",
        _UD,
        lambda c, _: vocabulary.features_by_upos(c.tags), by="upos", in_summary=True,
    ),
    ProfileColumn(
        "forms_per_lemma", "morphology", "",
        "Form/lemma ratio of the words that have a lemma, case-sensitive.", "distinct FORM / distinct LEMMA", _UD,
        lambda c, _: _ratio(*vocabulary.forms_and_lemmas(c.lemmas)),
    ),
    ProfileColumn(
        "words_per_token", "morphology", "",
        "Syntactic words per token; no value if the treebank has no multiword tokens.",
        "words / tokens", "after Greenberg's index of synthesis",
        lambda c, _: _ratio(c.sizes.words, c.sizes.tokens) if c.sizes.multiword_tokens else None,
    ),
    ProfileColumn(
        "nonprojective_arcs", "structure", "percent",
        "Non-projective arcs, which span a word that the head does not dominate, as a share of arcs between words.",
        "non-projective arcs / arcs", _KUHLMANN,
        lambda c, _: share(c.structure.nonprojective_arcs, c.structure.n_arcs),
    ),
    ProfileColumn(
        "nonprojective_trees", "structure", "percent",
        "Share of trees with a non-projective arc.", "non-projective trees / sentences", _KUHLMANN,
        lambda c, _: share(c.structure.nonprojective_trees, c.sizes.sentences), in_summary=True,
    ),
    ProfileColumn(
        "right_crossed_trees", "structure", "percent",
        "Share of trees that Callin's program counts as non-projective: an arc whose head follows the word spans the"
        " root, or a word with its head outside of the arc.",
        "such trees / sentences", f"{_CALLIN}, table 1, by his program",
        lambda c, _: share(c.structure.right_crossed_trees, c.sizes.sentences),
    ),
    ProfileColumn(
        "distance", "structure", "words",
        "Mean dependency distance, including punctuation.", "sum of |position of head - position of word| / arcs", _LIU,
        lambda c, _: _ratio(c.structure.distances.total, c.structure.n_arcs), in_summary=True,
    ),
    ProfileColumn(
        "random_distance", "structure", "words",
        "Mean dependency distance expected if the words of each sentence were in random order.",
        "sum of arcs * (words + 1) / 3 over all sentences, divided by arcs", "Ferrer-i-Cancho (2004)",
        lambda c, _: _ratio(c.structure.random_distance / 3, c.structure.n_arcs),
    ),
    ProfileColumn(
        "depth", "structure", "arcs",
        "Mean depth of trees, in arcs from the root to the deepest word.", "sum of depths / sentences", _KUHLMANN,
        lambda c, _: c.structure.heights.mean, in_summary=True,
    ),
    ProfileColumn(
        "depth_max", "structure", "arcs",
        "Depth of the deepest tree.", "maximum of depths", _KUHLMANN,
        lambda c, _: c.structure.heights.max,
    ),
    ProfileColumn(
        "arity", "structure", "dependents",
        "Mean number of dependents of words with dependents.", "arcs / words with dependents", _UD,
        lambda c, _: c.structure.arities.mean,
    ),
    ProfileColumn(
        "arity_max", "structure", "dependents",
        "Largest number of dependents of a word.", "maximum of dependents", _UD,
        lambda c, _: c.structure.arities.max,
    ),
    ProfileColumn(
        "right_branching", "structure", "percent",
        "Share of arcs whose head precedes the word (right-branching arcs).", "arcs with the head first / arcs",
        f"{_LIU}; Tesnière (1959)",
        lambda c, _: share(c.structure.head_first.total, c.structure.n_arcs), in_summary=True,
    ),
    ProfileColumn(
        "direction_entropy", "structure", "bits",
        "Head direction entropy: uncertainty of an arc's direction in bits, given the relation and both UPOS tags.",
        "H(direction | relation, UPOS of the word, UPOS of the head)", "Futrell, Mahowald and Gibson (2015)",
        lambda c, _: c.structure.direction_entropy,
    ),
    ProfileColumn(
        "gap_degree", "structure", "gaps",
        "Mean over trees of the gap degree, the largest number of gaps in the span of a subtree.",
        "sum of gap degrees / sentences", _KUHLMANN,
        lambda c, _: c.structure.gap_degrees.mean,
    ),
    ProfileColumn(
        "gap_degree_max", "structure", "gaps",
        "Largest gap degree.", "maximum of gap degrees", _KUHLMANN,
        lambda c, _: c.structure.gap_degrees.max,
    ),
    ProfileColumn(
        "gap_degree_over_1", "structure", "percent",
        "Share of trees of gap degree 2 or more.", "trees with a gap degree over 1 / sentences", _KUHLMANN,
        lambda c, _: c.structure.gap_degrees.share(lambda degrees: degrees > 1),
    ),
    ProfileColumn(
        "ill_nested_trees", "structure", "percent",
        "Share of ill-nested trees: two subtrees without a common word interleave.", "ill-nested trees / sentences",
        _KUHLMANN,
        lambda c, _: share(c.structure.ill_nested_trees, c.sizes.sentences),
    ),
    ProfileColumn(
        "right_branching_by_relation", "arcs", "percent",
        "Share of arcs of each relation whose head precedes the word.", "its arcs with the head first / its arcs",
        f"{_LIU}; Tesnière (1959)",
        lambda c, _: _divided(c.structure.head_first.frequencies(), c.structure.arcs_by_relation, 100),
        by="relation", in_summary=True,
    ),
    ProfileColumn(
        "distance_by_relation", "arcs", "words",
        "Mean dependency distance of each relation.", "sum of its distances / arcs of the relation", _LIU,
        lambda c, _: _divided(c.structure.distances.frequencies(), c.structure.arcs_by_relation),
        by="relation", in_summary=True,
    ),
    ProfileColumn(
        "same_words", "leakage", "percent",
        "Share of sentences that have the same words as a training sentence.",
        "such sentences / sentences", _LEAK,
        lambda c, _: share(c.training_overlap.words, c.training_overlap.sentences),
    ),
    ProfileColumn(
        "same_heads", "leakage", "percent",
        "Share of sentences that have the same heads as a training sentence, regardless of words and relations.",
        "such sentences / sentences", _LEAK,
        lambda c, _: share(c.training_overlap.heads, c.training_overlap.sentences),
    ),
    ProfileColumn(
        "same_either", "leakage", "percent",
        "Share of sentences that have the same words or the same heads as a training sentence.",
        "such sentences / sentences", _LEAK,
        lambda c, _: share(c.training_overlap.either, c.training_overlap.sentences),
    ),
)  # fmt: skip

COLUMNS: Mapping[str, ProfileColumn] = MappingProxyType({column.name: column for column in _COLUMNS})

KINDS = tuple(dict.fromkeys(column.by for column in _COLUMNS if column.by))
"""What columns with several values have a value for: relations, parts of speech ..."""

GROUPS = tuple(dict.fromkeys(column.group for column in COLUMNS.values()))

OF_TRAINING = tuple(column.name for column in _COLUMNS if column.group == "leakage")
"""The columns that require training treebanks, which are then part of every profile."""

SUMMARY = tuple(column.name for column in COLUMNS.values() if column.in_summary and not column.by)
"""The columns that are printed by default."""


_FIELDS = ("name", "group", "by", "meaning", "formula", "source")


def columns_text() -> str:
    return "\n".join(
        f"{column.name}{by} ({column.group}{unit})\n  {column.meaning}\n  = {column.formula}\n  {column.source}\n"
        for column in _COLUMNS
        for by, unit in [(f":{column.by}" if column.by else "", f", {column.unit_text}" if column.unit else "")]
    )


def columns_table() -> Table:
    rows = tuple(tuple(getattr(column, field) or "" for field in _FIELDS) for column in _COLUMNS)
    return Table(tuple(Column(field.capitalize(), "text") for field in _FIELDS), rows)
