"""Morphosyntactic parsing as its scorer reads, aligns and counts, one sentence after the other in plain Python."""

import unicodedata
from dataclasses import dataclass, field
from typing import NamedTuple

from oracle.document import Refused
from oracle.official import lines

ID, FORM, FEATS, HEAD, DEPREL = 0, 1, 5, 6, 7

NAMES = (
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense Aspect"
    " Voice Evident Polarity Person Polite"
).split()

MEASURES = ("MSLAS", "LAS", "Feats")


class Counted(NamedTuple):
    """What is right, what each side has, and what is aligned in the direction that was kept."""

    correct: float
    gold: int
    system: int
    aligned: int

    @property
    def f1(self) -> float:
        """Twice what is right over both totals; 0 if both are empty."""
        both = self.system + self.gold
        return 2 * self.correct / both if both else 0.0


@dataclass(eq=False)
class Node:
    """A line that counts: a content word, an abstract node or a function word."""

    columns: list[str]
    ordinary: bool
    parent: "Node | str | None" = None
    settled: bool = False

    @property
    def content(self) -> bool:
        """Whether it is scored."""
        return self.columns[FEATS] not in {"", "_"}

    @property
    def form(self) -> str:
        """The form without its spaces."""
        return "".join(c for c in self.columns[FORM] if unicodedata.category(c) != "Zs")

    @property
    def relation(self) -> str:
        """What stands before the first colon."""
        return self.columns[DEPREL].split(":")[0]


@dataclass
class Sentence:
    """The nodes between two blank lines."""

    nodes: list[Node] = field(default_factory=list)

    @property
    def content(self) -> list[Node]:
        """The nodes that are scored."""
        return [node for node in self.nodes if node.content]


def read(data: bytes) -> list[Sentence]:
    """Read a whole file, or refuse it."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Refused("not UTF-8") from error
    sentences: list[Sentence] = []
    open_sentence: Sentence | None = None
    for line in lines(text):
        if open_sentence is None and line.startswith("#"):
            continue
        open_sentence = open_sentence or Sentence()
        if line:
            add_line(open_sentence, line)
        else:
            settle(open_sentence)
            sentences.append(open_sentence)
            open_sentence = None
    if open_sentence is not None:
        raise Refused("no blank line at the end")
    n_blank = blank_at_end(sentences)
    if len(sentences) == n_blank:
        raise Refused("no sentences")
    if any(not sentence.nodes for sentence in sentences[: len(sentences) - n_blank]):
        raise Refused("empty sentence")
    return sentences


def blank_at_end(sentences: list[Sentence]) -> int:
    """The number of sentences without words after the last sentence."""
    return next((n for n, sentence in enumerate(reversed(sentences)) if sentence.nodes), len(sentences))


def add_line(sentence: Sentence, line: str) -> None:
    """Add a line to its sentence, unless it is skipped."""
    columns = line.split("\t")
    if len(columns) != 10:
        raise Refused("not ten columns")
    has_dot = "." in columns[ID]
    if (has_dot and columns[HEAD] == "_") or "-" in columns[ID]:
        return
    node = Node(columns, ordinary=not has_dot)
    if not node.form:
        raise Refused("empty form")
    try:
        number = int(columns[HEAD])
    except ValueError:
        number = 0
    if number < 0:
        raise Refused("negative head")
    sentence.nodes.append(node)


def settle(sentence: Sentence) -> None:
    """Give each content word its parent: another node, "root", or in the end None for function words."""
    for node in sentence.nodes:
        if not node.content:
            node.parent, node.settled = None, True
            continue
        chain: list[Node] = []
        at: Node | str | None = node
        while isinstance(at, Node) and not at.settled:
            if any(at is other for other in chain):
                raise Refused("cycle")
            chain.append(at)
            at.parent = parent_of(at, sentence)
            at = at.parent
        for other in chain:
            other.settled = True
    n_roots = [node.parent for node in sentence.content].count("root")
    if n_roots > 1 or (n_roots == 0 and len(sentence.nodes) > 2):
        raise Refused("roots")


def parent_of(node: Node, sentence: Sentence) -> Node | str:
    """The h-th node without a dot in its ID."""
    try:
        head = int(node.columns[HEAD])
    except ValueError as error:
        raise Refused("HEAD is not a number") from error
    if head == 0:
        return "root"
    ordinary = [other for other in sentence.nodes if other.ordinary]
    if head > len(ordinary):
        raise Refused("HEAD points outside")
    return ordinary[head - 1]


def aligned(gold: list[Node], system: list[Node]) -> list[tuple[Node, Node]]:
    """Pair nodes from the first on; an abstract one is passed over if the other is not."""
    gold, system, pairs = list(gold), list(system), []
    while gold and system:
        ours, theirs = gold[0].form == "_", system[0].form == "_"
        if ours == theirs:
            pairs.append((gold.pop(0), system.pop(0)))
        elif ours:
            gold.pop(0)
        else:
            system.pop(0)
    return pairs


def features(node: Node, *, in_order: bool) -> dict[str, str]:
    """The universal features, of which the last in alphabetical order wins."""
    found: dict[str, str] = {}
    if node.columns[FEATS] == "|":
        return found
    for piece in sorted(node.columns[FEATS].split("|")):
        if piece.count("=") != 1:
            raise Refused("malformed features")
        name, value = piece.split("=")
        if name in NAMES:
            found[name] = value if in_order else ";".join(sorted(value.split(";")))
    return found


def feature_credit(ours: dict[str, str], theirs: dict[str, str]) -> float:
    """The F1 of features; those without a value are never right."""
    if not ours and not theirs:
        return 1
    if not ours or not theirs:
        return 0
    right = len([name for name in ours if ours[name] and ours[name] == theirs.get(name)])
    return 2 * right / (len(ours) + len(theirs))


def credits_of(pairs: list[tuple[Node, Node]], *, in_order: bool) -> dict[str, float]:
    """The sums of one sentence in one direction, added up in gold order from the integer 0."""
    partner = {id(system): gold for gold, system in pairs}
    sums: dict[str, float] = dict.fromkeys(MEASURES, 0)
    for gold, system in pairs:
        ours, theirs = gold.parent, system.parent
        both_roots = ours == "root" and theirs == "root"
        same_head = isinstance(ours, Node) and isinstance(theirs, Node) and partner.get(id(theirs)) is ours
        attached = gold.relation == system.relation and (both_roots or same_head)
        credit = feature_credit(features(gold, in_order=in_order), features(system, in_order=in_order))
        sums["MSLAS"] += credit if attached else 0
        sums["LAS"] += 1 if attached else 0
        sums["Feats"] += credit
    return sums


def score_sentences(gold: list[Sentence], system: list[Sentence], rules: str = "msp25") -> list[dict[str, Counted]]:
    """The counts of every measure in every sentence."""
    n_gold, n_system = blank_at_end(gold), blank_at_end(system)
    gold, system = gold[: len(gold) - n_gold], system[: len(system) - n_system]
    if len(gold) != len(system) or n_gold > n_system:
        raise Refused("different numbers of sentences")
    in_order, misses_last = rules == "msp25", n_system > n_gold == 0
    return [
        score_sentence(ours.content, theirs.content, in_order=in_order, backward=not (misses_last and ours is gold[-1]))
        for ours, theirs in zip(gold, system)
    ]


def score_sentence(gold: list[Node], system: list[Node], *, in_order: bool, backward: bool) -> dict[str, Counted]:
    """The counts of one sentence: for each measure the better direction, backward if they are as good."""
    forward = aligned(gold, system)
    from_end = aligned(gold[::-1], system[::-1])[::-1] if backward else []
    sums = [(pairs, credits_of(pairs, in_order=in_order)) for pairs in (from_end, forward)]
    counted = {}
    for measure in MEASURES:
        pairs, found = max(sums, key=lambda one: one[1][measure])
        counted[measure] = Counted(found[measure], len(gold), len(system), len(pairs))
    return counted


def score(gold: bytes, system: bytes, rules: str = "msp25") -> dict[str, Counted]:
    """The counts of two files: those of their sentences, added up in order."""
    found = score_sentences(read(gold), read(system), rules)
    return {measure: Counted(*(sum(one[measure][part] for one in found) for part in range(4))) for measure in MEASURES}
