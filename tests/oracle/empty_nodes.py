"""Empty nodes, compared as the CRAC 2026 shared task defines it: by the head of the first edge and other properties."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from oracle.document import DEPS, Document
from oracle.measures import Counted, match

HEAD, RELATION, PLACE, FORM, LEMMA, UPOS, XPOS, FEATS = range(8)
COMPARED = {
    "EmptyARC": (HEAD,),
    "EmptyDEP": (HEAD, RELATION),
    "EmptyWO": (HEAD, PLACE),
    "EmptyDEPWO": (HEAD, RELATION, PLACE),
    "EmptyFORM": (HEAD, FORM),
    "EmptyLEMMA": (HEAD, LEMMA),
    "EmptyUPOS": (HEAD, UPOS),
    "EmptyXPOS": (HEAD, XPOS),
    "EmptyFEATS": (HEAD, FEATS),
    "EmptyALL": (HEAD, RELATION, PLACE, FORM, LEMMA, UPOS, XPOS, FEATS),
}


@dataclass
class EmptyNode:
    """A row with a decimal ID, in a sentence by its number."""

    sentence: int
    columns: list[str]

    @property
    def word(self) -> int:
        """The number of the word before it."""
        return int(self.columns[0].split(".")[0])

    @property
    def edge(self) -> list[str]:
        """The head and the relation of its first edge."""
        first = self.columns[DEPS].split("|")[0]
        return ["no head", ""] if first == "_" else first.split(":", 1)

    def example(self, head: object, place: object) -> tuple[object, ...]:
        return (head, self.edge[1], place, *self.columns[1:6])


def empty_nodes(text: str) -> list[EmptyNode]:
    blocks = text.split("\n\n")
    rows = ((number, line.split("\t")) for number, block in enumerate(blocks) for line in block.split("\n"))
    return [EmptyNode(number, row) for number, row in rows if row[0][0:1].isdigit() and "." in row[0]]


def published(gold: str, system: str) -> dict[str, Counted]:
    """Count as the program of the shared task does, for files with the same words in the same sentences."""
    sides = [
        [node.example((node.sentence, node.edge[0]), node.word) for node in empty_nodes(text)]
        for text in (gold, system)
    ]
    return counted(*sides)


def aligned(gold: str, system: str) -> dict[str, Counted]:
    """Count the same for files with other words and sentences: a word of the system has the name of its gold word.

    A root is that of a sentence that starts at the same character.
    """
    matched = match(gold, system, "ud")
    return counted(
        examples(gold, matched.gold, lambda word: word), examples(system, matched.system, matched.gold_of.get)
    )


def examples(text: str, document: Document, gold_word: Callable[[int], int | None]) -> list[tuple[object, ...]]:
    starts = first_words(text)
    found = []
    for node in empty_nodes(text):
        start = starts[node.sentence]

        def named(number: int, start: int = start) -> object:
            """The word with a number in the sentence; unequal to all others if it is not aligned."""
            word = gold_word(start + number - 1)
            return object() if word is None else word

        def place(number: int, named: Callable[[int], object] = named) -> object:
            return ("after", named(number)) if number else ("before", named(1))

        head = node.edge[0]
        if head in {"0", "no head"}:
            parent: object = (head, document.sentences[node.sentence][0])
        elif "." in head:
            number, minor = head.split(".")
            parent = (place(int(number)), minor)
        else:
            parent = named(int(head))
        found.append(node.example(parent, place(node.word)))
    return found


def first_words(text: str) -> list[int]:
    """The index of the first word of each sentence."""
    starts, n_words = [], 0
    for block in text.split("\n\n"):
        starts.append(n_words)
        n_words += sum(line.split("\t")[0].isdigit() for line in block.split("\n"))
    return starts


def counted(gold: list[tuple[object, ...]], system: list[tuple[object, ...]]) -> dict[str, Counted]:
    counts = {}
    for name, columns in COMPARED.items():
        of_gold, of_system = (Counter(tuple(one[i] for i in columns) for one in side) for side in (gold, system))
        counts[name] = Counted((of_gold & of_system).total(), of_gold.total(), of_system.total(), None)
    return counts
