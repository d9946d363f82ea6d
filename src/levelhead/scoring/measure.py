"""Measures as values: a name with an argument and a component. Measures with equal text are equal."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, cast

from levelhead.errors import MeasureError, quoted, unknown
from levelhead.immutable import immutable, name_of
from levelhead.scoring.matches import Agree
from levelhead.treebank import StringColumn, Treebank
from levelhead.treebank.tokens import FIELDS

if TYPE_CHECKING:
    from levelhead.scoring.counts import Counts
    from levelhead.scoring.word_columns import WordColumns

# What measures without a counter of their own can count; `scoring.score.COUNTERS` counts them.
COUNTED_ITEMS = frozenset("words exact edges empty roots tokens sentences aligned trees content".split())

Punctuation = Literal["relation", "callin"]
Component = Literal["precision", "recall", "f1", "aligned_accuracy", "perplexity"]

FunctionOfWords = Callable[["WordColumns"], Any]  # returns an array with a Boolean value or a number for each word
NOTHING = Agree(0)  # no agreement required: the word only has to be aligned

# The columns besides HEAD and DEPREL, with what can only agree if gold annotates them.
_COMPARED = (
    ("upos", Agree.UPOS | Agree.CHILDREN),
    ("xpos", Agree.XPOS),
    ("feats", Agree.FEATS | Agree.ALL_FEATS | Agree.CHILDREN),
    ("lemmas", Agree.LEMMA),
)

EMPTY_NODES = "empty nodes"  # required like a column; "FORM of empty nodes": values in this column

COMPONENTS: tuple[Component, ...] = ("precision", "recall", "f1", "aligned_accuracy")

# Patterns are compiled on first use: most commands need none of these.
_NAME, _ARGUMENT = "(?P<name>[A-Za-z]+)", r"(?:\((?P<argument>.+)\))?"
_CLASSES, _COMPONENT = "(?P<classes>[@-][A-Za-z0-9_:-]+)?", r"(?:\.(?P<component>[A-Za-z0-9_]+))?"
_TEXT = f"(?s){_NAME}{_ARGUMENT}{_CLASSES}{_COMPONENT}"
_CLASS = "(?:(?P<scheme>[a-z][a-z0-9-]*):)?(?P<name>[A-Z][A-Z0-9_]*)"
_RELATION = "[a-z][a-z0-9_]*(?::[a-z0-9_]+)*"


@immutable
class Measure:
    """A measure, as users write it: `LAS`, `CLAS.precision`, `LAS@CORE`, `LAS-FUN-PUNCT`, `WLAS(weights.tsv)`.

    Args:
        name: the name of the measure in the registry.
        argument: the text in parentheses; None if the name has no parentheses.
        only: the only class or relation that is counted, such as `CORE`, `callin:CONTENT` or `nsubj`; None for all.
        without: the classes and relations that are left out, sorted.
        component: the ratio to report, such as "recall"; None for F1.
    """

    name: str
    argument: str | None = None
    only: str | None = None
    without: tuple[str, ...] = ()
    component: Component | None = None

    def __str__(self) -> str:
        """Return the text that `parse_measure` reads."""
        argument = f"({self.argument})" if self.argument is not None else ""
        classes = f"@{self.only}" if self.only else "".join(f"-{each}" for each in self.without)
        return f"{self.name}{argument}{classes}{f'.{self.component}' if self.component else ''}"

    def __repr__(self) -> str:
        return f"<Measure {self}>"


@immutable
class Resource:
    """The contents of a file that a measure needs: weights, a model."""

    values: Any  # the weights, or the model
    sha256: str  # the hash of the file
    warnings: tuple[str, ...] = ()  # warnings about the file


@immutable
class Definition:
    """The definition of a measure."""

    name: str
    meaning: str  # its definition in one sentence
    formula: str  # correct items / all items
    source: str  # the publication that defines it
    # what is counted: one of `COUNTED_ITEMS`, each of which has a counter; or, if the definition has a `counter` of
    # its own, any name of what that counts (lower values of a `perplexity` are better)
    counted_item: str = "words"
    needs: Agree = NOTHING  # what must agree for a word to be correct
    # the class that it counts, in the rules' scheme (`CONTENT`) or another (`kohita:CONTENT`); None for all words
    only: str | None = None
    without: tuple[str, ...] = ()  # classes and relations that it leaves out
    # the columns that gold must annotate besides heads and relations; by default all that must agree
    columns: tuple[str, ...] | None = None
    argument: str | None = None  # the meaning of its argument, or None without an argument
    variants: tuple[tuple[str, Agree], ...] = ()  # options of the argument that change what must agree
    # whether the argument may contain `nopunct` (words whose gold relation is punctuation are left out) and
    # `class=gold` (only gold labels decide which words are in a class)
    takes_nopunct: bool = False
    takes_weights: bool = False  # whether the argument names a file of weights
    # the weight of relations that the file does not list; if None, they are an error unless the argument has
    # `,default=NUMBER`
    default_weight: float | None = None
    by_gold: bool = False  # whether each system word has the weight of its gold word
    # the function of a custom measure that returns which gold words are correct, instead of `needs`
    correct: FunctionOfWords | None = None
    # the function of a custom measure that returns the weight of each word of one side
    weight: FunctionOfWords | None = None
    version: str | None = None  # the version of these functions, for signatures
    # reads the file that the argument names, for measures that need more than weights
    load: Callable[[str], Resource] | None = None
    # counts the measure, given the aligned words, the contents of the file, whether by sentence, and the counts of
    # earlier sentences
    counter: Callable[..., Counts] | None = None

    def __post_init__(self) -> None:
        if self.counter is None and self.counted_item not in COUNTED_ITEMS:
            raise MeasureError(unknown("counted item", self.counted_item, sorted(COUNTED_ITEMS)), "unknown-measure")

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the functions of this measure, each followed by "@" and the version if it is known."""
        version = f"@{self.version}" if self.version else ""
        functions = (self.load, self.counter, self.correct, self.weight)
        return tuple(f"{name_of(function)}{version}" for function in functions if function is not None)

    @property
    def selects_words(self) -> bool:
        """Whether it counts the words that agree, so that they can also be counted by class or property."""
        return self.counted_item == "words" and self.counter is None

    @property
    def lower_is_better(self) -> bool:
        """Whether lower values are better."""
        return self.counted_item == "perplexity"

    @property
    def needs_file(self) -> bool:
        """Whether its argument names a file that must be read: weights, a training treebank."""
        return self.takes_weights or self.load is not None

    def needs_for(self, argument: str | None) -> Agree:
        """Return what must agree, given the argument."""
        given = (argument or "").split(",")
        return next((needs for option, needs in self.variants if option in given), self.needs)

    def columns_for(self, argument: str | None) -> tuple[str, ...]:
        """Return the columns that gold must annotate besides heads and relations, given the argument."""
        needs = self.needs_for(argument)
        return tuple(name for name, parts in _COMPARED if needs & parts) if self.columns is None else self.columns

    def absent(self, argument: str | None, annotated: Container[str]) -> tuple[str, ...]:
        """Return the CoNLL-U names of the columns that gold must annotate, but are not among the annotated columns."""
        missing = [name for name in self.columns_for(argument) if name not in annotated]
        missing = [EMPTY_NODES] if EMPTY_NODES in missing else missing
        names = {"lemmas": "LEMMA", "relations": "DEPREL", "forms": "FORM"}
        return tuple(c if EMPTY_NODES in c else names.get(c, c.upper()) for c in missing)

    def punctuation_for(self, argument: str | None) -> Punctuation | None:
        """Return which punctuation is left out, given the argument; None to keep punctuation."""
        options = (argument or "").split(",") if self.takes_nopunct else ()
        return "relation" if "nopunct" in options else "callin" if "nopunct=callin" in options else None

    def options(self) -> tuple[str, ...]:
        """Return all options that the argument may contain; empty if the argument is a file of weights."""
        selecting = ("nopunct", "nopunct=callin", CLASS_BY_GOLD) if self.takes_nopunct else ()
        return (*(option for option, _ in self.variants), *selecting)


@immutable
class CustomMeasure(Measure):
    """A custom measure, made from a function by the decorator `levelhead.measure`.

    Functions such as `score` take it as an element of the list `measures`. Strings in the same list can then use the
    name of the custom measure, as in "Name.recall".

    Args:
        definition: the definition of the measure.
    """

    definition: Definition = field(kw_only=True)

    def __call__(self, words: WordColumns) -> Any:
        """Return what its function returns, an array with a value for each gold word."""
        return cast("FunctionOfWords", self.definition.correct)(words)


def annotates(treebank: Treebank, column: str) -> bool:
    """Return whether a treebank has values in a column of words or of empty nodes, or has empty nodes."""
    if EMPTY_NODES not in column:
        return bool(getattr(treebank, column).has_values)
    empty, name = treebank.empty, column.partition(" ")[0]
    if column == EMPTY_NODES or not len(empty):
        return len(empty) > 0
    return StringColumn(empty.cells[:, FIELDS.index(name) - 1], treebank.strings).has_values


CLASS_BY_GOLD = "class=gold"  # the option to decide only by gold labels which words are in the class of a measure


def split(text: str, schemes: Collection[str] = ()) -> Measure:
    """Return the measure that a text describes, without checking that a measure of this name exists."""
    if text.isascii() and text.isalpha():
        return Measure(text)
    match = re.fullmatch(_TEXT, text.strip())
    if not match:
        example = "write measures like LAS, CLAS.recall or LAS-FUN-PUNCT, with commas between them"
        message = f"{quoted(text)} is not a measure: {example}"
        raise MeasureError(message, "unknown-measure")
    component = match["component"] and match["component"].lower()
    if component is not None and component not in COMPONENTS:
        raise MeasureError(unknown("component", component, COMPONENTS), "unknown-measure")
    classes = match["classes"] or ""
    only = _checked_name(classes[1:], text) if classes.startswith("@") else None
    without = tuple(sorted(set(_list(classes[1:], schemes, text)))) if classes.startswith("-") else ()
    return Measure(match["name"], match["argument"], only, without, cast("Component | None", component))


def _list(classes: str, schemes: Collection[str], text: str) -> Iterator[str]:
    parts = classes.split("-")
    while parts:
        n_parts = 1
        for n in range(len(parts), 1, -1):
            match = re.fullmatch(_CLASS, "-".join(parts[:n]))
            n_parts = n if match and match["scheme"] in schemes else n_parts
        yield _checked_name("-".join(parts[:n_parts]), text)
        del parts[:n_parts]


def _checked_name(name: str, text: str) -> str:
    if not (re.fullmatch(_CLASS, name) or re.fullmatch(_RELATION, name)):
        message = f"{name!r} in {text!r} is neither a class (CORE, callin:CONTENT) nor a relation (nsubj, acl:relcl)"
        raise MeasureError(message, "unknown-measure")
    return name
