"""All treebanks of a score page together: every error is found again, under the same name as on its treebank."""

from collections import Counter
from functools import partial

from conftest import EXAMPLES
from levelhead.campaign.find import find_plan
from levelhead.campaign.outputs import VisitEach
from levelhead.campaign.run import score_plan
from levelhead.evaluation.setup import setup_of
from levelhead.report.page.treebank_errors import PROPERTY_TITLES, ErrorTally, joined_errors

GOLD, SYSTEMS = EXAMPLES / "parallel" / "gold", EXAMPLES / "parallel" / "systems"


def test_every_error_keeps_its_name() -> None:
    plan = find_plan(GOLD, {"beta": SYSTEMS / "beta"})
    find = partial(ErrorTally, name="beta", n_treebanks=8, setup=setup_of(["LAS"]))
    results = score_plan(plan, setup_of(["LAS"]), look=VisitEach(find))
    parts = [results.looked[one.code]["beta"] for one in plan.test_sets]
    joined, start, at = joined_errors(parts), 0, 0
    for part in parts:
        n_words = len(part.examples.words)
        assert joined.examples.words[at : at + n_words] == [(start + s, word) for s, word in part.examples.words]
        for by in ("repair", "kind", *PROPERTY_TITLES):
            assert part.examples.groups[by] == joined.examples.groups[by][at : at + n_words]
        start, at = start + len(part.examples.sentences), at + n_words
    assert at == len(joined.examples.words)
    for by, totals in joined.examples.totals.items():
        assert sum(totals.values()) == sum(sum(part.examples.totals[by].values()) for part in parts)
        assert totals == Counter(filter(None, joined.examples.groups[by]))  # all sentences are on the page
    assert joined.kinds == {kind: sum(part.kinds[kind] for part in parts) for kind in parts[0].kinds}
    upos = sum(part.examples.totals["upos"].get("NOUN", 0) for part in parts)
    assert joined.examples.totals["upos"]["NOUN"] == upos > 0
    assert "none such" not in joined.examples.totals["upos"]
