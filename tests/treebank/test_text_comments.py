"""`validate` compares `# text` with the forms and SpaceAfter=No: by hand, on random sentences, on real treebanks."""

from pathlib import Path
from random import Random

import pytest

import levelhead
from conftest import EXAMPLES
from levelhead.treebank import faults_of


def sentence(text: str, tokens: str) -> str:
    """A sentence of tokens with spaces between; `+` at the end of one says SpaceAfter=No, `=a,b` takes it apart."""
    lines, number = [f"# sent_id = 1\n# text = {text}\n# more = x\n"], 1
    for token in tokens.split(" "):
        form, _, words = token.rstrip("+").partition("=")
        misc = "SpaceAfter=No|X=Y" if token.endswith("+") else "_"
        parts = words.split(",") if words else [form]
        if words:
            lines.append("\t".join([f"{number}-{number + len(parts) - 1}", form, *"_______", misc]) + "\n")
        for part in parts:
            head, relation = (0, "root") if number == 1 else (1, "dep")
            lines.append(
                "\t".join([str(number), part, *"____", str(head), relation, "_", "_" if words else misc]) + "\n"
            )
            number += 1
    return "".join(lines) + "\n"


def found_in(folder: Path, text: str) -> list[tuple[int | None, int, str]]:
    """The warnings about text of a file: line, count, message."""
    path = folder / "x.conllu"
    path.write_text(text, encoding="utf-8")
    assert "text-comment" not in {fault.slug for fault in levelhead.read(path).warnings}
    faults = [fault for fault in faults_of(path) if fault.slug == "text-comment"]
    assert all(fault.severity == "warning" for fault in faults)
    return [(fault.place.line, fault.count, fault.message) for fault in faults]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Dogs bark.", "Dogs bark+ ."),
        ("Dogs  bark\u00a0.", "Dogs bark ."),  # any white space
        ("Dogs bark.", "Dogs bark+ .+"),
        ("Zur Stadt", "Zur=Zu,der Stadt"),
        ("Zur-Stadt", "Zur=Zu,der+ -+ Stadt"),
        ("é😀 x", "é😀 x"),
    ],
)
def test_texts_that_are_as_the_forms_say(tmp_path, text, tokens):
    assert found_in(tmp_path, sentence(text, tokens)) == []


@pytest.mark.parametrize(
    ("text", "tokens", "at", "has", "expected"),
    [
        ("Dogs bark.", "Cats bark+ .", 1, "'Dogs bark.'", "'Cats'"),
        ("Dogs bark.", "Dogs bark .", 10, "'.'", "a space after 'bark' (no SpaceAfter=No)"),
        ("Dogs bark .", "Dogs bark+ .", 10, "' .'", "'.'"),
        ("Dogs bark.", "Dogs bark", 10, "'.'", "the end"),
        ("Dogs", "Dogs bark", 5, "the end", "a space after 'Dogs' (no SpaceAfter=No)"),
        ("Dogs", "Dogs+ bark", 5, "the end", "'bark'"),
        ("Zu der Stadt", "Zur=Zu,der Stadt", 1, "'Zu der Stadt'", "'Zur'"),
        ("😀a", "😀b", 1, "'😀a'", "'😀b'"),
    ],
)
def test_the_first_difference_is_named(tmp_path, text, tokens, at, has, expected):
    wanted = f"# text differs from the forms at character {at}: it has {has}, the forms give {expected}"
    assert found_in(tmp_path, sentence(text, tokens)) == [(2, 1, wanted)]
    more = sentence("a", "a") + 2 * sentence(text, tokens)
    assert found_in(tmp_path, more) == [(7, 1, wanted), (7 + sentence(text, tokens).count("\n"), 1, wanted)]


def test_sentences_without_the_comment_are_skipped(tmp_path):
    text = sentence("x", "Dogs bark").replace("# text = x\n", "")
    assert found_in(tmp_path, text) == found_in(tmp_path, text.replace("# more", "# text_en")) == []


def test_every_changed_character_is_found(tmp_path):
    """The text that tokens spell is right, and with any character changed, added or removed it is wrong."""
    random = Random(0)
    for _ in range(30):
        forms = ["".join(random.choices("abé中", k=random.randint(1, 3))) for _ in range(random.randint(1, 5))]
        joined = [random.random() < 0.4 for _ in forms]
        tokens = " ".join(form + "+" * one for form, one in zip(forms, joined))
        text = "".join(form + " " * (not one) for form, one in zip(forms, joined)).rstrip()
        assert found_in(tmp_path, sentence(text, tokens)) == []
        at = random.randrange(len(text))
        for changed in (text[:at] + "Q" + text[at + 1 :], text[:at] + text[at + 1 :], text[:at] + "Q" + text[at:]):
            assert found_in(tmp_path, sentence(changed or "Q", tokens)), (tokens, changed)


def test_validate_warns_and_the_file_stays_valid(run, data):
    code, printed, _ = run("validate", data / "bad-conllu" / "74-text-mismatch.conllu")
    assert code == 0
    assert ":2: text-comment: # text differs from the forms at character 1: it has 'Dogs bark .'" in printed


def test_real_treebanks_have_no_such_warning(data):
    """Released treebanks pass the UD validator, which checks the same."""
    files = [*sorted((data / "ud" / "r2.16").glob("*-test.conllu.xz"))[:12], *(EXAMPLES / "parallel/gold").iterdir()]
    assert len(files) > 12
    assert [path.name for path in files if any(fault.slug == "text-comment" for fault in faults_of(path))] == []
