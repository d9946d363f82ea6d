"""The treebank that parsers are tried on, and how good a parse is."""

from conftest import EXAMPLES
from levelhead import Treebank, score

GOLD = EXAMPLES / "parallel/gold/en.conllu"


def las(gold: Treebank, system: Treebank) -> float:
    """LAS in percent, by the official scoring."""
    return float(score(gold, system, measures=["LAS"])["LAS"])


def rows_of(treebank: Treebank, start: int, end: int) -> list[dict[str, str]]:
    """The words of a sentence, as the slow parser reads them."""
    names = {"form": "forms", "lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats"}
    columns = {name: list(getattr(treebank, column)[start:end]) for name, column in names.items()}
    return [dict(zip(columns, values)) for values in zip(*columns.values())]
