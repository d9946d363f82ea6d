"""The page of profiles: its order, marks, outliers and names; and languages and units in every format."""

import json
import random
import re

import numpy as np
import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.cli.program import run as run_command
from levelhead.report.charts.point_charts import OTHER, series_of
from levelhead.report.page import render
from levelhead.report.page.profile import Panel, PanelRow, panel_chart, profile_page
from levelhead.typology.profile import quartiles
from levelhead.typology.similarity import Cluster, clustered

GOLD = EXAMPLES / "parallel" / "gold"


def leaves(cluster: Cluster) -> list[str]:
    """The names of a cluster by its parts."""
    return [name for part in cluster.parts for name in leaves(part)] or list(cluster.names)


def mean_divergence(one: Cluster, other: Cluster, apart: dict[frozenset[str], float]) -> float:
    pairs = [apart[frozenset((a, b))] for a in one.names for b in other.names]
    return sum(pairs) / len(pairs)


@pytest.mark.parametrize("seed", range(5))
def test_average_linkage(seed):
    """Each cluster joins its parts at their mean divergence, and no lower than its parts were joined."""
    draw = random.Random(seed)
    shares = {f"t{i}": {name: draw.random() for name in "abcde"} for i in range(9)}
    found, apart = clustered(shares), {}
    for one, p in shares.items():
        for other, q in shares.items():
            p_, q_ = (np.array([*some.values()]) / sum(some.values()) for some in (p, q))
            middle = (p_ + q_) / 2
            apart[frozenset((one, other))] = sum((some * np.log2(some / middle)).sum() / 2 for some in (p_, q_))
    stack = [found.root]
    while stack:
        cluster = stack.pop()
        assert leaves(cluster) == list(cluster.names)
        if cluster.parts:
            assert cluster.height == pytest.approx(mean_divergence(*cluster.parts, apart))
            assert all(part.height <= cluster.height + 1e-12 for part in cluster.parts)
        stack += cluster.parts
    assert sorted(found.root.names) == sorted(shares)
    for name, (near, value) in found.nearest.items():
        assert value == pytest.approx(min(v for pair, v in apart.items() if name in pair and len(pair) == 2))
        assert value == pytest.approx(apart[frozenset((name, near))])


def test_the_divergence_is_that_of_similarity():
    survey = levelhead.profile(GOLD, columns="relation")
    nearest = clustered({name: one.numbers("relation") for name, one in survey.items()}).nearest
    pairs = {frozenset(pair): far.relations for pair, far in levelhead.similarity(GOLD).pairs.items()}
    for name, (near, value) in nearest.items():
        assert value == pytest.approx(pairs[frozenset((name, near))])


def test_similar_treebanks_are_neighbors():
    """Two kinds of treebanks in turn are put apart."""
    kinds = {"a": {"nsubj": 0.7, "obj": 0.3}, "b": {"case": 0.8, "det": 0.2}}
    shares = {f"{kind}{i}": kinds[kind] for i in range(4) for kind in "ab"}
    assert "".join(name[0] for name in clustered(shares).root.names) in {"aaaabbbb", "bbbbaaaa"}


def test_clusters_meet_where_treebanks_are_the_most_similar():
    """On a line of treebanks each one's neighbors are next to it."""
    shares = {f"t{i}": {"nsubj": i / 20, "obj": 1 - i / 20} for i in (7, 1, 2, 9, 10, 8)}
    order = [int(name[1:]) for name in clustered(shares).root.names]
    assert order in (sorted(order), sorted(order)[::-1])


def test_outliers_by_tukeys_fences():
    own = quartiles([1, 2, 3, 4, 5, 6, 7, None])
    assert own == (2.5, 4, 5.5)
    assert [value for value in (-2.1, -2, 10, 10.1) if own.is_outlier(value)] == [-2.1, 10.1]
    assert quartiles([1, 2, 3, 100]) is None


def test_counts_have_a_logarithmic_scale():
    panel = Panel("Words", [10.0, 100.0, 1000.0, 10_000.0, 100_000.0, 1e12], str, counts=True)
    assert panel.logarithmic
    assert [*panel.outliers] == [5]
    assert not Panel("Depth", panel.values, str).logarithmic


def test_names_of_outliers_do_not_overlap():
    values = [1.0] * 30 + [9.0, 9.1, 9.2, 9.3, 9.1, 9.0]
    rows = [PanelRow(f"treebank-{i}", f"treebank-{i}", 0, "Uralic") for i in range(len(values))]
    body = panel_chart(Panel("Depth", values, str), rows).body
    drawn = re.findall(r'class="name small" x="([\d.-]+)" y="([\d.-]+)"(?: text-anchor="(\w+)")?>([^<]+)<', body)
    assert 2 <= len(drawn) <= 6
    boxes = []
    for x, y, anchor, label in drawn:
        width = 5.5 * len(label)
        left = float(x) - {"": 0, "middle": width / 2, "end": width}[anchor]
        boxes.append((left, left + width, float(y)))
    for i, (left, right, y) in enumerate(boxes):
        assert all(right <= a or b <= left or abs(y - z) >= 12 for a, b, z in boxes[:i])


def test_families_without_a_mark_of_their_own_are_the_others():
    groups = [name for i in range(10) for name in [f"family{i}"] * (20 - i)]
    series = series_of([*groups, *[OTHER] * 50])
    assert [series[f"family{i}"] for i in range(10)] == [0, 1, 2, 3, 4, 5, 6, 7, 7, 7]
    assert series[OTHER] == 7


def test_the_page_of_treebanks():
    page = profile_page(levelhead.profile(GOLD, columns="summary,relation,upos", total=True))
    assert [section.name for section in page.sections] == ["columns", "outliers", "similarity", "frequencies", "values"]
    panels = {block.name: block for block in page.sections[0].blocks}
    assert "panel-sttr" not in panels  # no treebank has a value
    assert panels["panel-nonprojective-trees"].title == "Nonprojective trees (%)"
    assert panels["legend"].legend[0][0] == "Germanic"
    assert "ja 0.01" in panels["panel-features-per-word"].caption
    values = page.sections[-1].blocks[0].table
    assert [row[0] for row in values.summary] == ["Total of 8"]
    assert [row[0] for row in values.rows] == list(page.choices["highlight"][1:])
    assert page.lead.startswith("ja is the most unusual of 8 treebanks")


def test_the_page_of_one_treebank_has_values_and_frequencies():
    page = profile_page(levelhead.profile(GOLD / "cs.conllu", columns="summary,relation,upos"))
    assert (page.title, page.lead) == ("cs", "")
    assert [section.name for section in page.sections] == ["values", "frequencies"]


def test_without_relations_the_order_is_as_given():
    page = profile_page(levelhead.profile(GOLD, columns="summary"))
    assert "in the order given" in page.sections[0].lead
    assert page.choices["highlight"][1:] == tuple(sorted(path.stem for path in GOLD.iterdir()))


def test_names_are_text(tmp_path):
    hostile = "<script>alert(1)<!--script>"
    for number, code in enumerate(("cs", "de", "ja")):
        (tmp_path / f"{hostile}{number}.conllu").write_bytes((GOLD / f"{code}.conllu").read_bytes())
    page = render(profile_page(levelhead.profile(tmp_path, columns="summary,relation,upos"))).decode()
    assert hostile not in page
    assert "&lt;script&gt;alert(1)" in page


def test_families_of_profiles_are_those_of_correlate(tmp_path, capfd):
    path = tmp_path / "profiles.tsv"
    assert run_command(["profile", str(GOLD), "--format", "tsv", "-o", str(path)]) == 0
    assert run_command(["correlate", str(path), "-c", "depth", "-c", "distance", "--family", "family"]) == 0
    assert "lowest without Turkic" in capfd.readouterr().out


def test_every_format_names_languages_and_units(capfd):
    line = ["profile", str(GOLD / "cs.conllu"), "-c", "depth,nonprojective_trees", "--format"]
    found = {}
    for form in ("text", "tsv", "markdown", "latex", "json", "jsonl"):
        assert run_command([*line, form]) == 0
        found[form] = capfd.readouterr()
    for form, printed in found.items():
        assert all(name in printed.out for name in ("Czech", "Indo-European", "Slavic")), form
        assert re.search(r"\b5(\.0+)?\b", printed.out), form  # 5 %, never 0.05
    assert "nonprojective_trees (%)" in found["text"].out
    assert found["tsv"].out.splitlines()[0].endswith("\tdepth\tnonprojective_trees")
    units = {column.name: column.unit for column in levelhead.columns("profile")["treebanks"]}
    assert (units["depth"], units["nonprojective_trees"]) == ("arcs", "percent")
    values = {row["column"]: row["unit"] for row in json.loads(found["json"].out)["tables"]["values"]}
    assert values == {"depth": "arcs", "nonprojective_trees": "percent"}


def test_unknown_languages_are_empty(tmp_path, capfd):
    (tmp_path / "mine.conllu").write_bytes((GOLD / "cs.conllu").read_bytes())
    assert run_command(["profile", str(tmp_path), "-c", "words"]) == 0
    assert capfd.readouterr().out.splitlines()[0] == "Treebank | words"
    assert run_command(["profile", str(tmp_path), "-c", "words", "--format", "tsv"]) == 0
    assert (
        capfd.readouterr().out
        == "treebank\tlanguage\tfamily\tgenus\tiso_639_3\tglottocode\twords\nmine\t\t\t\t\t\t135\n"
    )


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (400, "dark")])
def test_in_the_browser(browser, tmp_path, width, scheme):
    """Nothing overflows or is loaded, and treebanks and families stand out by keyboard."""
    path = tmp_path / "profiles.html"
    assert run_command(["profile", str(GOLD), "--report", str(path), "-o", str(tmp_path / "out")]) == 0
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_label("highlight").select_option(label="ja")
    assert page.locator(".mark.one").count() == page.locator("#columns svg[role=img]").count() + 1  # and the tree
    assert "0.01" in page.locator(".name.found").all_text_contents()
    page.get_by_role("button", name="Germanic").press("Enter")
    assert page.get_by_label("highlight").input_value() == "0"
    assert page.locator("#similarity .mark.on").count() == 2
    page.get_by_role("button", name="Germanic").press("Enter")
    assert page.locator(".mark.on").count() == 0
    assert (said, [url for url in asked if not url.startswith(("data:", path.as_uri()))]) == ([], [])
    page.close()
