"""What changed in sentences with the same sent_id and the same tokens, counted cell by cell from the text of files."""

from collections import Counter

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")


def sentences(text):
    """Return the rows of each sentence by its sent_id."""
    found = {}
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        name = next(line.partition("=")[2].strip() for line in lines if line.startswith("# sent_id"))
        found[name] = [line.split("\t") for line in lines if not line.startswith("#")]
    return found


def same_tokens(old, new):
    """Whether two sentences have the same ids and forms."""
    return [row[:2] for row in old] == [row[:2] for row in new]


def tag(rows, head):
    """Return the tag of a head, or "root"."""
    return "root" if head == "0" else next(row[3] for row in rows if row[0] == head)


def attributes(cell):
    """Return the attributes of a cell."""
    return {part.partition("=")[0]: part for part in cell.split("|")} if cell != "_" else {}


def patterns(old, new):
    """Count the changes of words of two sentences with the same tokens, DEPS and MISC apart."""
    counts = Counter()
    for one, other in zip(old, new, strict=True):
        if not one[0].isdigit():
            continue
        for column in ("LEMMA", "UPOS", "XPOS", "DEPREL"):
            place = COLUMNS.index(column)
            if one[place] != other[place]:
                counts[column, one[place], other[place]] += 1
        if one[6] != other[6]:
            counts["HEAD", tag(old, one[6]), tag(new, other[6])] += 1
        ours, theirs = attributes(one[5]), attributes(other[5])
        for name in set(ours) | set(theirs):
            pair = ours.get(name, "-"), theirs.get(name, "-")
            if pair[0] != pair[1]:
                counts["FEATS", *pair] += 1
    return counts
