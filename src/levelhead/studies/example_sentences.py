"""A short notation for the example sentences of papers, and its conversion to CoNLL-U."""


def conllu(words: str) -> str:
    """Return CoNLL-U for words written as ID FORM HEAD DEPREL [MISC], and multiword tokens written as ID FORM."""
    return "\n".join(_line(line.split()) for line in words.strip().split("\n")) + "\n\n"


def _line(cells: list[str]) -> str:
    if not cells:
        return ""
    if len(cells) == 3:
        return "\t".join(cells)  # left as is: an example of a line with too few columns
    if len(cells) == 2:
        return "\t".join([*cells, *"________"])
    number, form, head, relation, *misc = cells
    return "\t".join([number, form, "_", "_", "_", "_", head, relation, "_", misc[0] if misc else "_"])
