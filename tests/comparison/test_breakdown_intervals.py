"""Breakdowns: new properties, intervals, uncertain cells, and what repairs would gain."""

import json

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES, library
from levelhead.analysis.repairs import MOST_VALUES, OTHER
from levelhead.errors import MeasureError

PARALLEL = EXAMPLES / "parallel"
LANGUAGES = ("en", "fi", "tr", "ar")


def pair(language, system="beta"):
    return PARALLEL / "gold" / f"{language}.conllu", PARALLEL / "systems" / system / f"{language}.conllu"


def texts(language, system="beta"):
    return [path.read_text(encoding="utf-8") for path in pair(language, system)]


def percent(interval):
    return tuple(100 * end for end in interval)


def properties():
    from oracle import breakdown as oracle

    return {
        "upos": [oracle.upos], "lemma": [oracle.lemma], "head-relation": [oracle.head_relation],
        "feature:Number": [oracle.feature("Number")], "feature:Case,upos": [oracle.feature("Case"), oracle.upos],
        "head-relation,feature:Number": [oracle.head_relation, oracle.feature("Number")],
    }  # fmt: skip


NAMES = ["upos", "lemma", "head-relation", "feature:Number", "feature:Case,upos", "head-relation,feature:Number"]


@pytest.mark.parametrize("by", NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_counts_and_intervals_are_those_of_the_definitions(by, language):
    library("scipy.stats")
    from oracle import breakdown as oracle, intervals

    expected = oracle.parts(*texts(language), properties()[by])
    (found,) = levelhead.breakdown(*pair(language), by=by).treebanks[language]
    assert {values for values, _ in found.rows} == set(expected)
    for values, score in found.rows:
        units = expected[values]
        certain = found.estimates[values]
        assert (2 * score.correct, score.gold + score.system) == tuple(map(sum, zip(*units, strict=True)))
        with_words = [one for one in units if one[1]]
        assert certain.n_units == len(with_words)
        if len(with_words) < 10:
            assert certain.interval is None
            assert certain.uncertain
        else:
            estimate = intervals.estimate([[[one] for one in with_words]], {0: 1.0})
            assert certain.interval == pytest.approx(percent(intervals.wilson(estimate, 0.95)), abs=1e-7)
            assert certain.uncertain == (estimate.freedom + 1 < 20)


@pytest.mark.parametrize("by", ["upos", "head-relation"])
def test_intervals_of_differences_are_those_of_the_definitions(by):
    library("scipy.stats")
    from oracle import breakdown as oracle, intervals

    both = [oracle.parts(*texts("en", system), properties()[by]) for system in ("alpha", "beta")]
    found = levelhead.breakdown(pair("en")[0], [pair("en", "alpha")[1], pair("en", "beta")[1]], by=by)
    known = 0
    for gain in found.gains["en"]:
        empty = [(0, 0)] * 20
        units = list(zip(*(one.get(gain.values, empty) for one in both), strict=True))
        with_words = [unit for unit in units if unit[0][1] or unit[1][1]]
        assert gain.estimate.n_units == len(with_words)
        assert (gain.estimate.interval is None) == (len(with_words) < 10)
        if gain.estimate.interval is not None:
            known += 1
            estimate = intervals.estimate([with_words], {1: 1.0, 0: -1.0})
            low, high = intervals.difference_interval(estimate, 0.95)
            assert gain.estimate.interval == pytest.approx(percent((max(-1, low), min(1, high))), abs=1e-7)
    assert known >= 2


@pytest.mark.parametrize("component", ["", ".precision", ".recall", ".aligned_accuracy"])
def test_a_bucket_of_all_words_has_the_interval_of_compare(tmp_path, component):
    """Also by document, of a treebank that marks some."""
    gold, system = (path.read_text(encoding="utf-8").split("\n\n") for path in pair("en"))
    for name, blocks in (("gold", gold), ("system", system)):
        kept = [one for one in blocks * 3 if one.strip()]
        newdoc = ["" if i % 2 else f"# newdoc id = {i}\n" for i in range(len(kept))]
        marked = [f"{start}# genre = all\n{one}" for start, one in zip(newdoc, kept, strict=True)]
        (tmp_path / f"{name}.conllu").write_text("\n\n".join(marked) + "\n\n", encoding="utf-8")
    paths = [tmp_path / f"{name}.conllu" for name in ("gold", "system")]
    measure = f"LAS{component}"
    for unit in ("sentence", "document"):
        whole = levelhead.compare(paths[0], [paths[1]], measures=measure, resample_by=unit, level=0.9).results[0]
        (part,) = levelhead.breakdown(
            *paths, by="comment:genre", measures=measure, resample_by=unit, level=0.9
        ).treebanks["gold"]
        ((values, _),) = part.rows
        assert part.estimates[values].interval == pytest.approx(whole.interval)
        assert part.estimates[values].n_units == whole.n_units


def test_averages_have_the_interval_of_the_macro_average(tmp_path):
    """Of a bucket that has all words, in several treebanks."""
    for language in ("en", "fi", "de"):
        for folder, path in zip(("gold", "beta"), pair(language), strict=True):
            (tmp_path / folder).mkdir(exist_ok=True)
            blocks = path.read_text(encoding="utf-8").split("\n\n")
            text = "\n\n".join(f"# genre = all\n{one}" if one.strip() else one for one in blocks)
            (tmp_path / folder / f"{language}.conllu").write_text(text, encoding="utf-8")
    folders = tmp_path / "gold", tmp_path / "beta"
    every = levelhead.compare(folders[0], [folders[1]], measures="LAS").results
    whole = next(one for one in every if one.average == "macro")
    (row,) = levelhead.breakdown(*folders, by="comment:genre").to_dict()["tables"]["averages"]
    assert (row["low"], row["high"]) == pytest.approx(whole.interval)
    assert row["f1"] == row["value"] == pytest.approx(whole.value)
    assert row["uncertain"] is False


# Repairs


@pytest.mark.parametrize("system", ["alpha", "beta"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_gains_are_those_of_rescoring(language, system):
    library("scipy.stats")
    from oracle import breakdown as oracle, intervals

    expected = oracle.repaired(*texts(language, system))
    ((found, *_),) = levelhead.analyze(*pair(language, system)).treebanks.values()
    assert {(one.error, one.detail): one.words for one in found} == {kind: n for kind, (n, _) in expected.items()}
    for one in found:
        units = expected[one.error, one.detail][1]
        estimate = intervals.estimate([units], {1: 1.0, 0: -1.0})
        low, high = intervals.difference_interval(estimate, 0.95)
        assert one.gain == pytest.approx(100 * estimate.value)
        assert one.estimate.interval == pytest.approx(percent((max(0, low), min(1, high))))
        affected = sum(before != after for before, after in units)
        assert one.estimate.n_units == affected
        assert one.estimate.uncertain == (estimate.freedom + 1 < 20 or affected < 20)


@pytest.mark.parametrize(
    "measure", ["UAS", "LAS", "CLAS", "MLAS", "UPOS", "Lemmas", "UFeats", "LAS-PUNCT", "LAS@callin:CONTENT.recall"]
)
def test_all_repairs_together_give_a_perfect_score(measure):
    """Of aligned words, errors are of different words: their gains add up where no repair changes a denominator."""
    gold, system = pair("fr", "alpha")
    ((found, *_),) = levelhead.analyze(gold, system, measures=measure).treebanks.values()
    value = levelhead.score(gold, system, measures=measure)[measure].value
    assert [one.gain for one in found] == sorted((one.gain for one in found), reverse=True)
    assert all(one.gain > 0 and one.words > 0 for one in found)
    assert all(one.value == pytest.approx(value + one.gain) for one in found)
    if measure in {"UAS", "LAS", "UPOS", "Lemmas", "UFeats"}:
        assert value + sum(one.gain for one in found) == pytest.approx(100)


@pytest.mark.parametrize("measure", ["CLAS", "LAS-PUNCT"])
def test_repaired_relations_change_which_words_count(measure):
    """A repaired file is scored: function words whose relation was taken for a content relation, and the reverse."""
    gold, system = levelhead.read(pair("en")[0]), levelhead.read(pair("en", "alpha")[1])
    relations = list(system.relations)
    for number, word in enumerate(gold.relations):
        if word in {"case", "punct"} and number % 3 == 0:
            relations[number] = "obl"
        if word == "nsubj" and number % 2 == 0:
            relations[number] = "case" if number % 4 else "punct"
    broken = system.replace(relations=relations)
    ((found, *_),) = levelhead.analyze(gold, {"s": broken}, measures=measure).treebanks.values()
    for one in found:
        if one.error != "relation":
            continue
        ours, theirs = one.gold_value, one.system_value
        fixed = [
            full if (full.split(":")[0], own.split(":")[0]) == (ours, theirs) and head == right else own
            for full, own, head, right in zip(gold.relations, relations, broken.heads, gold.heads, strict=True)
        ]
        assert one.value == pytest.approx(
            levelhead.score(gold, broken.replace(relations=fixed), measures=measure)[measure].value
        )
    assert {"case -> obl", "nsubj -> case"} & {one.detail for one in found}


@pytest.mark.data
@pytest.mark.parametrize("system", ["HIT-SCIR-18", "Stanford-18", "ArmParser"])
def test_repairs_of_real_outputs_cover_every_error_once(data, system):
    """Of the outputs of CoNLL 2018; the gain of a kind is what rescoring with so many more words right gives."""
    pair = data / "conll18/gold/en_ewt.conllu.xz", data / f"conll18/systems/{system}/en_ewt.conllu.xz"
    las = levelhead.score(*pair, measures="LAS")["LAS"]
    ((found, *_),) = levelhead.analyze(*pair).treebanks.values()
    assert sum(one.words for one in found) == las.gold - las.correct
    for one in found:
        if one.error != "words not aligned":
            assert one.value == pytest.approx(200 * (las.correct + one.words) / (las.gold + las.system))
            assert one.estimate.interval[0] <= one.gain <= one.estimate.interval[1]


def test_subtypes_are_named_where_they_count():
    gold = levelhead.read(pair("en")[0])
    changed = next(i for i, relation in enumerate(gold.relations) if relation == "nmod:poss")
    system = gold.replace(relations=[*gold.relations[:changed], "nmod", *gold.relations[changed + 1 :]])
    ((found, *_),) = levelhead.analyze(gold, {"s": system}, measures="LAS(full)").treebanks.values()
    assert [(one.error, one.detail, one.words) for one in found] == [("relation", "nmod:poss -> nmod", 1)]
    ((nothing, *_),) = levelhead.analyze(gold, {"s": system}).treebanks.values()
    assert nothing == ()


def test_many_relations_are_folded():
    gold = levelhead.read(pair("en")[0])
    relations = [f"rel{i}" if i % 2 else "obj" for i in range(gold.n_words)]
    count = sum(i % 2 for i in range(gold.n_words))
    system = gold.replace(relations=["obj"] * gold.n_words)
    other = gold.replace(relations=relations * 1)
    text = "".join(sentence.conllu for sentence in other)
    many = levelhead.from_conllu(text)
    ((found, *_),) = levelhead.analyze(many, {"s": system}, rules="conll18").treebanks.values()
    assert sum(one.words for one in found) == count
    assert len(found) <= MOST_VALUES + 1
    assert count <= MOST_VALUES or any(one.detail.startswith(OTHER) for one in found)


def test_a_perfect_output_has_nothing_to_repair(run):
    gold = pair("en")[0]
    code, out, _ = run("analyze", gold, gold, "--format", "json")
    document = json.loads(out)
    assert (code, document["kind"], document["tables"]["repairs"]) == (0, "analyze", [])


def test_repairs_of_folders_are_averaged(run):
    _, out, _ = run("analyze", PARALLEL / "gold", PARALLEL / "systems/beta", "--format", "json")
    tables = json.loads(out)["tables"]
    repairs, averages = tables["repairs"], tables["averages"]
    assert [*dict.fromkeys(row["treebank"] for row in repairs)] == ["ar", "cs", "de", "en", "fi", "fr", "ja", "tr"]
    for one in averages:
        same = [
            row for row in repairs if all(row[name] == one[name] for name in ("error", "gold_value", "system_value"))
        ]
        assert one["gain"] == pytest.approx(sum(row["gain"] for row in same) / 8)
        assert one["words"] == sum(row["words"] for row in same)
    assert [one["gain"] for one in averages] == sorted((one["gain"] for one in averages), reverse=True)


# The command


def test_repeated_properties_and_spaces_in_lists_change_nothing(run):
    given = [run("breakdown", *pair("en"), *by)[1] for by in (["--by", "upos,class"], ["--by", "upos, class,upos"])]
    twice = run("breakdown", *pair("en"), "--by", "upos,class", "--by", "upos, class")[1]
    assert given[0] == given[1] == twice != ""


def test_small_cells_are_marked(run):
    _, text, _ = run("breakdown", *pair("en"), "--by", "upos")
    _, out, _ = run("breakdown", *pair("en"), "--by", "upos", "--format", "json")
    rows = {row["by_upos"]: row for row in json.loads(out)["tables"]["scores"]}
    assert rows["ADV"]["uncertain"] is True
    assert (rows["ADV"]["low"], rows["ADV"]["high"]) == (None, None)
    assert next(line for line in text.splitlines() if line.startswith("ADV ")).rstrip().endswith("| ?")
    assert "?: uncertain: fewer than 20 documents or sentences" in text


def test_large_cells_are_not_marked(run, tmp_path):
    paths = [tmp_path / name for name in ("gold.conllu", "system.conllu")]
    for path, source in zip(paths, pair("en", "alpha"), strict=True):
        path.write_text(source.read_text(encoding="utf-8") * 4, encoding="utf-8")
    _, out, _ = run("breakdown", *paths, "--by", "direction", "--format", "json")
    rows = json.loads(out)["tables"]["scores"]
    assert [row["uncertain"] for row in rows] == [False] * 3
    assert all(row["low"] <= row["f1"] <= row["high"] for row in rows)


def test_pages_mark_small_cells(run, tmp_path):
    library("jinja2")
    score, comparison = tmp_path / "score.html", tmp_path / "comparison.html"
    run("score", *pair("en"), "--report", score)
    run(
        "compare",
        pair("en")[0],
        pair("en", "alpha")[1],
        pair("en")[1],
        "-m",
        "LAS",
        "--report",
        comparison,
    )
    for page in (score, comparison):
        assert "?: uncertain: fewer than 20 documents or sentences" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--by", "feature:Nubmer"), "no gold word has the feature 'Nubmer'; available: Case, Definite"),
        (("--by", "feature:"), "unknown property 'feature:'"),
        (("--by", "head"), "unknown property 'head'"),
        (("--by", "upos", "--level", "1"), "level"),
        (("--by", "upos", "--resample-by", "document"), "does not mark two or more documents"),
        (("--by", "upos", "--resample-by", "page"), "page"),
    ],
)
def test_bad_usage(run, arguments, reason):
    code, out, err = run("breakdown", *pair("en"), *arguments)
    assert (code, out) == (2, "")
    assert reason in " ".join(err.split())


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("-m", "Sentences"), "does not count words"),
        (("-m", "WLAS(WDE)"), "weighted"),
        (("-m", "LAS,UAS"), "a single measure"),
        (("--show", "costs"), "unknown table 'costs': use repairs, types, cascading"),
        (("--table", "types"), "--table requires --format tsv or jsonl"),
        ((pair("en", "alpha")[1],), "unexpected argument"),
    ],
)
def test_bad_usage_of_analyze(run, arguments, reason):
    code, out, err = run("analyze", *pair("en"), *arguments)
    assert (code, out) == (2, "")
    assert reason in " ".join(err.split())


def test_unknown_features_in_python():
    with pytest.raises(MeasureError, match="no gold word has the feature"):
        levelhead.breakdown(*pair("en"), by="feature:Nothing")


def test_combinations_that_do_not_occur_need_no_memory():
    """Lemmas by lemmas: as many buckets as words at most, not the square of their number."""
    (found,) = levelhead.breakdown(*pair("en"), by="lemma,lemma,lemma,lemma").treebanks["en"]
    (alone,) = levelhead.breakdown(*pair("en"), by="lemma").treebanks["en"]
    assert [(values[0],) for values, _ in found.rows] == [values for values, _ in alone.rows]
    assert np.array_equal([score.f1 for _, score in found.rows], [score.f1 for _, score in alone.rows])
