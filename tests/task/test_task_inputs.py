"""Gold under another name among the inputs is found; parser outputs do not count as gold."""

import bz2
import gzip
import io
import json
import lzma
import random
import re
import shutil
import tarfile
import zipfile

import pytest

from conftest import one_in
from levelhead.cli.program import run
from levelhead.errors import InputError
from levelhead.task.database import Database
from levelhead.task.description import TaskFolder
from levelhead.task.folders import check_inputs, create_task, export_task
from levelhead.task.site import Site
from task.task_server import EXAMPLES, make_task, tar, task_of

GOLD = (EXAMPLES / "gold" / "en.conllu").read_text()
PLAIN = re.sub(r"(?m)^((?:[^\t\n]*\t){6})[^\t\n]*\t[^\t\n]*\t[^\t\n]*\t", r"\1_\t_\t_\t", GOLD)  # no HEAD, DEPREL, DEPS


def changed(change):
    """Gold with every word line changed by a function of its cells."""
    lines = ["\t".join(map(str, change(line.split("\t")))) if "\t" in line else line for line in GOLD.split("\n")]
    return "\n".join(lines)


def sentences():
    """The heads of every sentence."""
    blocks = [[line.split("\t") for line in block.split("\n") if "\t" in line] for block in GOLD.split("\n\n")]
    return [[int(cells[6]) for cells in block if cells[6] != "_"] for block in blocks if block]


def one_head_wrong():
    """Gold with one head changed, in a sentence that counts."""
    at = GOLD.index("\n6\t")
    start = GOLD.rindex("\n1\t", 0, at) + 1
    cells = GOLD[start : GOLD.index("\n", start)].split("\t")
    cells[6] = "5" if cells[6] != "5" else "4"
    return GOLD[:start] + "\t".join(cells) + GOLD[GOLD.index("\n", start) :]


def shuffled():
    blocks = GOLD.strip().split("\n\n")
    random.Random(0).shuffle(blocks)
    return "\n\n".join(blocks) + "\n\n"


def half():
    blocks = GOLD.strip().split("\n\n")
    return "\n\n".join(blocks[: len(blocks) // 2]) + "\n\n"


def tokens():
    """Sentences as JSON with an object per word, as written by libraries."""
    return [[{"id": i, "head": head} for i, head in enumerate(heads, 1)] for heads in sentences()]


VARIANTS = {
    "gold": (GOLD, "column 7"),
    "extra blank lines": (GOLD.replace("\n\n", "\n\n\n"), "column 7"),
    "blank lines between words": (GOLD.replace("\n", "\n\n"), "column 7"),
    "no blank lines": (re.sub(r"\n+", "\n", GOLD), "column 7"),
    "lines end as on Windows": (GOLD.replace("\n", "\r\n"), "column 7"),
    "no comments": (re.sub(r"(?m)^#.*\n", "", GOLD), "column 7"),
    "HEAD taken out, DEPS forgotten": (changed(lambda c: [*c[:6], "_", "_", *c[8:]]), "column 9"),
    "one head changed": (one_head_wrong(), "column 7"),
    "other relations": (GOLD.replace("\tpunct\t", "\tdep\t"), "column 7"),
    "other order of sentences": (shuffled(), "column 7"),
    "the first half": (half(), "column 7"),
    "among other sentences": (PLAIN * 20 + GOLD, "column 7"),
    "ID and HEAD only": (changed(lambda c: [c[0], c[6]]), "column 2"),
    "HEAD only": ("\n".join(line.split("\t")[6] if "\t" in line else line for line in GOLD.split("\n")), "column 1"),
    "columns in another order": (changed(lambda c: c[::-1]), "column 4"),
    "in DEPS": (changed(lambda c: [*c[:6], "_", "_", "_" if c[6] == "_" else f"{c[6]}:{c[7]}", "_"]), "column 9"),
    "in DEPS, with more heads": (
        changed(lambda c: [*c[:6], "_", "_", "_" if c[6] == "_" else f"1:x|{c[6]}:{c[7]}|9:y", "_"]), "column 9",
    ),
    "in MISC": (changed(lambda c: [*c[:6], "_", "_", "_", f"{c[9]}|Head={c[6]}"]), "column 10"),
    "in MISC, with other numbers": (
        changed(lambda c: [*c[:6], "_", "_", "_", f"start_char=17|Head={c[6]}|end_char=23"]), "column 10",
    ),
    "in XPOS": (changed(lambda c: [*c[:4], f"{c[4]}-{c[6]}", c[5], "_", "_", "_", "_"]), "column 5"),
    "spaces for tabs": (GOLD.replace("\t", " "), "column 4 from the right"),
    "comma-separated": (changed(lambda c: c).replace("\t", ","), "column 4 from the right"),
    "a list of heads for each sentence": ("\n".join(" ".join(map(str, heads)) for heads in sentences()), "list of numbers"),
    "numbered lists": ("\n".join(f"s{n} {' '.join(map(str, h))}" for n, h in enumerate(sentences())), "list of numbers"),
    "lists in comments": (
        "".join(f"# heads = {h}\n1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n" for h in sentences()), "list of numbers",
    ),
    "lists in JSON": (json.dumps(sentences()), "list of numbers"),
    "lists in JSON, one number a line": (json.dumps(sentences(), indent=1), "column 1"),
    "JSON": (json.dumps(tokens()), "field head"),
    "JSON, one value a line": (json.dumps(tokens(), indent=1), "field head"),
    "XML": (
        "".join(f'<w id="{word["id"]}" head="{word["head"]}"/>' for one in tokens() for word in one), "field head",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    return make_task(tmp_path_factory.mktemp("inputs") / "task", task={"title": "t", "kinds": ["outputs"]})


@pytest.fixture
def serve_with(task):
    """Check the inputs of a task with an additional file."""
    made = []

    def check(name, contents):
        path = TaskFolder(task).blind / name
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        made.append(path)
        check_inputs(task_of(task))

    yield check
    for path in made:
        path.unlink()


def in_each_sentence(change):
    """Gold without DEPS, with every sentence changed by a function of its word lines."""
    text = changed(lambda cells: [*cells[:8], "_", "_"])
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    return "\n\n".join("\n".join(change([line for line in block if "\t" in line])) for block in blocks) + "\n\n"


def with_last_head_wrong(words):
    cells = words[-1].split("\t")
    cells[6] = "1" if cells[6] != "1" else "2"
    return [*words[:-1], "\t".join(cells)]


UNSEEN = {
    "one head wrong in each sentence": in_each_sentence(with_last_head_wrong),
    "words in another order": in_each_sentence(lambda words: words[::-1]),
    "a word left out": in_each_sentence(lambda words: words[1:]),
    "a word added": in_each_sentence(lambda words: [*words[:3], "0\tx\t_\t_\t_\t_\t99\t_\t_\t_", *words[3:]]),
    "gzip after other bytes": b"text" + gzip.compress(GOLD.encode()),
    "xz after other bytes": b"text" + lzma.compress(GOLD.encode()),
    "UTF-16": GOLD.encode("utf-16"),
    "head and words in pairs": "\n".join(" ".join(f"{i}-{h}" for i, h in enumerate(s, 1)) for s in sentences()),
    "counted from 0": changed(lambda c: [*c[:6], int(c[6]) - 1, *c[7:8], "_", "_"] if c[6].isdigit() else c),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_docs_say_what_the_check_cannot_see(name, serve_with):
    """If one of these is found, shorten the list in docs/task-reference.md."""
    serve_with("notes.txt", UNSEEN[name])


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("file", ["notes.txt", "en.conllu"])
def test_gold_in_any_form_is_not_served(name, file, serve_with):
    contents, column = VARIANTS[name]
    with pytest.raises(InputError) as refused:
        serve_with(file, contents)
    assert refused.value.slug == "gold-in-input"
    assert refused.value.place.file.endswith(f"/{file}")
    assert column in refused.value.message
    assert "gold treebank 'en'" in refused.value.message
    assert re.search(r"\(\d+\.\d%\): replace the heads by _, or remove the file", refused.value.message)


def zipped(name, contents, **settings):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **settings) as archive:
        archive.writestr(name, contents)
    return buffer.getvalue()


def zstd(contents):
    return pytest.importorskip("zstandard").compress(contents)


BYTES = GOLD.encode()
CONTAINERS = {
    "gzip": lambda: gzip.compress(BYTES),
    "xz": lambda: lzma.compress(BYTES),
    "bzip2": lambda: bz2.compress(BYTES),
    "zstd": lambda: zstd(BYTES),
    "two gzip members": lambda: gzip.compress(BYTES[:900]) + gzip.compress(BYTES[900:]),
    "gzip in gzip": lambda: gzip.compress(gzip.compress(BYTES)),
    "tar": lambda: tar({"a/b": BYTES}, "w"),
    "tar.gz": lambda: tar({"a/b": BYTES}, "w:gz"),
    "tar.xz": lambda: tar({"a/b": BYTES}, "w:xz"),
    "tar of xz": lambda: tar({"readme": b"x", "a/b": lzma.compress(BYTES)}, "w"),
    "zip": lambda: zipped("a/b", BYTES, compression=zipfile.ZIP_DEFLATED),
    "zip by lzma": lambda: zipped("a/b", BYTES, compression=zipfile.ZIP_LZMA),
    "zip in tar": lambda: tar({"c": zipped("a/b", BYTES)}),
    "zip behind text": lambda: b"#!/bin/sh\n" + zipped("a/b", BYTES, compression=zipfile.ZIP_DEFLATED),
}


AROUND = {
    "before a zip": lambda: BYTES + b"\n" + zipped("readme", b"x"),
    "after zero bytes": lambda: bytes(1024) + BYTES,
    "after a tar": lambda: tar({"readme": b"x"}, "w") + BYTES,
    "before a zip in a zip": lambda: zipped("a", BYTES + b"\n" + zipped("readme", b"x")),
}


@pytest.mark.parametrize("name", AROUND)
def test_gold_next_to_an_archive_is_not_served(name, serve_with):
    with pytest.raises(InputError, match="column 7 contains the trees of gold treebank 'en'") as refused:
        serve_with("data.bin", AROUND[name]())
    assert len(refused.value.faults) == 1


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lambda data: tar({"a/b": data})], ids=["plain", "gzip", "tar"])
def test_a_copy_of_gold_with_short_sentences_is_not_served(pack, tmp_path):
    """Trees with fewer words than `LEAST_WORDS` are not compared, but a copy of the whole file is found."""
    row = "{}\tw{}{}\t_\tNOUN\t_\t_\t{}\t{}\t_\t_\n".format
    rows = ["".join(row(j + 1, i, j, j, "dep" if j else "root") for j in range(5)) for i in range(40)]
    gold = tmp_path / "gold"
    gold.mkdir()
    (gold / "xx.conllu").write_text("\n".join(rows) + "\n")
    folder = TaskFolder(make_task(tmp_path / "task", gold, task={"title": "t", "kinds": ["outputs"]}))
    (folder.blind / "xx.bin").write_bytes(pack((gold / "xx.conllu").read_bytes()))
    with pytest.raises(InputError, match="it is a copy of gold treebank 'xx'") as refused:
        check_inputs(task_of(folder.path))
    assert refused.value.slug == "gold-in-input"


@pytest.mark.parametrize(
    "line", [b"a1" * 200_000, b"a" * 400_000, b"a " * 200_000, b"1" * 400_000, b"head" + b" " * 400_000]
)
def test_long_lines_are_checked_in_linear_time(line, serve_with):
    """In quadratic time, this test would take hours."""
    serve_with("data.bin", line)


@pytest.mark.parametrize("name", CONTAINERS)
def test_gold_in_any_container_is_not_served(name, serve_with):
    with pytest.raises(InputError, match="column 7 contains the trees of gold treebank 'en'") as refused:
        serve_with("data.bin", CONTAINERS[name]())
    assert ("a/b'" in refused.value.message) == ("tar" in name or "zip " in f"{name} ".replace("gzip", ""))


def encrypted():
    data = bytearray(zipped("a", BYTES))
    for at in (data.index(b"PK\x03\x04") + 6, data.rindex(b"PK\x01\x02") + 8):
        data[at] |= 1
    return bytes(data)


def nested(times):
    data = b"x"
    for _ in range(times):
        data = gzip.compress(data)
    return data


@pytest.mark.parametrize(("contents", "said"), [
    (encrypted, "encrypted"), (lambda: gzip.compress(BYTES)[:-20], "cut off"), (lambda: nested(6), "nested more than"),
    (lambda: gzip.compress(bytes(64 << 20)), "decompress to more"),
], ids=["encrypted", "cut off", "nested", "growing"])  # fmt: skip
def test_what_cannot_be_checked_is_not_served(contents, said, serve_with):
    with pytest.raises(InputError, match=f"it cannot be checked for gold trees: .*{said}") as refused:
        serve_with("data.bin", contents())
    assert refused.value.slug == "unchecked-input"


def test_every_file_with_gold_is_named(task, serve_with):
    path = TaskFolder(task).blind / "first.gz"
    path.write_bytes(gzip.compress(BYTES))
    try:
        with pytest.raises(InputError) as refused:
            serve_with("second", GOLD)
    finally:
        path.unlink()
    assert [fault.place.file.rpartition("/")[2] for fault in refused.value.faults] == ["first.gz", "second"]


@pytest.mark.parametrize("contents", [
    PLAIN, "", "\n", "\0" * 2000, "1 2 3\n" * 1000, "\n".join(map(str, range(3000))), "0.25 -1.5 3 4 5 6 7 8\n" * 99,
    changed(lambda c: [*c[:6], str(max(0, int(c[0]) - 1)) if c[0].isdigit() else "_", c[7], "_", c[9]]),
    "An example:\n\n1\tThey\t2\n2\tbuy\t0\n3\tand\t4\n4\tsell\t2\n5\tbooks\t2\n6\t.\t2\n\n",
    lzma.compress(PLAIN.encode()), zipped("en.conllu", PLAIN), zipped("empty", b""), tar({}),
], ids=lambda _: "contents")  # fmt: skip
def test_what_has_no_gold_trees_is_served(contents, serve_with):
    serve_with("en.conllu", contents)


def test_files_that_were_not_checked_are_not_served(task):
    """Files added while the server runs were not compared with gold; links are never inputs."""
    folder = TaskFolder(task)
    late, other = folder.blind / "late.txt", folder.blind / "de.txt"
    before = other.read_bytes()
    with Database(folder.database) as database:
        site = Site(task_of(task), database)
        assert {"en.txt", "de.txt"} <= set(site.inputs())
        late.write_text(GOLD)
        other.write_text(GOLD)
        try:
            assert "late.txt" not in site.inputs()
            assert "de.txt" not in site.inputs()
            assert "en.txt" in site.inputs()
        finally:
            late.unlink()
            other.write_bytes(before)


def test_links_among_inputs_are_not_published(tmp_path):
    task = make_task(tmp_path / "task", task={"title": "t", "kinds": ["outputs"]})
    folder = TaskFolder(task)
    (folder.blind / "link").symlink_to(folder.gold / "en.conllu")
    folder.final.mkdir()
    with Database(folder.database) as database:
        with database.transaction() as connection:
            connection.execute("INSERT INTO main.facts (name, value) VALUES ('final', 'now')")
        export_task(task_of(task), database, tmp_path / "export.tar.gz")
    with tarfile.open(tmp_path / "export.tar.gz") as archive:
        names = archive.getnames()
    assert "blind/en.txt" in names
    assert "blind/link" not in names


def test_init_refuses_inputs_with_gold_trees_and_leaves_nothing(tmp_path, capfd):
    inputs = shutil.copytree(EXAMPLES / "systems" / "alpha", tmp_path / "inputs")
    (inputs / "en.conllu").write_text(one_head_wrong())
    arguments = ["task", "init", str(tmp_path / "task"), "--gold", str(EXAMPLES / "gold"), "--inputs", str(inputs)]
    assert run(arguments) == 2
    said = capfd.readouterr().err
    assert "gold-in-input: column 7 contains the trees of gold treebank 'en'" in said
    assert not (tmp_path / "task").exists()


def test_gold_graphs_are_not_inputs(tmp_path):
    """Enhanced graphs differ from the tree in a tenth of the sentences or more, for example at relative pronouns."""
    gold = tmp_path / "gold"
    gold.mkdir()
    rows = [line.split("\t") for line in GOLD.split("\n")]
    numbered = [(n, cells) for n, cells in enumerate(rows) if len(cells) == 10 and cells[6] != "_"]
    for n, (_, cells) in enumerate(numbered):
        cells[8] = f"{cells[6]}:{cells[7]}" if n % 5 else f"{int(cells[6]) + 1}:ref|{int(cells[6]) + 3}:conj"
    (gold / "en.conllu").write_text("\n".join("\t".join(cells) for cells in rows))
    folder = TaskFolder(make_task(tmp_path / "task", gold, task={"title": "t", "kinds": ["outputs"]}))
    for _, cells in numbered:
        cells[6] = cells[7] = "_"
    (folder.blind / "graphs.conllu").write_text("\n".join("\t".join(cells) for cells in rows))
    with pytest.raises(InputError, match="column 9 contains the trees of gold treebank 'en'"):
        check_inputs(task_of(folder.path))


@pytest.mark.slow
@pytest.mark.parametrize("system", one_in(3, ["HIT-SCIR-18", "UDPipe-Future", "conll18-baseline"]))
def test_parses_of_a_good_parser_are_inputs(data, tmp_path, system):
    """HIT-SCIR-18 has 61% of the trees of Bulgarian and 53% of those of Finnish."""
    gold, inputs = tmp_path / "gold", tmp_path / "inputs"
    for folder, source in ((gold, "gold"), (inputs, f"systems/{system}")):
        folder.mkdir()
        for code in one_in(2, ["bg_btb", "fi_tdt"]):
            packed = data / "conll18" / source / f"{code}.conllu.xz"
            (folder / f"{code}.conllu").write_bytes(lzma.decompress(packed.read_bytes()))
    made = create_task(tmp_path / "task", gold, inputs=inputs)
    (made.blind / "parses.zip").write_bytes(zipped("bg", (inputs / "bg_btb.conllu").read_bytes()))
    check_inputs(task_of(made.path))
    if system != "HIT-SCIR-18":  # gold is the same for all
        return
    (made.blind / "parses.zip").write_bytes(zipped("bg", (gold / "bg_btb.conllu").read_bytes()))
    with pytest.raises(
        InputError, match="'bg', column 7 contains the trees of gold treebank 'bg_btb': 1005 of the 1005"
    ):
        check_inputs(task_of(made.path))
