"""Random treebanks, and a random system's analysis of the same text, from plain random numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

ALPHABET = ("a", "A", "b", "é", "É", "ß", "İ", "i", "中", "e\u0301", "-", ".")
SPACES = (" ", "\u00a0", "\u3000")
UPOS_TAGS = ("NOUN", "VERB", "DET", "_")
XPOS_TAGS = ("N", "V", "_")
FEATURES = ("Case=Nom", "Case=Gen", "Number=Sing", "Number[psor]=Plur", "Typo=Yes", "Person=1", "Number=Plur", "Abbr")
LEMMAS = ("a", "b", "é", "_", "_")
RELATIONS = (
    *("nsubj", "nsubj:pass", "obj", "obl", "obl:agent", "conj", "root", "acl:relcl", "dep"),
    *("det", "case", "case:x", "mark", "aux", "aux:pass", "cop", "clf", "cc", "punct"),
    *("foo", "foo:bar", "_", "det:poss:x", "NSUBJ"),
)
ENHANCED = ("conj:and", "conj:or", "conj", "nsubj:xsubj", "obl:in", "obl:in:gen", "ref", "root", "a>b:c")
COMMENTS = ("# sent_id = 1", "#", "# text = a b", "# newdoc")


@dataclass
class Node:
    """A word in the making; its head counts in its sentence; `empties` holds the columns of the empty nodes after it."""

    form: str
    tags: list[str]  # LEMMA, UPOS, XPOS, FEATS
    head: int = 0
    distance: int = 0  # from the word to its head in gold, 0 for the root
    relation: str = "dep"
    extra: list[tuple[str, str]] = field(default_factory=list)
    gold_extra: list[tuple[int, str]] = field(default_factory=list)  # the same by distance
    empties: list[list[str]] = field(default_factory=list)  # FORM, LEMMA, UPOS, XPOS, FEATS and DEPS
    gold_empties: list[tuple[list[str], list[tuple[int, str]]]] = field(default_factory=list)  # edges by distance


@dataclass
class Token:
    """A surface token; one that is not multiword has one word of the same form."""

    form: str
    nodes: list[Node]
    multiword: bool = False


Sentence = list[Token]


# Drawing a treebank


def chance(draw: Random, share: float) -> bool:
    return draw.random() < share


def some_form(draw: Random) -> str:
    pieces = [draw.choice(ALPHABET) for _ in range(draw.randint(1, 3))]
    if len(pieces) > 1 and chance(draw, 0.08):
        pieces.insert(1, draw.choice(SPACES))
    return "".join(pieces)


def some_tags(draw: Random) -> list[str]:
    features = draw.choices(FEATURES, k=draw.randint(0, 3))
    return [draw.choice(LEMMAS), draw.choice(UPOS_TAGS), draw.choice(XPOS_TAGS), "|".join(features) or "_"]


def some_sentence(draw: Random, n_words: int) -> Sentence:
    """Draw tokens until they hold so many words, then a tree over these."""
    tokens: Sentence = []
    missing = n_words
    while missing:
        size = min(missing, draw.choice((1, 1, 1, 1, 2, 2, 3)))
        multiword = size > 1 or chance(draw, 0.05)
        forms = [some_form(draw) for _ in range(size)]
        surface = some_form(draw) if multiword and chance(draw, 0.5) else "".join(forms)
        tokens.append(Token(surface, [Node(form, some_tags(draw)) for form in forms], multiword))
        missing -= size
    grow_tree(draw, nodes_of(tokens))
    return tokens


def nodes_of(sentence: Sentence) -> list[Node]:
    return [node for token in sentence for node in token.nodes]


def grow_tree(draw: Random, nodes: list[Node]) -> None:
    """Attach each word to one of those before it in a random order: any tree, crossing arcs included."""
    order = draw.sample(range(1, len(nodes) + 1), k=len(nodes))
    for position, number in enumerate(order):
        node = nodes[number - 1]
        node.head = draw.choice(order[:position]) if position else 0
        node.relation = draw.choice(RELATIONS) if position or chance(draw, 0.2) else "root"


def enhance(draw: Random, sentence: Sentence, *, inside_multiword: bool) -> None:
    """Add empty nodes and enhanced edges, from and to empty nodes as well; cycles and doubled edges occur."""
    nodes, ids = nodes_of(sentence), []
    for number, node in enumerate(nodes, start=1):
        n_empties = draw.choice((0, 0, 0, 1, 2)) if inside_multiword or ends_token(sentence, node) else 0
        ids += [f"{number}.{k + 1}" for k in range(n_empties)]
        node.empties = [[] for _ in range(n_empties)]
    heads = [str(number) for number in range(len(nodes) + 1)] + ids * 2
    for node in nodes:
        node.extra = some_edges(draw, heads)
        node.empties = [empty_columns(deps_column(some_edges(draw, heads))) for _ in node.empties]


def empty_columns(deps: str) -> list[str]:
    """The columns of an empty node; they follow from DEPS, so that drawing them changes nothing else."""
    draw = Random(deps)
    return ["_" if chance(draw, 0.2) else draw.choice(ALPHABET[:4]), *some_tags(draw), deps]


def some_edges(draw: Random, heads: Sequence[str]) -> list[tuple[str, str]]:
    labels = ENHANCED if chance(draw, 0.7) else ENHANCED[:2]
    return [(draw.choice(heads), draw.choice(labels)) for _ in range(draw.choice((0, 1, 1, 2, 3)))]


def ends_token(sentence: Sentence, node: Node) -> bool:
    return any(token.nodes[-1] is node for token in sentence)


def deps_column(edges: list[tuple[str, str]]) -> str:
    return "|".join(f"{head}:{label}" for head, label in edges) or "_"


# Writing it


def written(sentences: list[Sentence], comments: Sequence[str] = ()) -> str:
    """Write CoNLL-U; each comment goes before the sentence of its number."""
    blocks: list[str] = []
    for i, sentence in enumerate(sentences):
        lines = [*comments[i : i + 1], *rows(sentence)]
        blocks.append("".join(f"{line}\n" for line in lines) + "\n")
    return "".join(blocks)


def rows(sentence: Sentence) -> list[str]:
    lines: list[str] = []
    number = 0
    for token in sentence:
        if token.multiword:
            lines.append("\t".join((f"{number + 1}-{number + len(token.nodes)}", token.form, *"________")))
        for node in token.nodes:
            number += 1
            deps = deps_column(([(str(node.head), node.relation)] if node.extra else []) + node.extra)
            form = node.form if token.multiword else token.form
            lines.append("\t".join((str(number), form, *node.tags, str(node.head), node.relation, deps, "_")))
            for k, (*cells, deps) in enumerate(node.empties, start=1):
                lines.append("\t".join((f"{number}.{k}", *cells, "_", "_", deps, "_")))
    return lines


def some_gold(draw: Random, sizes: Sequence[int]) -> list[Sentence]:
    """Draw sentences of the given numbers of words; some treebanks have enhanced graphs."""
    sentences = [some_sentence(draw, size) for size in sizes]
    enhanced = draw.choice(("no", "no", "yes", "inside"))
    for sentence in sentences if enhanced != "no" else ():
        enhance(draw, sentence, inside_multiword=enhanced == "inside")
    return sentences


def some_treebank(draw: Random, sizes: Sequence[int]) -> str:
    """Draw the text of a valid CoNLL-U file."""
    comments = draw.choices(COMMENTS, k=len(sizes)) if chance(draw, 0.5) else ()
    return written(some_gold(draw, sizes), comments)


# A system's view of the same text


def parse(text: str) -> list[Sentence]:
    """Read back what `written` wrote (and nothing else)."""
    sentences: list[Sentence] = []
    for block in text.split("\n\n")[:-1]:
        lines = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        sentence: Sentence = []
        covered = 0
        for row in lines:
            if "-" in row[0]:
                covered = int(row[0].split("-")[1])
                sentence.append(Token(row[1], [], multiword=True))
            elif "." in row[0]:
                word = row[0].partition(".")[0]
                sentence[-1].nodes[-1].gold_empties.append((row[1:6], extra_edges([word, *row[1:8], f"|{row[8]}"])))
            else:
                if int(row[0]) > covered:
                    sentence.append(Token(row[1], []))
                sentence[-1].nodes.append(Node(row[1], row[2:6], distance=distance(row, row[6]), relation=row[7]))
                sentence[-1].nodes[-1].gold_extra = extra_edges(row)
        sentences.append(sentence)
    return sentences


def distance(row: list[str], head: str) -> int:
    return int(head) - int(row[0]) if head != "0" else 0


def extra_edges(row: list[str]) -> list[tuple[int, str]]:
    """Read all enhanced edges but the first, which repeats the basic one, and those from empty nodes."""
    edges = [edge.split(":", 1) for edge in row[8].split("|")[1:] if edge != "_"]
    return [(distance(row, head), label) for head, label in edges if "." not in head]


def some_system(draw: Random, gold: str) -> str:
    """Draw another analysis of a treebank's text: sentences, tokens, multiword tokens, tags and trees.

    Its characters are the same under all rules. It is valid, and right more often than not.
    """
    tokens = retokenized(draw, parse(gold), care=draw.choice((0.5, 0.9, 1.0)))
    sentences: list[Sentence] = [[]]
    for token, ends in tokens:
        sentences[-1].append(token)
        if chance(draw, 0.85 if ends else 0.04):
            sentences.append([])
    sentences = [sentence for sentence in sentences if sentence]
    for sentence in sentences:
        retag(draw, nodes_of(sentence), care=draw.choice((0.6, 0.9, 1.0)))
        if chance(draw, 0.15):
            enhance(draw, sentence, inside_multiword=chance(draw, 0.2))
        else:
            keep_empty_nodes(sentence)
    return written(sentences)


def keep_empty_nodes(sentence: Sentence) -> None:
    """Keep most empty nodes of gold, with changes; random numbers of their own, so that this changes nothing else."""
    nodes = nodes_of(sentence)
    draw = Random("".join(node.form for node in nodes))
    for number, node in enumerate(nodes, start=1):
        for cells, edges in node.gold_empties:
            other = draw.choice(nodes) if chance(draw, 0.2) else node
            if not ends_token(sentence, other) or chance(draw, 0.1):
                continue
            kept = [old if chance(draw, 0.8) else new for old, new in zip(cells, empty_columns(str(draw.random())))]
            heads = [(number + step if step else 0, relabeled(draw, label, ENHANCED, 0.8)) for step, label in edges]
            inside = [(str(head), label) for head, label in heads if 0 <= head <= len(nodes)]
            other.empties = [*other.empties, [*kept, deps_column(inside)]]  # copies of a word share their lists


def retokenized(draw: Random, sentences: list[Sentence], care: float) -> list[tuple[Token, bool]]:
    """Merge, split and reanalyze tokens; each comes with whether a gold sentence ends there."""
    found: list[tuple[Token, bool]] = []
    held: list[Token] = []
    for sentence in sentences:
        for token in sentence:
            held.append(token)
            if chance(draw, 0.85 + 0.15 * care) or (token is sentences[-1][-1]):
                *before, last = reanalyzed(draw, held, care)
                found += [(part, False) for part in before]
                found.append((last, token is sentence[-1]))
                held = []
    return found


def reanalyzed(draw: Random, tokens: list[Token], care: float) -> list[Token]:
    """Give one or more tokens again, as they are, or as one token, or cut at a character."""
    form = "".join(token.form for token in tokens)
    nodes = nodes_of(tokens)
    if len(tokens) == 1 and chance(draw, care):
        return [Token(form, nodes, tokens[0].multiword)]
    if chance(draw, 0.5) and len(form) > 1:
        cut = draw.randint(1, len(form) - 1)
        halves = [half for half in (form[:cut], form[cut:]) if half not in SPACES]
        if len(halves) == 2:
            return [remade(draw, half, nodes) for half in halves]
    return [remade(draw, form, nodes)]


def remade(draw: Random, form: str, nodes: list[Node]) -> Token:
    """Make a plain token, or a multiword one whose words are like those that stood there."""
    if len(form) > 1 and chance(draw, 0.1):
        form = form[0] + " " + form[1:]
    if chance(draw, 0.4):
        return Token(form, [replace(draw.choice(nodes))])
    words = [changed(draw, node) for node in nodes if chance(draw, 0.85)]
    if chance(draw, 0.2):
        words.insert(draw.randint(0, len(words)), changed(draw, draw.choice(nodes)))
    return Token(form, words or [changed(draw, nodes[0])], multiword=True)


def changed(draw: Random, node: Node) -> Node:
    form = draw.choice((node.form, node.form, node.form.upper(), node.form.lower(), some_form(draw)))
    return replace(node, form=form)


def retag(draw: Random, nodes: list[Node], care: float) -> None:
    """Keep most tags, labels and distances to the head, and make it a tree."""
    for number, node in enumerate(nodes, start=1):
        node.tags = [old if chance(draw, care) else new for old, new in zip(node.tags, some_tags(draw), strict=True)]
        node.relation = relabeled(draw, node.relation, RELATIONS, care)
        head = number + node.distance if node.distance else 0
        node.head = head if chance(draw, care) and 0 <= head <= len(nodes) else draw.randint(0, len(nodes))
        parents = [number + step if step and number + step <= len(nodes) else 0 for step, _ in node.gold_extra]
        labels = [relabeled(draw, label, ENHANCED, care) for _, label in node.gold_extra]
        node.extra = [(str(max(0, parent)), label) for parent, label in zip(parents, labels, strict=True)]
    mend_tree(nodes)


def relabeled(draw: Random, label: str, labels: Sequence[str], care: float) -> str:
    """Keep a label, or lose its subtype, or take another."""
    if chance(draw, care):
        return label
    return draw.choice((label.partition(":")[0], draw.choice(labels)))


def mend_tree(nodes: list[Node]) -> None:
    """Make the first root the only one, and hang what does not lead up to it from it."""
    root = next((number for number, node in enumerate(nodes, start=1) if node.head == 0), 1)
    nodes[root - 1].head = 0
    attached = {root}
    for number in range(1, len(nodes) + 1):
        walk = [number]
        while walk[-1] not in attached and nodes[walk[-1] - 1].head not in {0, *walk}:
            walk.append(nodes[walk[-1] - 1].head)
        if walk[-1] not in attached:
            nodes[walk[-1] - 1].head = root
        attached.update(walk)
