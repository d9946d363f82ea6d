"""Reading as the rules `ud` do: repair what is unambiguous in the bytes, then accept only well-formed trees."""

import re

from oracle.document import DEPREL, DEPS, FORM, HEAD, ID, Document, Edge, Refused, without_spaces

WORD_ID = re.compile(r"[1-9][0-9]*")
RANGE_ID = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
EMPTY_ID = re.compile(r"(0|[1-9][0-9]*)\.([1-9][0-9]*)")

Row = list[str]
Path = tuple[str, str]
"""An edge, or several joined, as its child sees it: the parent's id and the label."""


class BrokenDeps(ValueError):
    """A DEPS column cannot be read; the basic trees still can."""


def read_strict(text: str, *, several_roots: bool = False) -> Document:
    """Read a whole file, which must hold at least one sentence; if no word has a head, it has no trees."""
    document = Document("ud", several_roots=several_roots)
    sentences = [rows_of(block) for block in blocks(repaired(text))]
    heads = [row[HEAD] for rows in sentences for row in rows if WORD_ID.fullmatch(row[ID])]
    document.has_trees = not heads or any(head != "_" for head in heads)
    for rows in sentences:
        read_sentence(document, rows)
    if not document.sentences:
        raise Refused("no sentence")
    return document


def repaired(text: str) -> str:
    """Drop a byte order mark and make all line ends LF; a lone CR is a line end only in a file without any LF."""
    text = text.removeprefix("\ufeff")
    text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    if "\r" in text or "\0" in text:
        raise Refused("a stray carriage return or NUL")
    return text


def blocks(text: str) -> list[list[str]]:
    """Cut the file at its blank lines (nothing but spaces and tabs); more than one in a row count as one."""
    found: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip(" \t"):
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [block for block in found if block]


def rows_of(block: list[str]) -> list[Row]:
    """Drop the comments at the start; all the rest are rows of ten columns with a visible form, words with a relation."""
    while block and block[0].startswith("#"):
        block = block[1:]
    rows = [line.split("\t") for line in block]
    if not rows:
        raise Refused("comments without a sentence")
    if any(len(row) != 10 for row in rows):
        raise Refused("not ten columns")
    if any(not row[DEPREL] for row in rows if WORD_ID.fullmatch(row[ID])):
        raise Refused("no relation")
    if any(not without_spaces(row[FORM], "ud") for row in rows):
        raise Refused("a form of spaces only")
    return rows


def read_sentence(document: Document, rows: list[Row]) -> None:
    """Read one sentence: ids in order, tokens, tree, enhanced graph."""
    words = [row for row in rows if WORD_ID.fullmatch(row[ID])]
    numbers = {str(number): number for number in range(len(words) + 1)}
    refuse_disorder(rows, numbers)
    first_character, first_word = len(document.characters), len(document.words)
    add_tokens(document, rows, words, numbers)
    document.sentences.append((first_character, len(document.characters)))
    if document.has_trees:
        read_tree(document, first_word, numbers)
    try:
        graph = read_graph(rows, numbers)
    except BrokenDeps:
        document.deps_are_broken = True
        return
    for word in document.words[first_word:]:
        word.edges = [edge_of(path, first_word) for path in collapsed(graph, word.columns[ID])]


def refuse_disorder(rows: list[Row], numbers: dict[str, int]) -> None:
    """Check every id: words 1, 2 ..., a range just before its first word, empty nodes N.1, N.2 ... after word N.

    An id found in `numbers` is written canonically, since the keys are.
    """
    word, empty, range_end = 0, 0, 0
    after_range = False
    for row in rows:
        identifier = row[ID]
        node = EMPTY_ID.fullmatch(identifier)
        token = RANGE_ID.fullmatch(identifier)
        if token and word >= range_end and token[1] == str(word + 1) and numbers.get(token[2], 0) > word:
            range_end = numbers[token[2]]
        elif node and not after_range and (node[1], node[2]) == (str(word), str(empty + 1)):
            empty += 1
        elif identifier == str(word + 1):
            word, empty = word + 1, 0
        else:
            raise Refused(f"id {identifier} where {word + 1} was due")
        after_range = token is not None


def add_tokens(document: Document, rows: list[Row], words: list[Row], numbers: dict[str, int]) -> None:
    """Add a token for each range and for each word outside of ranges."""
    covered = 0
    for row in rows:
        token = RANGE_ID.fullmatch(row[ID])
        form = without_spaces(row[FORM], "ud")
        if token:
            covered = numbers[token[2]]
            document.add_token(form, words[numbers[token[1]] - 1 : covered], in_multiword=True)
        elif row[ID] in numbers and numbers[row[ID]] > covered:
            document.add_token(form, [row], in_multiword=False)


def read_tree(document: Document, first_word: int, numbers: dict[str, int]) -> None:
    """Attach the words: heads 0 to n, exactly one 0 unless several are allowed, no cycle."""
    sentence = document.words[first_word:]
    heads = [numbers.get(word.columns[HEAD]) for word in sentence]
    if None in heads:
        raise Refused("a head outside the sentence")
    if heads.count(0) != 1 and not (document.several_roots and heads.count(0)):
        raise Refused("not exactly one root")
    for word, head in zip(sentence, heads, strict=True):
        word.parent = first_word + head - 1 if head else None
    refuse_cycles([head or 0 for head in heads])


def refuse_cycles(heads: list[int]) -> None:
    """Walk down from the root; a word that is not met leads into a cycle."""
    children: dict[int, list[int]] = {}
    for child, head in enumerate(heads, start=1):
        children.setdefault(head, []).append(child)
    reached, waiting = 0, list(children[0])
    while waiting:
        reached += 1
        waiting += children.get(waiting.pop(), [])
    if reached < len(heads):
        raise Refused("a cycle")


def read_graph(rows: list[Row], numbers: dict[str, int]) -> dict[str, list[Path]]:
    """Read the incoming enhanced edges of all words and empty nodes of a sentence."""
    nodes = {row[ID] for row in rows if EMPTY_ID.fullmatch(row[ID])} | set(numbers)
    return {row[ID]: paths_of(row[DEPS], nodes) for row in rows if row[ID] in nodes}


def paths_of(deps: str, nodes: set[str]) -> list[Path]:
    """Read one DEPS column: nothing, `_`, or HEAD:LABEL joined by bars, each head being the root or a node of the sentence."""
    if deps in {"", "_"}:
        return []
    edges = [edge.partition(":") for edge in deps.split("|")]
    if any(head not in nodes or not label for head, _, label in edges):
        raise BrokenDeps(deps)
    return [(head, label) for head, _, label in edges]


def collapsed(graph: dict[str, list[Path]], word: str) -> list[Path]:
    """Give a word's edges after empty nodes are taken out, as in the IWPT shared tasks on enhanced dependencies.

    A path from a word (or the root) through empty nodes becomes one edge, labeled with the labels on the way joined by
    `>`. It is added once, and not at all where the same edge is already there. No path visits an empty node twice
    (where empty nodes form a cycle, the shared task's own script also keeps some that do, depending on their order).
    """
    edges = [path for path in graph[word] if not is_empty(path[0])]
    waiting = [(node, label, {node}) for node, label in graph[word] if is_empty(node)]
    for node, labels, visited in waiting:
        for parent, label in graph[node]:
            joined = (parent, f"{label}>{labels}")
            if is_empty(parent) and parent not in visited:
                waiting.append((*joined, visited | {parent}))
            elif not is_empty(parent) and joined not in edges:
                edges.append(joined)
    return edges


def is_empty(node: str) -> bool:
    """Say whether an id is that of an empty node."""
    return "." in node


def edge_of(path: Path, first_word: int) -> Edge:
    """Number the parent in the document."""
    head = int(path[0])
    return (first_word + head - 1 if head else None), path[1]
