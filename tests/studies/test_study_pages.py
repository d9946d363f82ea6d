"""The pages of studies in the docs: their titles and first sentences are what the code would write."""

import re

import pytest

from conftest import ROOT
from levelhead.errors import with_minus
from levelhead.studies import STUDIES, Claim, Study, study as pages
from levelhead.studies.study import markdown


def claims_of(name: str) -> tuple[Claim, ...]:
    """The claims in the table next to a page."""
    _, *rows = (ROOT / "docs" / "studies" / f"{name}-claims.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(Claim(*(cell.removeprefix("'") for cell in row.split("\t"))) for row in rows)


@pytest.mark.parametrize("name", STUDIES)
def test_a_page_opens_with_two_sentences_of_result(name: str) -> None:
    page = (ROOT / "docs" / "studies" / f"{name}.md").read_text(encoding="utf-8")
    main_claim = STUDIES[name].main_claim
    study = Study(name, "", "", (), (), claims_of(name), {}, main_claim)
    title, _, opening = page.split("\n")[:3]
    assert opening == with_minus(study.verdict)
    shown = page.partition("## Claims\n\n")[2].partition("\n\n## Tables")[0]
    assert shown == markdown(study, name).partition("## Claims\n\n")[2].partition("\n\n## Tables")[0]
    assert f'The main claim, "{main_claim}' in opening
    assert title.startswith("# Replication of ") or name.endswith("-2018")


def study_of(*verdicts: str, main_claim: str = "") -> Study:
    claims = tuple(Claim(f"claim {i}", "page 1", verdict, f"evidence {i}") for i, verdict in enumerate(verdicts))
    return Study("x", "X", "Nobody", ("A setting.",), (), claims, {}, main_claim)


def test_verdicts_are_counted_in_words() -> None:
    assert study_of("holds").verdict == "Of 1 claim, 1 holds."
    assert study_of("inconclusive", "holds", "holds", "no data").verdict == (
        "Of 4 claims, 2 hold, 1 is inconclusive and 1 cannot be tested."
    )


def test_the_main_claim_follows() -> None:
    study = study_of("holds", "does not hold", main_claim="claim 1")
    assert study.verdict == (
        'Of 2 claims, 1 holds and 1 does not hold. The main claim, "claim 1", does not hold: evidence 1.'
    )
    start = f"# X\n\n{study.verdict}\n\nNobody.\n\nA setting.\n\n## Claims\n\nA claim holds if a test is significant"
    assert markdown(study).startswith(start)


def test_pages_say_what_verdicts_mean() -> None:
    study = study_of("holds")
    (claims,) = pages.page(study).sections
    for text in (markdown(study), markdown(study, "x"), str(study), claims.lead):
        assert "Replications" in text


def test_concepts_states_what_a_study_shows_with_its_numbers() -> None:
    claims = claims_of("measures-2018")
    concepts = " ".join((ROOT / "docs" / "concepts.md").read_text(encoding="utf-8").split())
    shown = [claim for claim in claims if claim.text.startswith("CLAS separates fewer pairs")]
    assert [claim.verdict for claim in shown] == ["holds", "holds"]
    for claim in shown:
        for number in re.findall(r"\d\.\d\d", claim.evidence):
            assert f" {number} " in concepts.replace(")", " ")
    (evenly,) = (claim for claim in claims if claim.text.startswith("CLAS scores languages"))
    assert evenly.verdict == "inconclusive"
    assert "The study cannot tell" in concepts
