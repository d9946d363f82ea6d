"""What leaderboards show of scores, and what cannot be inferred from them."""

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from levelhead.tables.table import Table
from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from levelhead.task.scoring import public_reason
from levelhead.task.standings import Leaderboard, leaderboard, own_results, to_five_percent, view_of
from levelhead.task.submissions import accept, claim, finish, new_token, submission, team_of_token
from task.task_server import FREE, make_task, task_of, upload

CODES = ("ar", "cs", "de", "en", "fi", "fr", "ja", "tr")
DIFFERS = "text-mismatch: the text of your output differs from the input"
MEASURES = ("LAS", "MLAS", "BLEX", "CLAS")


def finished(folder, database, name, values, state="valid"):
    """Record a result as if written by the scorer."""
    team = team_of_token(database, new_token(database, name))
    found = accept(database, folder, team, upload(folder), FREE)
    result = {
        "state": state,
        "values": {m: str(Fraction(0 if state != "valid" else 1)) for m in MEASURES},
        "reasons": ["secret"],
    }
    results = {
        code: {**result, "state": "valid", "values": {m: str(values[i]) for m in MEASURES}}
        for i, code in enumerate(CODES)
    }
    if state != "valid":
        results["tr"] = result
    claim(database, "outputs")
    document = {"schema": 1, "kind": "submission", "signature": {}, "measures": list(MEASURES), "results": results}
    finish(database, found.id, run="x", document=document)
    return submission(database, found.id)


@pytest.fixture
def coarse(tmp_path):
    path = make_task(
        tmp_path / "task", task={"title": "t", "kinds": ["outputs"]}, show={"own": "coarse", "leaderboard": "coarse"}
    )
    with Database(TaskFolder(path).database) as database:
        yield task_of(path), TaskFolder(path), database


def test_coarse_boards_hide_values_and_order(coarse):
    """Of two teams with equal rounded scores, the better one is first in the alphabet in one case, and last in the other."""
    task, folder, database = coarse
    exact = {
        "a best": "0.8123", "b same": "0.8001", "c same": "0.8199", "d invalid": "0.8244", "y low": "0.61", "z": "0.8002",
    }  # fmt: skip
    handed_in = {}
    for name, value in exact.items():
        state = "invalid" if "invalid" in name else "valid"
        handed_in[name] = finished(
            folder, database, name, [Fraction(value) + Fraction(i, 5000) for i in range(len(CODES))], state
        )
    found = leaderboard(task, database)
    table = found.table()
    names = [column.name for column in table.columns]
    teams = [row[names.index("System")] for row in table.rows]
    assert teams == ["a best", "b same", "c same", "z", "d invalid", "y low"]
    assert [row[names.index("Rank")] for row in table.rows][:4] == [1, 1, 1, 1]
    tables = [table, *found.treebanks.values(), *found.tables.values()]
    cells = [cell for table in tables for row in table.rows for cell in row if isinstance(cell, float)]
    assert len(cells) > 100
    assert all(abs(cell / 5 - round(cell / 5)) < 1e-9 for cell in cells)
    assert not any(table.notes for table in tables if isinstance(table, Table))
    assert "secret" not in repr(tables)
    own = own_results(handed_in["a best"], view_of(task, database, own=True))
    assert {value for one in own.values() for value in one["values"].values()} == {80.0}


def test_hidden_and_open_boards(coarse):
    task, folder, database = coarse
    one = finished(folder, database, "a", [Fraction("0.8123")] * len(CODES))
    hidden = task._replace(show=task.show._replace(own="hidden", leaderboard="hidden", after="open"))
    assert leaderboard(hidden, database) == Leaderboard("hidden")
    assert own_results(one, view_of(hidden, database, own=True))["en"] == {"state": "valid", "reasons": ["secret"]}
    shown = task._replace(show=task.show._replace(own="open", leaderboard="open", after="hidden"))
    assert leaderboard(shown, database).table().rows[0][2] == pytest.approx(81.23)
    assert own_results(one, view_of(shown, database, own=True))["en"]["values"]["LAS"] == pytest.approx(81.23)
    with database.transaction() as connection:
        connection.execute("INSERT INTO main.facts (name, value) VALUES ('final', 'now')")
    assert leaderboard(hidden, database).table().rows[0][2] == pytest.approx(81.23)
    assert leaderboard(shown, database).ranked is None
    assert "values" not in own_results(one, view_of(shown, database, own=True))["en"]


def test_boards_after_the_description_was_changed(coarse):
    task, folder, database = coarse
    finished(folder, database, "a", [Fraction(1, 2)] * len(CODES))
    fewer = task._replace(
        manifest=task.manifest._replace(measures=("UAS", "CLAS"), test_sets=task.manifest.test_sets[:3])
    )
    found = leaderboard(fewer, database)
    assert [column.name for column in found.table().columns] == ["Rank", "System", "CLAS", "Valid outputs"]
    assert len(found.treebanks) == 3
    assert leaderboard(task._replace(manifest=task.manifest._replace(measures=("UAS",))), database).ranked is None
    other = task.manifest.test_sets[0]._replace(code="xx")
    found = leaderboard(
        task._replace(manifest=task.manifest._replace(test_sets=(other, *task.manifest.test_sets[1:]))), database
    )
    assert found.treebanks["xx"].rows[0][1] == 0


@given(st.fractions(0, 100))
def test_rounding_to_five_percent(value):
    rounded = to_five_percent(value)
    assert (rounded / 5).denominator == 1
    assert abs(rounded - value) <= Fraction(5, 2)


@pytest.mark.parametrize(("said", "told"), [
    ("line 3: cycle: the heads go round", "line 3: cycle: the heads go round"),
    (
        "line 3: text-mismatch: gold has 'secret' there (character 17 of the text, token 4): 'secret words'",
        f"{DIFFERS}, first at character 17 of your output (not counting spaces)",
    ),
    ("text-mismatch: gold has 'secret'", DIFFERS),
    ("KeyError: 'secret'", "it cannot be scored"), ("secret", "it cannot be scored"), ("no-such-name: secret", "it cannot be scored"),
])  # fmt: skip
def test_reasons_are_made_anew_unless_they_are_about_a_line_of_the_output(said, told):
    assert public_reason(said) == told


def test_other_reasons_are_what_their_name_means():
    assert "secret" not in public_reason("unreadable-deps: secret")
    assert public_reason("unreadable-deps: secret").startswith("unreadable-deps: ")
