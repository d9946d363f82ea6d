"""The sentence on methods says that scores are partial, or that several roots are allowed."""

import pytest

from conftest import EXAMPLES

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"
PAIR = GOLD / "en.conllu", SYSTEMS / "alpha/en.conllu"


@pytest.mark.parametrize("command", ["score", "score of folders", "compare", "rank"])
def test_the_citation_says_what_scores_are(run, command: str) -> None:
    arguments = {
        "score": ("score", *PAIR),
        "score of folders": ("score", GOLD, SYSTEMS / "alpha"),
        "compare": ("compare", *PAIR, SYSTEMS / "gamma/en.conllu"),
        "rank": ("rank", GOLD, SYSTEMS),
    }[command]
    code, usual, _ = run(*arguments, "--cite", "-m", "UAS")
    assert (code, "partial" in usual, "roots" in usual) == (0, False, False)
    partial = run(*arguments, "--cite", "-m", "UAS", "--partial")[1].splitlines()[0]
    assert " under the scoring rules ud. These are partial scores, not official ones: every gold word counts" in partial
    roots = run(*arguments, "--cite", "-m", "UAS", "--partial", "--allow-several-roots")[1].splitlines()[0]
    assert " under the scoring rules ud, with several roots allowed. These are partial scores" in roots
