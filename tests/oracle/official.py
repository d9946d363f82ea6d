"""Reading as the three official scorers do: their verdict on every file, leniencies and crashes included."""

from oracle.document import DEPS, FORM, HEAD, ID, Document, Edge, Refused, without_spaces

LONGEST_WALK = 994
"""Words a walk up the tree may enter: on CPython 3.11 one more ends the official scripts in a RecursionError."""

Row = list[str]


def read_official(text: str, rules: str, *, several_roots: bool = False) -> Document:
    """Read a whole file sentence by sentence; several roots are an option of udtools."""
    document = Document(rules, several_roots=several_roots)
    for block in blocks(text):
        read_sentence(document, block)
    return document


def blocks(text: str) -> list[list[str]]:
    """Cut the file at its empty lines, which nothing may contain; each block must be ended by one.

    Comments after the last sentence need no empty line. Two empty lines in a row make an empty block, refused later.
    """
    found: list[list[str]] = [[]]
    for line in lines(text):
        if line:
            found[-1].append(line)
        else:
            found.append([])
    rest = found.pop()
    if any(not line.startswith("#") for line in rest):
        raise Refused("the last sentence is not followed by an empty line")
    return found


def lines(text: str) -> list[str]:
    """Split as a file in text mode does: at LF, CR LF and CR, and nowhere else."""
    pieces = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return pieces[:-1] if pieces[-1] == "" else pieces


def read_sentence(document: Document, block: list[str]) -> None:
    """Read one sentence: comments, then rows of ten columns; then its tree and its enhanced graph."""
    first_character, first_word = len(document.characters), len(document.words)
    rows = [columns_of(line) for line in block[n_comments(block) :]]
    while rows:
        rows = read_token(document, rows, first_word)
    document.sentences.append((first_character, len(document.characters)))
    read_tree(document, first_word)
    if document.rules == "udtools":
        for word in document.words[first_word:]:
            word.edges = read_edges(document, word.columns[DEPS], first_word)


def n_comments(block: list[str]) -> int:
    """Count the comment lines at the start; one further down is an ordinary row, and a bad one."""
    return next((i for i, line in enumerate(block) if not line.startswith("#")), len(block))


def columns_of(line: str) -> Row:
    """Split a row at its tabs."""
    columns = line.split("\t")
    if len(columns) != 10:
        raise Refused(f"{len(columns)} columns")
    return columns


def integer(text: str) -> int:
    """Read a number as Python does, which takes `01`, `+1`, `0_2`, blanks around it and the digits of any script."""
    try:
        return int(text)
    except ValueError as error:
        raise Refused(f"not a number: {text!r}") from error


def read_token(document: Document, rows: list[Row], first_word: int) -> list[Row]:
    """Read the token on the first row, and return the rows after it."""
    columns, rest = rows[0], rows[1:]
    if "." in columns[ID]:  # an empty node, whatever else its id may say
        return rest
    form = without_spaces(columns[FORM], document.rules)
    if not form:
        raise Refused("a token without characters")
    if "-" in columns[ID]:
        members, rest = take_members(rest, range_length(columns[ID]), document.rules)
        document.add_token(form, members, in_multiword=True)
        return rest
    if integer(columns[ID]) != len(document.words) - first_word + 1:
        raise Refused(f"id {columns[ID]} is out of order")
    if integer(columns[HEAD]) < 0:
        raise Refused("a negative head")
    document.add_token(form, [columns], in_multiword=False)
    return rest


def range_length(identifier: str) -> int:
    """Count the words of a multiword token; a reversed range has none. Where the range lies is never checked."""
    ends = identifier.split("-")
    if len(ends) != 2:
        raise Refused(f"not a range: {identifier!r}")
    first, last = map(integer, ends)
    return max(0, last - first + 1)


def take_members(rows: list[Row], n_words: int, rules: str) -> tuple[list[Row], list[Row]]:
    """Take the rows of a multiword token's words, ids unread; only udtools passes over empty nodes among them."""
    members: list[Row] = []
    for position, columns in enumerate(rows):
        if len(members) == n_words:
            return members, rows[position:]
        if rules != "udtools" or "." not in columns[ID]:
            members.append(columns)
    if len(members) < n_words:
        raise Refused("a multiword token is longer than its sentence")
    return members, []


def read_tree(document: Document, first_word: int) -> None:
    """Attach the words of the last sentence; it must be a tree with one root, or with several if they are allowed."""
    sentence = document.words[first_word:]
    for word in sentence:
        word.parent = parent_number(document, integer(word.columns[HEAD]), first_word)
    n_roots = sum(word.parent is None for word in sentence)
    if n_roots != 1 and not (document.several_roots and n_roots):
        raise Refused("not exactly one root")
    refuse_cycles([word.parent for word in sentence], first_word)


def parent_number(document: Document, head: int, first_word: int) -> int | None:
    """Find the parent in the document.

    A negative head is seen here only inside a multiword token. In 2017 it was used as it is to index the list of all
    words so far, so that it finds a word of an earlier sentence or counts from the end of the list.
    """
    n_words = len(document.words)
    if head > n_words - first_word or (head < 0 and document.rules != "conll17"):
        raise Refused("a head outside the sentence")
    return indexed(n_words, first_word, head)


def indexed(n_words: int, first_word: int, head: int) -> int | None:
    """Number the word that Python's list indexing finds for a head, counting from the end where it falls below 0."""
    if head == 0:
        return None
    number = first_word + head - 1
    if not -n_words <= number < n_words:
        raise Refused("a head outside the file")
    return number % n_words


def refuse_cycles(parents: list[int | None], first_word: int) -> None:
    """Walk up from every word until a word of an earlier walk is met, and count the words entered on the way.

    The word where a walk ends is entered too, even if an earlier walk has been there.
    """
    walk_of: dict[int, int] = {}
    for start in range(len(parents)):
        at: int | None = start
        n_entered = 0
        while at is not None:
            n_entered += 1
            if at < 0 or at in walk_of:
                break
            walk_of[at] = start
            parent = parents[at]
            at = None if parent is None else parent - first_word
        if at is not None and at >= 0 and walk_of[at] == start:
            raise Refused("a cycle")
        if n_entered > LONGEST_WALK:
            raise Refused("heads too deep for the official scorer's recursion")


def read_edges(document: Document, deps: str, first_word: int) -> list[Edge]:
    """Read the enhanced edges of a word as udtools does.

    An edge without a colon, or to a head that is neither a number nor contains a dot, crashes it; edges from empty
    nodes are dropped. Heads index the list of all words so far, so that a negative one finds a word (in any token).
    """
    if deps in {"", "_"}:
        return []
    edges: list[Edge] = []
    for edge in deps.split("|"):
        head, colon, label = edge.partition(":")
        if not colon:
            raise Refused(f"not an edge: {edge!r}")
        if "." not in head:
            edges.append((indexed(len(document.words), first_word, integer(head)), label))
    return edges
