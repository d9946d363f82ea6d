"""The text of a command begins with the verdict of its result, in the words of its JSON document and of pages."""

import html
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import levelhead
from conftest import EXAMPLES, one_in
from json_outputs import ALPHA, BETA, GOLD, GOLDS, OF_RESULTS, SYSTEMS, arguments_in
from levelhead.analysis.repairs import NOT_ALIGNED, costliest_error

KINDS = (
    "agree", "analyze", "breakdown", "compare", "confusion", "correlate", "diff", "difficulty", "languages", "power", "profile",
    "rank", "similarity", "suspects", "validate",
)  # fmt: skip
COMMANDS = [*((kind, OF_RESULTS[kind][0]) for kind in KINDS), ("score", ("score", GOLDS, SYSTEMS / "alpha"))]


@pytest.mark.parametrize(("kind", "command"), COMMANDS, ids=[kind for kind, _ in COMMANDS])
def test_text_begins_with_the_verdict(kind, command, tmp_path: Path, run) -> None:
    arguments = arguments_in(tmp_path, command)
    document = json.loads(run(*arguments, "--format", "json")[1])
    verdict = document["verdict"]
    assert document["kind"] == kind
    assert verdict.endswith(".")
    text = run(*arguments)[1]
    quiet = run(*arguments, "--quiet")[1]
    lines, _, rest = text.partition("\n\n")
    assert " ".join(lines.split()) == verdict
    assert max(map(len, lines.split("\n"))) <= 100
    assert rest == quiet


@pytest.mark.parametrize(("kind", "command"), one_in(4, COMMANDS))
def test_markdown_has_no_verdict(kind, command, tmp_path: Path, run) -> None:
    arguments = arguments_in(tmp_path, command)
    verdict = json.loads(run(*arguments, "--format", "json")[1])["verdict"]
    assert verdict not in run(*arguments, "--format", "markdown")[1], kind


def test_one_pair_of_files_is_scored_without_a_sentence(run) -> None:
    assert run("score", GOLD, ALPHA)[1] == run("score", GOLD, ALPHA, "--quiet")[1]
    assert run("score", GOLD, ALPHA)[1].startswith("Metric")
    assert levelhead.score(GOLD, ALPHA).verdict is None
    assert str(levelhead.score(GOLD, ALPHA)).startswith("Metric")


PRINTED = {
    "score": lambda: levelhead.score(GOLDS, SYSTEMS / "alpha", measures="LAS"),
    "rank": lambda: levelhead.rank(GOLDS, SYSTEMS, measures="LAS"),
    "validate": lambda: levelhead.validate(GOLD, SYSTEMS / "gamma/tr.conllu"),
    "similarity": lambda: levelhead.similarity(GOLDS),
}


@pytest.mark.parametrize("name", PRINTED)
def test_results_print_themselves_below_their_verdict(name) -> None:
    result = PRINTED[name]()
    lines, _, rest = str(result).partition("\n\n")
    assert " ".join(lines.split()) == result.verdict
    assert max(map(len, lines.split("\n"))) <= 100
    assert rest
    assert f"<p><b>{html.escape(result.verdict)}</b></p>" in result._repr_html_()


def test_the_lowest_treebank_is_named_unless_all_are_equal() -> None:
    evaluation = levelhead.score(GOLDS, SYSTEMS / "alpha")
    lowest = min(evaluation.parts, key=lambda code: evaluation.parts[code]["LAS"].value)
    assert evaluation.verdict.endswith(f" Lowest LAS: {lowest} ({evaluation.parts[lowest]['LAS'].value:.2f}).")
    assert "Lowest" not in levelhead.score(GOLDS, GOLDS).verdict


def test_measures_are_grouped_by_their_outcome() -> None:
    comparison = levelhead.compare(GOLD, [ALPHA, BETA], measures=["UAS", "LAS", "CLAS"])
    numbers = {"UAS": (3.0, 0.002), "LAS": (-2.0, 0.03), "CLAS": (1.0, 0.5)}

    def verdict_of(numbers) -> str:
        changed = (
            one
            if one.difference is None
            else one._replace(difference=numbers[one.measure][0], p=numbers[one.measure][1])
            for one in comparison.results
        )
        return replace(comparison, results=tuple(changed)).verdict

    mixed = "beta is better than alpha in UAS (+3.00, p = .002) and worse than alpha in LAS (−2.00, p = .030)"
    assert verdict_of(numbers) == f"{mixed}; in CLAS they do not differ significantly."
    ties = dict.fromkeys(numbers, (0.0, 1.0))
    assert verdict_of(ties) == "beta and alpha do not differ significantly in UAS, LAS, CLAS."
    untested = dict.fromkeys(numbers, (-9.0, None))
    assert verdict_of(untested) == "Differences between beta and alpha are not tested: see the notes."
    some = verdict_of(numbers | {"CLAS": (None, None)})
    assert some == f"{mixed}; differences in CLAS are not tested."


def test_several_systems_are_compared_by_one_measure() -> None:
    comparison = levelhead.compare(GOLD, [ALPHA, BETA, GOLD], measures=["LAS"])
    first, beta, gold = comparison.results
    changed = first, beta._replace(difference=-5.0, p=0.01), gold._replace(difference=4.0, p=0.2)
    several = replace(comparison, results=changed)
    assert several.verdict == (
        f"By LAS, compared with {first.system}, worse: {beta.system} (−5.00, p = .010); not significantly"
        f" different: {gold.system}."
    )
    ties = first, beta._replace(p=0.6), gold._replace(p=None)
    assert replace(comparison, results=ties).verdict == f"By LAS, no system differs significantly from {first.system}."
    none = first, beta._replace(p=None), gold._replace(p=None)
    assert "are not tested: see the notes" in replace(comparison, results=none).verdict
    alone = levelhead.compare(GOLD, [ALPHA], measures=["LAS"])
    (result,) = alone.results
    assert alone.verdict == "LAS of alpha: 89.02 (95% CI {:.2f}-{:.2f}).".format(*result.interval)
    assert replace(alone, results=(result._replace(interval=None),)).verdict == "LAS of alpha: 89.02."


def test_lower_perplexities_are_better() -> None:
    comparison = levelhead.compare(GOLD, [ALPHA, BETA], measures=[f"DPPL({GOLD})"])
    changed = tuple(
        one if one.difference is None else one._replace(difference=-1.0, p=0.001) for one in comparison.results
    )
    assert replace(comparison, results=changed).verdict.startswith("beta is better than alpha in DPPL(")


def test_the_first_place_names_what_the_second_lacks() -> None:
    ranked = levelhead.rank(GOLDS, SYSTEMS, measures=["LAS"], significance=True)
    assert ranked.verdict == (
        "alpha ranks first (LAS 88.93) but is not significantly better than gamma, which counts 0 on tr (cycle, line 49)."
    )
    untested = levelhead.rank(GOLDS, SYSTEMS, measures=["LAS"])
    second = untested.rankings[0].standings[1]
    assert untested.verdict.startswith(f"alpha ranks first (LAS 88.93), ahead of gamma ({second.value:.2f}), which")
    alone = levelhead.rank(GOLDS, SYSTEMS, measures=["LAS"], only=["gamma"])
    assert re.fullmatch(r"gamma ranks first \(LAS [\d.]+\) despite 0 on tr \(cycle, line 49\)\.", alone.verdict)


def test_languages_that_do_not_differ() -> None:
    compared = levelhead.languages(GOLDS, [SYSTEMS / "alpha"])
    first, *rest = (pair for pair in compared.pairs if pair.measure == "LAS")
    assert replace(compared, pairs=(first._replace(p=None),)).verdict.startswith(
        "By LAS, differences between treebanks are"
    )
    assert replace(compared, pairs=(first._replace(p=1.0),)).verdict == "By LAS, no two treebanks differ significantly."
    found = first._replace(p=0.01, difference=2.0)
    higher = f"is 2.00 points higher on {first.treebank_a} than on {first.treebank_b} (p = .010)."
    assert replace(compared, pairs=(found,)).verdict == f"LAS of alpha {higher}"
    several = (rest[0]._replace(p=0.8, difference=50.0), found)
    assert replace(compared, pairs=several).verdict == (
        f"1 of 2 differences in LAS is significant; the largest: alpha {higher}"
    )
    lower = replace(compared, pairs=(found._replace(difference=-2.0),)).verdict
    assert lower == f"LAS of alpha is 2.00 points higher on {first.treebank_b} than on {first.treebank_a} (p = .010)."


def test_detectable_differences() -> None:
    typical = levelhead.power()
    assert re.fullmatch(
        r"With [\d,]+ \w+ and 1 run of each system, a difference of [\d.]+ points in LAS is detected with 80% power at"
        r" level 0\.05\.",
        typical.verdict,
    )
    unknown = tuple(row._replace(detectable=None) for row in typical.rows)
    assert replace(typical, rows=unknown).verdict.startswith("The detectable difference in LAS cannot be estimated")
    own = levelhead.power(GOLD, [ALPHA, BETA])
    ((_, units),) = own.units.items()
    assert own.verdict.startswith(f"With {units.n_units} ")
    both = levelhead.power(GOLDS, [SYSTEMS / "alpha", SYSTEMS / "beta"])
    (row,) = (row for row in both.rows if row.average and row.measure == "LAS" and row.n_units == units.n_units)
    start = f"With {units.n_units} sentences in each of 8 test sets and 1 run of each system"
    assert both.verdict.startswith(f"{start}, a difference of {row.detectable:.2f} points in LAS")


def test_several_most_unusual_treebanks_are_told_with_their_columns() -> None:
    verdict = levelhead.profile(GOLDS, columns="depth,distance").verdict
    assert verdict.startswith(
        "de (distance), ja (depth) and tr (distance) are the most unusual of 8 treebanks: outliers"
    )


def test_errors_by_words() -> None:
    broken = levelhead.breakdown(GOLDS, [SYSTEMS / "beta"], by=["upos"])
    wrong: dict[str, int] = {}
    for row in broken.tables["scores"].rows:
        of_row = dict(zip(broken.tables["scores"].names, row, strict=True))
        value, gold, correct = (of_row[name] for name in ("by_upos", "gold", "correct"))
        wrong[value] = wrong.get(value, 0) + gold - correct
    most = max(wrong, key=lambda value: wrong[value])
    assert broken.verdict.startswith(f"By LAS, the most errors are in upos {most}: {wrong[most]:,} of ")
    with_subtypes = levelhead.breakdown(GOLDS, [SYSTEMS / "beta"], by=["deprel"]).verdict
    assert with_subtypes.startswith("By LAS with subtypes, the most errors are in deprel ")
    assert levelhead.breakdown(GOLD, [GOLD], by=["upos"]).verdict == "By LAS, no gold word is wrong."
    gains = levelhead.breakdown(GOLD, [ALPHA, BETA], by=["upos"])
    loss = r"By LAS, compared with alpha, beta loses most in [A-Z]+ \(−\d+ correct words{}\)\."
    assert re.fullmatch(loss.format(""), gains.verdict)
    unsure = [gain._replace(estimate=gain.estimate._replace(interval=(-9.0, 1.0))) for gain in gains.gains["en"]]
    chance = replace(gains, gains={"en": unsure}).verdict
    assert re.fullmatch(loss.format(", but the interval contains 0"), chance)
    equal = replace(gains, gains={"en": [gain._replace(more_correct=0) for gain in gains.gains["en"]]})
    assert equal.verdict == "By LAS, compared with alpha, no system has more or fewer correct words."


def test_confusion_of_an_output_without_errors() -> None:
    assert levelhead.confusion(GOLD, GOLD).verdict == "No aligned word has a wrong relation."
    assert re.fullmatch(
        r"The most frequent error: gold \w+ is \w+ in the output, in \d+ words? \([\d.]+% of all \w+\)\.",
        levelhead.confusion(GOLD, BETA).verdict,
    )


@pytest.mark.parametrize(
    ("p", "says"),
    [(0.01, "a and b correlate significantly (Pearson 0.500, p = .010, n = 5)."),
     (0.2, "a and b do not correlate significantly (Pearson 0.500, p = .200, n = 5)."),
     (None, "No correlation is tested: see the notes.")],
)  # fmt: skip
def test_a_single_correlation(p, says, tmp_path: Path) -> None:
    file = tmp_path / "table.tsv"
    file.write_text("treebank\ta\tb\nu\t1\t2\nv\t2\t1\nw\t3\t4\nx\t4\t3\ny\t5\t9\n")
    result = levelhead.correlate(levelhead.measurements(file), methods=["pearson"])
    (pair,) = result.pairs
    coefficient = pair.coefficients["pearson"]._replace(value=0.5, p=p)
    assert replace(result, pairs=(pair._replace(coefficients={"pearson": coefficient}),)).verdict == says


def test_similarity_of_two_treebanks() -> None:
    three = levelhead.similarity(GOLDS)
    names = next(iter(three.pairs))
    one = replace(three, pairs={names: three.pairs[names]._replace(relations=0.25)})
    assert one.verdict == f"Distance by relations: {names[0]} and {names[1]} (0.25); 0 means identical."
    nothing = replace(three, pairs={names: three.pairs[names]._replace(relations=None)})
    assert nothing.verdict == "No distance by relations: there is nothing to compare."


def test_files_are_valid_or_not(tmp_path: Path) -> None:
    assert levelhead.validate(GOLD).verdict == "The file is valid."
    assert levelhead.validate(GOLDS / "en.conllu", GOLDS / "tr.conllu").verdict == "2 of 2 files are valid."
    invalid = SYSTEMS / "gamma/tr.conllu"
    assert levelhead.validate(invalid).verdict == "The file is invalid: 2 errors."
    assert levelhead.validate(GOLD, invalid).verdict == f"1 of 2 files is valid: 2 errors ({invalid})."
    warned = tmp_path / "warned.conllu"
    warned.write_bytes(b"\xef\xbb\xbf" + GOLD.read_bytes())
    assert levelhead.validate(warned).verdict == "The file is valid: 1 warning."
    untidy = EXAMPLES / "untidy/en.conllu"
    assert re.fullmatch(r"The file is invalid: 1 error and \d+ warnings\.", levelhead.validate(untidy).verdict)


def test_agreement_of_several_annotators() -> None:
    two, three = levelhead.agree(GOLD, ALPHA), levelhead.agree(GOLD, ALPHA, BETA)
    heads, relations = (f"{two[name].observed:.1f}%" for name in ("heads", "relations"))
    assert two.verdict == f"The annotators agree on the heads of {heads} and the relations of {relations} of words."
    assert three.verdict.startswith("On average, two of the 3 annotators agree on the heads of ")
    unknown = replace(two, labels=tuple(label._replace(observed=None) for label in two.labels))
    assert unknown.verdict == "No word has been annotated by both."


def test_changes_without_a_changed_word(tmp_path: Path) -> None:
    text = GOLD.read_text("utf-8")
    first = text.partition("\n\n")[0] + "\n\n"
    less = tmp_path / "less.conllu"
    less.write_text(text.removeprefix(first), "utf-8")
    assert levelhead.diff(GOLD, GOLD).verdict == "Nothing has changed."
    assert levelhead.diff(GOLD, less).verdict == "1 of 20 sentences have changed (1 removed)."
    assert levelhead.diff(less, GOLD).verdict == "1 of 20 sentences have changed (1 added)."
    changed = levelhead.diff(GOLD, ALPHA).verdict
    assert re.fullmatch(r"\d+ of 20 sentences have changed \(.*\)\. The most frequent change: .*\.", changed)


def test_suspects_name_their_evidence() -> None:
    found = levelhead.suspects(GOLD, [ALPHA, BETA])
    check = ". Check each of them before you change it."
    assert replace(found, suspects=()).verdict == "No word is suspect."
    ((first, *_), n) = found.suspects, found.treebank.n_words
    one = first._replace(n_for=1, n_gold=1)
    assert replace(found, suspects=(one,)).verdict == f"1 of {n} words is suspect{check}"
    assert "in 1, both systems agree on another annotation" in replace(found, suspects=(first, one)).verdict
    three = replace(found, systems=("a", "b", "c"), suspects=(first._replace(n_for=3), one))
    assert three.verdict == f"2 of {n} words are suspect: in 1, all 3 systems agree on another annotation{check}"


def test_the_costliest_error() -> None:
    perfect = levelhead.analyze(GOLD, GOLD)
    assert perfect.verdict == "No repair would gain points of LAS."
    found = levelhead.analyze(GOLD, BETA)
    (((repair, *_), *_),) = found.treebanks.values()
    assert found.verdict.startswith(f"Costliest error: {repair.in_words()}. Correcting ")
    assert f"would gain {repair.gain:.2f} points of LAS" in found.verdict
    assert " on average" in levelhead.analyze(GOLDS, SYSTEMS / "beta").verdict
    assert found.verdict == levelhead.breakdown(GOLD, BETA).verdict
    of_both = repair._replace(gold_value="obl", system_value="nmod", error="head, relation", words=3)
    follows = "Correcting its 3 words would gain 2.00 points of LAS; 2 of them can follow from another wrong head."
    assert costliest_error([of_both._replace(causes=1, gain=2.0)], "LAS", several=False) == (
        f"Costliest error: obl mistaken for nmod with the wrong head. {follows}"
    )
    missed = repair._replace(error=NOT_ALIGNED, gold_value=None, system_value=None, words=4, causes=1, gain=1.0)
    assert costliest_error([missed], "LAS", several=False) == (
        "Costliest error: words that the system segments differently. Correcting these 4 would gain 1.00 points of LAS."
    )


def test_rules_that_agree_or_not() -> None:
    assert levelhead.explain(GOLD, GOLD).verdict == "No score depends on the choice of rules."
    changed = levelhead.explain(GOLD, ALPHA)
    assert (changed.verdict == "No score depends on the choice of rules.") == (
        not any(each.changes for each in changed.differences)
    )


def test_judged_measures() -> None:
    votes = ["1", "2"] * 10
    one = levelhead.judge(GOLD, ALPHA, BETA, votes, measures="LAS")
    assert re.fullmatch(r"Correlation of LAS with people's choices: r -?[\d.]+(, 95% CI .*)?\.", one.verdict)
    both = levelhead.judge(GOLD, ALPHA, BETA, votes, measures="LAS,UAS")
    assert "but not significantly better than" in both.verdict
    sure = tuple(pair._replace(comparison=pair.comparison._replace(p=0.001)) for pair in both.comparisons)
    assert replace(both, comparisons=sure).verdict.endswith("significantly better than others.")


def test_perplexities_recoveries_and_selections() -> None:
    recover = EXAMPLES / "recover"
    perplexity = levelhead.perplexity(GOLD, GOLD)
    value = perplexity.results[str(GOLD)].excluding_oov
    assert perplexity.verdict == f"Perplexity without unknown words: {value:,.2f} for {GOLD} (0 unknown words)."
    answers = levelhead.recover(recover / "answers.txt", recover / "gold.conllu")
    assert answers.verdict == "33 of 44 words have a head; 4 of 6 answers have a valid tree."
    assert levelhead.select(GOLDS).verdict == "0 of 8 treebanks are selected."
    assert levelhead.select(GOLD).verdict == "0 of 1 treebank is selected."
