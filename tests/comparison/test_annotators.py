"""Exports with several annotations: by `# user_id`, and in folders by annotator or document."""

import re
from pathlib import Path

import pytest

import levelhead
from levelhead.errors import InputError

FILES = {path.stem: path.read_text() for path in sorted(Path("examples/agreement").glob("*.conllu"))}
HALF = 5


def with_user(text, user):
    return re.sub("(?m)^(?=# sent_id)", f"# user_id = {user}\n# timestamp = 1738964031593\n", text)


@pytest.fixture
def export(tmp_path):
    """One file with the sentences of all annotators in turn, as Arborator writes them."""
    sentences = zip(*(with_user(text, user).rstrip().split("\n\n") for user, text in FILES.items()), strict=True)
    path = tmp_path / "export.conllu"
    path.write_text("".join(f"{sentence}\n\n" for of_all in sentences for sentence in of_all))
    return path


def write_parts(folder, pattern):
    """Write each annotation as two documents."""
    for annotator, text in FILES.items():
        sentences = text.rstrip().split("\n\n")
        for document, part in {"one": sentences[:HALF], "two": sentences[HALF:]}.items():
            path = folder / pattern.format(annotator=annotator, document=document)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{sentence}\n\n" for sentence in part))


def labels(agreement):
    return [(label.name, label.words, label.observed, label.fleiss.value) for label in agreement.labels]


def test_users_of_one_file_are_annotators(export):
    found = levelhead.agree(export)
    assert found.annotators == tuple(FILES)
    separate = levelhead.agree({user: levelhead.from_conllu(text) for user, text in FILES.items()})
    assert labels(found) == labels(separate)
    assert labels(levelhead.agree(levelhead.read(export))) == labels(separate)


@pytest.mark.parametrize("pattern", ["{annotator}/{document}.conllu", "{document}/{annotator}.conllu"])
def test_folders_are_annotators_or_documents(tmp_path, pattern):
    write_parts(tmp_path, pattern)
    if pattern.startswith("{document}"):
        (tmp_path / "one/INITIAL_CAS.conllu").write_text("not annotated")
    found = levelhead.agree(tmp_path)
    assert found.annotators == tuple(FILES)
    assert labels(found) == labels(levelhead.agree(*(f"examples/agreement/{user}.conllu" for user in FILES)))
    assert found.units.ids == ("one", "two"), "files are documents if they mark none"


def test_an_export_of_inception_has_other_folders_next_to_the_annotations(tmp_path):
    write_parts(annotations := tmp_path / "annotation", "{document}.conllu/{annotator}.conllu")
    (tmp_path / "source").mkdir()
    (tmp_path / "source/one.conllu").write_text(FILES["anna"])
    assert labels(levelhead.agree(tmp_path)) == labels(levelhead.agree(annotations))


def test_the_annotator_with_another_text_is_named(tmp_path):
    write_parts(tmp_path, "{annotator}/{document}.conllu")
    (tmp_path / "ben/two.conllu").write_text((tmp_path / "ben/one.conllu").read_text())
    with pytest.raises(InputError, match=r"ben:\d+: text-mismatch") as refusal:
        levelhead.agree(tmp_path)
    assert {fault.message.partition(" continues ")[0] for fault in refusal.value.faults} == {"the text"}, "none is gold"


def test_a_folder_of_files_has_a_file_for_each_annotator():
    assert levelhead.agree("examples/agreement").annotators == tuple(FILES)


def test_a_folder_for_each_annotator_with_one_document(tmp_path):
    for user, text in FILES.items():
        (tmp_path / user).mkdir()
        (tmp_path / user / "text.conllu").write_text(text)
    assert levelhead.agree(tmp_path).annotators == tuple(FILES)


def test_only_what_all_annotated_is_compared_and_a_note_says_so(export, tmp_path, run):
    export.write_text(export.read_text().partition("\n\n")[2])
    found = levelhead.agree(export)
    assert len(next(iter(found.treebanks.values()))) == FILES["anna"].count("# sent_id") - 1
    assert "left out: 1 sentence not annotated by all of ben, clara and anna" in found.provenance.notes
    assert "left out: 1 sentence" in run("agree", str(export))[1]
    write_parts(tmp_path, "{annotator}/{document}.conllu")
    export.unlink()
    (tmp_path / "ben/two.conllu").unlink()
    assert (
        "left out: 1 document not annotated by all of anna, ben and clara" in levelhead.agree(tmp_path).provenance.notes
    )


def test_what_cannot_be_compared_is_refused(export, tmp_path, run):
    with pytest.raises(InputError, match="two files, or one in which # user_id names the annotators"):
        levelhead.agree("examples/agreement/anna.conllu")
    first, *more = export.read_text().split("\n\n")
    export.write_text("\n\n".join([first, first, *more]))
    with pytest.raises(InputError, match="anna annotated sentence p01 twice"):
        levelhead.agree(export)
    export.write_text(
        with_user(FILES["anna"], "anna") + with_user(FILES["ben"], "ben").replace("sent_id = ", "sent_id = b")
    )
    with pytest.raises(InputError, match="no sentence was annotated by all of anna and ben"):
        levelhead.agree(export)
    assert "several files, or one folder" in run("agree", str(tmp_path), str(export))[2]
