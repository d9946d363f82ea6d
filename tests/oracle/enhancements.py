"""The six switches of today's official script, edge by edge: kinds of enhancement that are not scored."""

from oracle.document import HEAD, ID, Document, Edge, Word

NO_PARENT = -5
"""What stands for the basic parent of a root, which equals nothing, not even itself on the other side."""

CASE_RELATIONS = ("obl", "nmod", "conj", "advcl")
UNIVERSAL_EXTENSIONS = ("pass", "relcl", "xsubj")


def strip(document: Document, digits: str) -> None:
    """Change the enhanced edges of all words as the option --enhancements with these digits does."""
    for start, end in sentence_bounds(document):
        for number in range(start, end):
            word = document.words[number]
            for digit, change in SWITCHES.items():
                if digit in digits:
                    word.edges = change(document, word, number - start, word.edges)


def sentence_bounds(document: Document) -> list[tuple[int, int]]:
    """Give the numbers of the first word of each sentence and of the word after its last."""
    starts = [i for i, word in enumerate(document.words) if word.columns[ID] == "1"]
    return list(zip(starts, [*starts[1:], len(document.words)], strict=True))


def basic(word: Word) -> Edge:
    return (NO_PARENT if word.parent is None else word.parent, word.relation)


def no_gapping(_document: Document, word: Word, _position: int, edges: list[Edge]) -> list[Edge]:
    kept: list[Edge] = []
    for edge in edges:
        if ">" in edge[1]:
            kept.append(basic(word))
        elif edge not in kept:
            kept.append(edge)
    return kept


def no_shared_parents(_document: Document, _word: Word, _position: int, edges: list[Edge]) -> list[Edge]:
    kept = edges
    for edge in edges:
        if ">" not in edge[1] and edge[1].startswith("conj"):
            kept = [edge]
    return kept


def no_shared_dependents(_document: Document, _word: Word, _position: int, edges: list[Edge]) -> list[Edge]:
    """Compare each head with the text of the column HEAD, which it never is."""
    return edges


def no_control(document: Document, _word: Word, _position: int, edges: list[Edge]) -> list[Edge]:
    kept = []
    for parent, label in edges:
        controlled = is_word(parent) and document.words[parent].relation == "xcomp"
        if not (controlled and any(step.startswith("nsubj") for step in label.split(">"))):
            kept.append((parent, label))
    return kept


def no_relative_clauses(document: Document, word: Word, position: int, edges: list[Edge]) -> list[Edge]:
    """Count words from 0, heads from 1."""
    kept = []
    for parent, label in edges:
        if label.split(">")[0] == "ref":
            kept.append(basic(word))
            continue
        clause = document.words[parent] if is_word(parent) else None
        if clause and clause.relation.startswith("acl") and int(clause.columns[HEAD]) == position:
            continue
        kept.append((parent, label))
    return kept


def no_case(_document: Document, _word: Word, _position: int, edges: list[Edge]) -> list[Edge]:
    return [(parent, ">".join(map(without_case, label.split(">")))) for parent, label in edges]


def without_case(step: str) -> str:
    parts = step.split(":")
    if parts[0] in CASE_RELATIONS and len(parts) == 2 and parts[1] not in UNIVERSAL_EXTENSIONS:
        return parts[0]
    return step


def is_word(parent: int | None) -> bool:
    return parent is not None and parent != NO_PARENT


SWITCHES = {
    "1": no_gapping,
    "2": no_shared_parents,
    "3": no_shared_dependents,
    "4": no_control,
    "5": no_relative_clauses,
    "6": no_case,
}
