"""The characters that words cover, the alignment of gold and system words, and what agrees in each aligned pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntFlag
from functools import cached_property, lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from levelhead.errors import Fault, MalformedDeps, Place, TextMismatch, printable, quoted
from levelhead.immutable import immutable
from levelhead.kernels import agreement, layout, pools
from levelhead.kernels.alignment import align_spans
from levelhead.scoring.enhanced_edges import Edges, edges_of, nodes_of
from levelhead.scoring.rules import Rules
from levelhead.treebank import StringColumn, Treebank, check_trees
from levelhead.treebank.enhanced_graph import Numbers
from levelhead.treebank.relations import universal
from levelhead.treebank.strings import ANY_SPACE, PLAIN_SPACE, Codes
from levelhead.treebank.tokens import FORM, place_of, places_of, refuse_partial

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from levelhead.scoring.selection import Selection

Offsets: TypeAlias = "NDArray[np.int64]"
Bytes: TypeAlias = "NDArray[np.uint8]"

_SHOWN = 20
# The maximum number of bytes that a message about different texts shows on each side of the difference.
MOST_SHOWN = 4 * _SHOWN


@immutable
class Spans:
    """Positions in the text (all surface tokens without spaces), in bytes of UTF-8: equal if characters are."""

    text: Bytes  # the text, uint8
    token_starts: Offsets  # where each token starts, int64, shape (tokens,)
    token_ends: Offsets  # where each token ends, int64, shape (tokens,)
    starts: Offsets  # where each word's token starts, int64, shape (words,)
    ends: Offsets  # where each word's token ends, int64, shape (words,)
    inside: NDArray[np.uint8]  # whether a word is part of a multiword token, uint8, shape (words,)
    sentence_starts: Offsets  # where each sentence starts, then the size of the text; int64, shape (sentences + 1,)
    spaces: Mapping[int, None]  # the characters that count as spaces, a table for `str.translate`

    def sentence_texts(self) -> list[bytes]:
        text = self.text.tobytes()
        return [text[start:end] for start, end in pairwise(self.sentence_starts.tolist())]


def spans_of(treebank: Treebank, *, unicode_spaces: bool) -> Spans:
    multiword, strings = treebank.multiword, treebank.strings
    spaces = ANY_SPACE if unicode_spaces else PLAIN_SPACE
    pool = strings.pool
    begins = strings.offsets[:-1]
    lengths = np.diff(strings.offsets) - 1
    spaced = strings.with_spaces
    if len(spaced):  # of token forms only
        forms = np.concatenate([treebank.forms.codes, multiword.cells[:, FORM]])
        spaced = np.intersect1d(pools.distinct(forms, len(strings)), spaced, assume_unique=True)
    if len(spaced):  # their forms without spaces are appended to the pool
        bare = [strings[code].translate(spaces).encode() for code in spaced.tolist()]
        begins = begins.copy()
        lengths[spaced] = list(map(len, bare))
        begins[spaced] = len(pool) + np.cumsum(lengths[spaced]) - lengths[spaced]
        pool += b"".join(bare)
    of_tokens = (multiword.first, multiword.n_words, multiword.cells[:, FORM])
    text, token_starts, token_ends, starts, ends, inside = layout.lay_out(
        pool, begins, lengths, treebank.forms.codes, *map(np.ascontiguousarray, of_tokens)
    )
    first_tokens = treebank.sentence_starts[:-1]
    if len(multiword.first):  # the first token of a sentence has no word if an official scorer reads `2-1`
        earlier = np.searchsorted(multiword.sentence, np.arange(len(treebank), dtype=np.int32))
        first_tokens = first_tokens - np.concatenate([[0], np.cumsum(multiword.n_words - 1)])[earlier]
    sentence_starts = np.append(token_starts[first_tokens], len(text))
    return Spans(text, token_starts, token_ends, starts, ends, inside, sentence_starts, spaces)


def first_spans(spans: Spans, treebank: Treebank, size: int) -> Spans:
    """Return the spans of the first sentences of a treebank, sharing memory."""
    words, tokens = slice(treebank.n_words), slice(treebank.n_tokens)
    return Spans(
        spans.text[:size],
        spans.token_starts[tokens],
        spans.token_ends[tokens],
        spans.starts[words],
        spans.ends[words],
        spans.inside[words],
        spans.sentence_starts[: len(treebank) + 1],
        spans.spaces,
    )


def first_difference(one: Bytes, other: Bytes) -> int:
    """Return the byte of the first difference; the length of the shorter text if it is a prefix of the other."""
    common = min(len(one), len(other))
    differing = np.flatnonzero(one[:common] != other[:common])
    return int(differing[0]) if len(differing) else common


@immutable
class Surroundings:
    """The context of a difference in the text of a treebank."""

    path: str | None  # its file
    before: bytes  # the bytes of the text before the character
    after: bytes  # the bytes of the character and of the following text
    form: str | None  # the token with the character, or the last token; None without tokens
    place: Place  # the place of the token

    @property
    def text_after(self) -> str:
        """The first of the characters from here on."""
        return self.after.decode("utf-8", "ignore")[:_SHOWN]


def surroundings(treebank: Treebank, spans: Spans, at: int) -> Surroundings:
    path = treebank.source.path
    if not len(spans.token_starts):
        return Surroundings(path, b"", b"", None, Place(path))
    token = max(0, int(np.searchsorted(spans.token_starts, at, side="right")) - 1)
    while at and at < len(spans.text) and spans.text[at] & 0xC0 == 0x80:
        at -= 1  # to the start of the character
    before = spans.text[max(0, at - MOST_SHOWN) : at].tobytes()
    after = spans.text[at : at + MOST_SHOWN].tobytes()
    tokens = treebank.tokens
    if tokens.multiword[token]:
        row = np.array([np.count_nonzero(tokens.multiword[:token])])
        place = next(places_of(treebank, row, "ranges"))
    else:
        place = place_of(treebank, int(tokens.first[token]))
    return Surroundings(path, before, after, treebank.strings[int(tokens.forms[token])], place)


def text_mismatch(gold: Surroundings, system: Surroundings, offset: int) -> TextMismatch:
    if not offset and gold.after and system.after:  # the first characters differ
        name = printable(gold.path or "this")
        message = (
            f"the texts differ from the first character: is {name} the right gold file?"
            f" Gold begins with {quoted(gold.text_after)}, this file with {quoted(system.text_after)}"
            " (character 1 of the text)"
        )
        return TextMismatch(Fault("text-mismatch", message, system.place))
    return TextMismatch(_side("gold", gold, offset), _side("system", system, offset))


def _side(name: str, side: Surroundings, offset: int) -> Fault:
    """Describe one side of a difference: the token, and the text around it."""
    if side.form is None:
        return Fault("text-mismatch", f"{name} has no words", side.place)
    before = side.before.decode("utf-8", "ignore")[-_SHOWN:]
    continues = f"continues {quoted(side.text_after)}" if side.after else "ends"
    where = f"character {offset + 1} of the text, token {quoted(side.form)}"
    return Fault("text-mismatch", f"{name} {continues} after {quoted(before)} ({where})", side.place)


# The 21 features that conll18_ud_eval.py and its successors compare.
UNIVERSAL_FEATURES = frozenset(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense Aspect"
    " Voice Evident Polarity Person Polite".split()
)

SYSTEM_RANK = 10  # added to the rank of errors in the system's DEPS, since gold is read first


class Agree(IntFlag):
    """The properties in which two aligned words can agree."""

    HEAD = 1
    RELATION = 2  # without subtype
    FULL_RELATION = 4  # with subtype
    UPOS = 8
    XPOS = 16
    FEATS = 32  # the features that the rules compare
    ALL_FEATS = 64  # the whole FEATS
    LEMMA = 128
    CHILDREN = 256  # all functional children: aligned, with the same relation, UPOS and features (MLAS)
    FORM = 512  # only of empty nodes: words are aligned by their forms
    PLACE = 1024  # only of empty nodes


@immutable
class TreebankPair:
    """Two treebanks that are ready for counting."""

    gold: Treebank
    system: Treebank
    rules: Rules


@immutable
class Alignment:
    """Pairs of aligned words, one to one and in order on both sides."""

    gold: Codes  # the gold word of each pair, int32, shape (pairs,), ascending
    system: Codes  # the system word of each pair, int32, shape (pairs,), ascending


def align(gold: Treebank, system: Treebank, gold_spans: Spans, system_spans: Spans) -> Alignment:
    """Return the alignment of two segmentations of the same text.

    Words outside multiword tokens are aligned if they cover the same characters; inside, by the longest common
    subsequence of their lower-cased forms (CoNLL 2017 evaluation, "Aligning system words with the gold standard").
    """
    pairs, regions = align_spans(
        gold_spans.starts, gold_spans.ends, gold_spans.inside,
        system_spans.starts, system_spans.ends, system_spans.inside,
    )  # fmt: skip
    if len(regions):
        inside = _align_regions((gold, gold_spans), (system, system_spans), regions)
        return _in_order([pairs, inside])
    return Alignment(*map(np.ascontiguousarray, pairs.T))


def align_sentences(gold: Treebank, system: Treebank, gold_spans: Spans, system_spans: Spans) -> Alignment:
    """Return the alignment of two treebanks with equal numbers of sentences, sentence by sentence."""
    same = same_texts(gold_spans, system_spans)
    pairs, regions = [np.zeros((0, 2), dtype=np.int32)], [np.zeros((0, 4), dtype=np.int32)]
    ends = zip(pairwise(gold.sentence_starts.tolist()), pairwise(system.sentence_starts.tolist()))
    for i, ((first, end), (system_first, system_end)) in enumerate(ends):
        if same[i]:
            of_words: list[NDArray[Any]] = []  # starts and ends in the text, and whether inside a multiword token
            for spans, words in ((gold_spans, slice(first, end)), (system_spans, slice(system_first, system_end))):
                start = spans.sentence_starts[i]
                of_words += (spans.starts[words] - start, spans.ends[words] - start, spans.inside[words])
            aligned, inside = align_spans(*of_words)
            regions.append(inside + np.array([first, first, system_first, system_first], dtype=np.int32))
        else:
            from levelhead.scoring.form_alignment import align_forms

            word = np.array(align_forms(gold.forms[first:end], system.forms[system_first:system_end]), dtype=np.int32)
            forms = np.flatnonzero(word >= 0)
            aligned = np.stack([forms.astype(np.int32), word[forms]], axis=1)
        pairs.append(aligned + np.array([first, system_first], dtype=np.int32))
    inside = np.concatenate(regions)
    if len(inside):
        pairs.append(_align_regions((gold, gold_spans), (system, system_spans), inside))
    return _in_order(pairs)


def _in_order(blocks: Sequence[Codes]) -> Alignment:
    pairs = np.concatenate(blocks)
    return Alignment(*map(np.ascontiguousarray, pairs[np.argsort(pairs[:, 0], kind="stable")].T))


def same_texts(gold: Spans, system: Spans) -> NDArray[np.bool_]:
    """Return whether the two versions of each sentence have the same characters, bool, shape (sentences,)."""
    return np.array(list(map(bytes.__eq__, gold.sentence_texts(), system.sentence_texts())), dtype=bool)


_Side: TypeAlias = tuple[Treebank, Spans]


def _align_regions(gold: _Side, system: _Side, regions: Codes) -> Codes:
    """Align the words inside multiword regions: all at once where both sides agree, otherwise region by region."""
    numbers: dict[str, int] = {}
    gold_words, region_of_gold, gold_ids = _words_in(gold, regions[:, 0], regions[:, 1], numbers)
    system_words, region_of_system, system_ids = _words_in(system, regions[:, 2], regions[:, 3], numbers)
    same_size = regions[:, 1] - regions[:, 0] == regions[:, 3] - regions[:, 2]
    in_same = same_size[region_of_gold]
    gold_inside, system_inside = gold_words[in_same], system_words[same_size[region_of_system]]
    equal = same_size.copy()
    equal[region_of_gold[in_same][gold_ids[gold_inside] != system_ids[system_inside]]] = False
    in_equal = equal[region_of_gold[in_same]]
    blocks = [np.stack([gold_inside[in_equal], system_inside[in_equal]], axis=1)]
    for gold_start, gold_end, system_start, system_end in regions[~equal].tolist():
        from levelhead.scoring.form_alignment import common_subsequence  # loaded when needed: `score` starts faster

        inner = common_subsequence(gold_ids[gold_start:gold_end].tolist(), system_ids[system_start:system_end].tolist())
        if inner:
            blocks.append(np.array(inner, dtype=np.int32) + np.array([gold_start, system_start], dtype=np.int32))
    return np.concatenate(blocks).astype(np.int32)


def _words_in(side: _Side, starts: Codes, ends: Codes, numbers: dict[str, int]) -> tuple[Codes, Codes, Codes]:
    """Return all words of the regions in order, the region of each, and for all words the number of the form, or -1."""
    (treebank, spans) = side
    sizes = ends - starts
    region = np.repeat(np.arange(len(starts), dtype=np.int32), sizes)
    words = (np.arange(len(region)) - (np.cumsum(sizes) - sizes)[region] + starts[region]).astype(np.int32)
    ids = np.full(treebank.n_words, -1, dtype=np.int32)
    of_code = np.full(len(treebank.strings), -1, dtype=np.int32)
    for inside in (0, 1):
        some = words[spans.inside[words] == inside]
        codes = treebank.forms.codes[some]
        used = pools.distinct(codes, len(treebank.strings))
        for code, form in zip(used.tolist(), treebank.strings.texts_of(used)):
            compared = (form if inside else form.translate(spans.spaces)).lower()
            of_code[code] = numbers.setdefault(compared, len(numbers))
        ids[some] = of_code[codes]
    return words, region, ids


@immutable
class Matches(TreebankPair):
    """The pairs of aligned words of two treebanks, and the properties in which the words of each pair agree.

    Args:
        gold: the gold treebank.
        system: the system treebank.
        rules: the rules.
        gold_spans: the characters that gold words cover.
        system_spans: the characters that system words cover.
        alignment: the pairs of aligned words.
        flags: the properties that agree in each pair (`Agree`), uint16, shape (pairs,).
        gold_of_system: the gold word aligned with each system word, -1 if there is none, int32, shape (system words,).
        punctuation: the relations of punctuation (`callin_punctuation`) in the whole gold file, if the treebanks are
            only pieces of large files and a measure requires these relations; otherwise None.
        lacking: for partial scores, whether each gold sentence has words that the output lacks, bool, shape (gold
            sentences,). The missing words count as wrong system words.
    """

    gold_spans: Spans
    system_spans: Spans
    alignment: Alignment
    flags: NDArray[np.uint16]
    gold_of_system: Codes
    punctuation: frozenset[str] | None = None
    lacking: NDArray[np.bool_] | None = None

    def agree(self, needs: Agree) -> NDArray[np.bool_]:
        """Return which pairs agree in all properties of `needs`; bool, shape (pairs,)."""
        agree: NDArray[np.bool_] = (self.flags & int(needs)) == int(needs)
        return agree

    @cached_property
    def n_with_flags(self) -> NDArray[np.intp]:
        """The number of pairs with each combination of flags, shape (combinations,)."""
        return np.bincount(self.flags, minlength=int(max(Agree)) * 2)

    def check_trees(self) -> None:
        """Raise a `ConlluError` if gold or system has no trees."""
        check_trees(self.gold)
        check_trees(self.system)

    @cached_property
    def row_of_system(self) -> Codes:
        """For each system word, the index of the gold sentence in which it begins, int32, shape (system words,)."""
        return self.rows_at(self.system_spans.starts)

    @cached_property
    def edges(self) -> tuple[Edges, Edges, dict[str, int]]:
        """The enhanced edges of gold, the enhanced edges of the system, and a mapping from each label to its code."""
        labels: dict[str, int] = {}
        gold = edges_of(self.gold, labels, self.rules)
        try:
            system = edges_of(self.system, labels, self.rules)
        except MalformedDeps as error:
            raise MalformedDeps(str(error), SYSTEM_RANK + error.rank) from error
        return gold, system, labels

    @cached_property
    def empty_nodes(self) -> tuple[tuple[Numbers, Codes], tuple[Numbers, Codes]]:
        """Two arrays for gold and two for the system: compared properties of empty nodes, and a word next to each."""
        numbers: dict[str, int] = {}
        gold = nodes_of(
            self.gold, self.gold_spans.sentence_starts, np.arange(self.gold.n_words, dtype=np.int32), numbers
        )
        try:
            return gold, nodes_of(self.system, self.system_spans.sentence_starts, self.gold_of_system, numbers)
        except MalformedDeps as error:
            raise MalformedDeps(str(error), SYSTEM_RANK + error.rank) from error

    @property
    def n_steps(self) -> tuple[int, int]:
        """The total length of paths through empty nodes, in gold and in the system; 0 if DEPS is malformed."""
        try:
            gold, system, _ = self.edges
        except MalformedDeps as error:
            return edges_of(self.gold, {}, self.rules).n_steps if error.rank >= SYSTEM_RANK else 0, 0
        return gold.n_steps, system.n_steps

    def values(self, selection: Selection | None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return two arrays, bool or float64: the weight in `selection` of each gold word, and of each system word."""
        if selection is None:
            return np.ones(self.gold.n_words, dtype=bool), np.ones(self.system.n_words, dtype=bool)
        gold = selection.of_words(self.gold)
        if not selection.by_gold:
            return gold, selection.of_words(self.system)
        alone = np.flatnonzero(self.gold_of_system < 0)
        of_alone = selection.of_words(self.system, alone)
        system = np.empty(self.system.n_words, dtype=np.result_type(gold, of_alone))
        system[self.alignment.system] = gold[self.alignment.gold]
        system[alone] = of_alone
        return gold, system

    def rows_at(self, starts: NDArray[np.int64]) -> Codes:
        """Return the index of the gold sentence that contains each of the positions `starts` in the text, int32."""
        sentences = np.searchsorted(self.gold_spans.sentence_starts[:-1], starts, side="right") - 1
        return sentences.astype(np.int32)


def match(gold: Treebank, system: Treebank, rules: Rules) -> Matches:
    """Align two treebanks and compare the aligned words."""
    rules.check_words()
    refuse_partial(gold), refuse_partial(system)
    gold_spans = spans_of(gold, unicode_spaces=rules.unicode_spaces)
    system_spans = spans_of(system, unicode_spaces=rules.unicode_spaces)
    if not np.array_equal(gold_spans.text, system_spans.text):
        at = first_difference(gold_spans.text, system_spans.text)
        offset = len(gold_spans.text[:at].tobytes().decode("utf-8", "ignore"))
        raise text_mismatch(surroundings(gold, gold_spans, at), surroundings(system, system_spans, at), offset)
    return compare_aligned(gold, system, rules, gold_spans, system_spans)


_COMPARED = ("relations", "upos", "xpos", "feats", "lemmas")


def compare_aligned(
    gold: Treebank,
    system: Treebank,
    rules: Rules,
    gold_spans: Spans,
    system_spans: Spans,
    alignment: Alignment | None = None,
) -> Matches:
    """Compare the aligned words of two treebanks; without an alignment, align them by their characters."""
    if alignment is None:
        alignment = align(gold, system, gold_spans, system_spans)
    gold_of_system = np.full(system.n_words, -1, dtype=np.int32)
    gold_of_system[alignment.system] = alignment.gold
    of_function = partial(rules.scheme.is_in, "FUNCTION")
    feats = numbered(universal_features, gold.feats, system.feats) if rules.universal_features else ()
    flags = agreement.compare(
        alignment.gold,
        alignment.system,
        gold_of_system,
        tuple(getattr(gold, name).codes for name in _COMPARED),
        tuple(getattr(system, name).codes for name in _COMPARED),
        pools.translate(gold.strings.pool, gold.strings.offsets, system.strings.pool, system.strings.offsets),
        numbered(universal, gold.relations, system.relations),
        feats,
        (gold.heads, system.heads),
        (of_function(gold.relations).view(np.uint8), of_function(system.relations).view(np.uint8)),
        rules.missing_lemma_counts,
    )
    return Matches(gold, system, rules, gold_spans, system_spans, alignment, flags, gold_of_system)


def numbered(value: Callable[[str], str], gold: StringColumn, system: StringColumn) -> tuple[Codes, Codes]:
    """Return a number for each string of two columns, equal for strings with equal `value`; int32, shape (strings,)."""
    numbers: dict[str, int] = {}
    result = []
    for column in (gold, system):
        of_code = np.full(len(column.strings), -1, dtype=np.int32)
        values = map(value, column.distinct_texts)
        of_code[column.distinct] = [numbers.setdefault(text, len(numbers)) for text in values]
        result.append(of_code)
    return result[0], result[1]


@lru_cache(maxsize=1 << 14)
def universal_features(feats: str) -> str:
    """Return the universal features of FEATS, sorted, without layered features such as Number[psor]."""
    return "|".join(sorted(feat for feat in feats.split("|") if feat.partition("=")[0] in UNIVERSAL_FEATURES))
