"""Leakage in plain Python: sentences as lists of columns, compared with every sentence of training."""


def sentences(text):
    """The words of each sentence, as (form, head, relation); multiword tokens and empty nodes left out."""
    found = []
    for block in text.strip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line.split("\t")[0].isdigit()]
        found.append([(row[1], row[6], row[7]) for row in rows])
    return found


def seen(test, training):
    """Which sentences have the words of a training sentence, and which the heads."""
    known = [sentence for text in training for sentence in sentences(text)]
    words, heads = [], []
    for one in sentences(test):
        words.append(any([w[0] for w in one] == [w[0] for w in other] for other in known))
        heads.append(any([w[1] for w in one] == [w[1] for w in other] for other in known))
    return words, heads


def las_on(gold, system, kept):
    """LAS over some sentences of two files with the same words."""
    right = whole = 0
    for ours, theirs, wanted in zip(sentences(gold), sentences(system), kept, strict=True):
        if wanted:
            whole += len(ours)
            right += sum(
                one[1] == other[1] and one[2].split(":")[0] == other[2].split(":")[0]
                for one, other in zip(ours, theirs, strict=True)
            )
    return right / whole if whole else None
