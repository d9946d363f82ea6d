"""Examples of papers, written shorter than CoNLL-U."""


def conllu(words: str) -> str:
    """Return CoNLL-U of words written as ID FORM HEAD DEPREL [MISC], ranges as ID FORM.

    Args:
        words: a line for each, an empty line between sentences.
    """
    return "\n".join(_line(line.split()) for line in words.strip().split("\n")) + "\n\n"


def _line(cells: list[str]) -> str:
    if not cells:
        return ""
    if len(cells) == 3:
        return "\t".join(cells)  # a line with too few columns, as it is
    if len(cells) == 2:
        return "\t".join([*cells, *"________"])
    number, form, head, relation, *misc = cells
    return "\t".join([number, form, "_", "_", "_", "_", head, relation, "_", misc[0] if misc else "_"])
