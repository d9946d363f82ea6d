"""The rows of aligned words, written out word by word from the definition of each column."""

from typing import Any

from oracle.document import DEPREL, FEATS, FORM, HEAD, ID, LEMMA, UPOS, XPOS, Document
from oracle.fair import NIVRE_FANG
from oracle.measures import home_sentences, match, same_column, same_features, same_head, same_lemma

Row = dict[str, Any]

CLASS_OF = {relation: name for name, relations in NIVRE_FANG.items() for relation in relations.split()}
"""Of relations of UD v2."""

OF_GOLD = "word form lemma upos xpos feats deprel relation head head_form head_upos distance depth class".split()
OF_SYSTEM = "system_word system_head system_deprel system_upos system_feats system_lemma".split()
CORRECT = {
    "head_correct": same_head,
    "deprel_correct": lambda m, g, s: m.gold.words[g].relation == m.system.words[s].relation,
    "upos_correct": same_column(UPOS),
    "feats_correct": same_features,
    "lemma_correct": same_lemma,
}


def places(text: str) -> list[Row]:
    """Give the document, the number and the id of each sentence."""
    found, document, n_marks = [], None, 0
    blocks = [block.split("\n") for block in text.strip("\n").split("\n\n")]
    unmarked = not any(line.startswith("# newdoc") for line in blocks[0])
    for number, lines in enumerate(blocks, 1):
        for line in lines:
            if line.startswith("# newdoc"):
                n_marks += 1
                name = line.partition("=")[2].strip()
                document = name or f"#{n_marks + unmarked}"
        ids = [line.partition("=")[2].strip() for line in lines if line.startswith("# sent_id")]
        found.append({"document": document, "sentence": number, "sent_id": ids[0] if ids else None})
    return found


def depth(document: Document, number: int) -> int:
    parent = document.words[number].parent
    return 0 if parent is None else 1 + depth(document, parent)


def gold_cells(document: Document, number: int) -> Row:
    word = document.words[number]
    parent = None if word.parent is None else document.words[word.parent]
    written = (int(word.columns[ID]), *(word.columns[i] for i in (FORM, LEMMA, UPOS, XPOS, FEATS, DEPREL)))
    cells = (
        *written,
        word.relation,
        int(word.columns[HEAD]),
        parent and parent.columns[FORM],
        parent and parent.columns[UPOS],
        None if word.parent is None else abs(word.parent - number),
        depth(document, number),
        CLASS_OF.get(word.relation, "UNKNOWN"),
    )
    return dict(zip(OF_GOLD, cells, strict=True))


def system_cells(document: Document, number: int) -> Row:
    columns = document.words[number].columns
    cells = (int(columns[ID]), int(columns[HEAD]), *(columns[i] for i in (DEPREL, UPOS, FEATS, LEMMA)))
    return dict(zip(OF_SYSTEM, cells, strict=True))


def rows(gold_text: str, system_text: str, rules: str, treebank: str, system: str) -> list[Row]:
    """Give the gold words of each sentence, then its system words that are not aligned."""
    m = match(gold_text, system_text, rules)
    gold_home, system_home = home_sentences(m.gold, m.gold), home_sentences(m.system, m.gold)
    system_of = dict(m.pairs)
    found = []
    for sentence, place in enumerate(places(gold_text)):
        of_gold = [g for g, home in enumerate(gold_home) if home == sentence]
        alone = [s for s, home in enumerate(system_home) if home == sentence and s not in m.gold_of]
        for g, s in [*((g, system_of.get(g)) for g in of_gold), *((None, s) for s in alone)]:
            row = {"treebank": treebank, **place}
            row |= dict.fromkeys(OF_GOLD) if g is None else gold_cells(m.gold, g)
            row["system"] = system
            row |= dict.fromkeys(OF_SYSTEM) if s is None else system_cells(m.system, s)
            both = g is not None and s is not None
            found.append(row | {name: both and agrees(m, g, s) for name, agrees in CORRECT.items()})
    return found
