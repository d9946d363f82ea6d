"""Files of UD releases: names of contents, files by name, downloads from a server on this machine."""

import hashlib
import json
import lzma
import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import levelhead
from command_line import levelhead as command
from conftest import one_in
from levelhead.errors import InputError
from levelhead.testing import assert_las
from levelhead.treebank.provenance import FileId, FileSummary, Provenance, joint_hash, short_hash
from levelhead.treebank.releases import path_of
from levelhead.treebank.releases.index import INDEX, index
from released import FILES, GERMAN, NEW, OLD, TRAIN, forget, use_index


@pytest.fixture(autouse=True)
def toys(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The index of toys, except for tests of the shipped index."""
    if "shipped" not in request.node.name:
        use_index(tmp_path, monkeypatch)
    yield
    forget()


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of unpacked releases."""
    for (number, repository, name), data in FILES.items():
        folder = tmp_path / f"releases/ud-treebanks-v{number.removesuffix('-test')}" / repository
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    monkeypatch.setenv("LEVELHEAD_UD", str(tmp_path / "releases"))
    return tmp_path / "releases"


class Mirror(SimpleHTTPRequestHandler):
    """A server of files that remembers what was requested."""

    requested: list[str]

    def log_message(self, *_: object) -> None:
        self.requested.append(self.path)


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, list[str]]]:
    """The folder of a server of releases, which the address names, and its requests."""
    folder, requested = tmp_path / "mirror", list[str]()
    for (number, repository, name), data in FILES.items():
        (folder / repository / f"r{number}").mkdir(parents=True, exist_ok=True)
        (folder / repository / f"r{number}" / name).write_bytes(data)
    handler = type("Remembering", (Mirror,), {"requested": requested})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/{{repository}}/{{tag}}/{{file}}"
        monkeypatch.setenv("LEVELHEAD_UD_ADDRESS", address)
        yield folder, requested
        server.shutdown()
        thread.join()


def written(folder: Path, data: bytes, name: str = "any.conllu") -> str:
    (folder / name).write_bytes(data)
    return str(folder / name)


def file_of(data: bytes, path: str | None = None) -> FileId:
    return FileSummary(hashlib.sha256(data).hexdigest(), 1, 1, path=path).id


# Names of contents


def test_names_are_codes_of_today_and_all_releases_with_the_same_contents() -> None:
    assert list(map(str, map(file_of, (OLD, NEW, GERMAN)))) == [
        "en_toy-test@2.0-2.2", "en_toy-test@2.3", "de_toy-test@2.2"
    ]  # fmt: skip
    unknown = hashlib.sha256(OLD + b"\n").hexdigest()
    assert file_of(OLD + b"\n") == FileId(unknown)
    assert str(FileId(unknown)) == unknown[:12]
    assert str(FileSummary(None, 1, 1).id) == "memory"


def test_large_files_are_recognized_by_their_git_blob_if_they_have_their_name(tmp_path: Path) -> None:
    named = written(tmp_path, lzma.compress(TRAIN), "en_toy-ud-train.conllu.xz")
    assert str(file_of(TRAIN, named)) == "en_toy-train@2.2"
    assert file_of(TRAIN, written(tmp_path, TRAIN)).name is None
    forget()
    assert file_of(TRAIN, str(tmp_path / "removed/en_toy-ud-train.conllu")).name is None


def test_signatures_and_json_have_names(tmp_path: Path) -> None:
    gold, system = written(tmp_path, OLD, "gold.conllu"), written(tmp_path, OLD, "system.conllu")
    evaluation = levelhead.score(gold, system, measures="LAS")
    assert evaluation.signature["gold"] == "en_toy-test@2.0-2.2"
    document = evaluation.to_dict()
    known = {"name": "en_toy-test", "releases": "2.0-2.2", "sha256": hashlib.sha256(OLD).hexdigest()}
    assert document["provenance"]["files"]["treebank"]["gold"] == known
    assert levelhead.load(document).provenance == Provenance.from_dict(document["provenance"]) == evaluation.provenance
    ranking = levelhead.rank(gold, {"a": gold, "b": system}, measures="LAS")
    assert ranking.provenance.signature["gold"] == "en_toy-test@2.0-2.2"
    packed = written(tmp_path, lzma.compress(OLD), "packed.conllu.xz")
    assert levelhead.rank(packed, {"a": gold, "b": system}).provenance.signature["gold"] == "en_toy-test@2.0-2.2"


def test_joint_hashes_do_not_depend_on_names() -> None:
    files = [file_of(OLD), file_of(GERMAN)]
    assert joint_hash(files) == joint_hash(FileId(file.sha256) for file in files) != joint_hash(files[::-1])
    assert joint_hash(files[:1]) == "en_toy-test@2.0-2.2"
    assert joint_hash([FileId(files[0].sha256)]) == short_hash(files[0].sha256)


def test_gold_that_is_training_data_is_a_warning(tmp_path: Path) -> None:
    train = written(tmp_path, TRAIN, "en_toy-ud-train.conllu")
    done = command("score", train, train, "-m", "LAS")
    assert "warning: " in done.stderr
    assert "training-data: gold is training data: en_toy-train@2.2" in done.stderr
    test = written(tmp_path, OLD, "test.conllu")
    assert command("score", test, test, "-m", "LAS").stderr == ""


def test_training_data_of_another_release_is_noted(tmp_path: Path) -> None:
    train = written(tmp_path, TRAIN, "en_toy-ud-train.conllu")
    notes = {}
    for name, data in (("same", OLD), ("other", NEW), ("german", GERMAN)):
        path = written(tmp_path, data, f"{name}.conllu")
        notes[name] = " ".join(levelhead.score(path, path, train=[train]).provenance.notes)
    assert "the training data is en_toy-train@2.2, but the test set is en_toy-test@2.3" in notes["other"]
    assert "release" not in notes["same"] + notes["german"]


def test_diff_names_the_releases(tmp_path: Path) -> None:
    old, new, unknown = (written(tmp_path, data, str(n)) for n, data in enumerate((OLD, NEW, OLD + b"\n")))
    assert levelhead.diff(old, new).verdict.startswith("UD 2.0-2.2 to 2.3: 20 of 20 sentences have changed (")
    assert levelhead.diff(new, unknown).verdict.startswith("20 of 20 sentences have changed (")


def test_captions_name_the_release(tmp_path: Path) -> None:
    for folder in ("gold", "a", "b"):
        (tmp_path / folder).mkdir()
        for code, data in (("en", OLD), ("de", GERMAN)):
            written(tmp_path / folder, data, f"{code}.conllu")
    paths = [str(tmp_path / folder) for folder in ("gold", "a", "b")]
    assert "on 2 test sets of UD 2.2." in levelhead.paper_table(levelhead.rank(paths[0], paths[1:]), "markdown")
    compared = levelhead.compare(paths[0], paths[1:], resample_by="sentence")
    assert "on 2 test sets of UD 2.2." in levelhead.paper_table(compared, "markdown")
    compared = levelhead.compare(f"{paths[0]}/en.conllu", [f"{path}/en.conllu" for path in paths[1:]])
    assert "on en_toy-test@2.0-2.2." in levelhead.paper_table(compared, "markdown")
    written(tmp_path / "gold", OLD + b"\n", "en.conllu")
    assert "on 2 test sets." in levelhead.paper_table(levelhead.rank(paths[0], paths[1:]), "markdown")


# Files by name


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("en@2.0", OLD), ("en_toy@2.1", OLD), ("en_toy-test@2.2", OLD), ("en_toy-test@2.0-2.2", OLD),
        ("en_toy@2.3", NEW), ("en_toy-train@2.2", TRAIN), ("de_toy@2.2", GERMAN),
    ],
)  # fmt: skip
def test_files_of_unpacked_releases_are_found(name: str, data: bytes, release: Path) -> None:
    path = Path(path_of(name))
    assert path.is_relative_to(release)
    assert path.read_bytes() == data
    assert levelhead.read(name).source.sha256 == hashlib.sha256(data).hexdigest()


def test_one_release_can_be_named_and_files_can_be_compressed(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEVELHEAD_UD", f"{tmp_path}{os.pathsep}{release / 'ud-treebanks-v2.3'}")
    assert Path(path_of("en_toy@2.3")).read_bytes() == NEW
    (flat := tmp_path / "flat").mkdir()
    packed = written(flat, lzma.compress(OLD), "en_toy-ud-test.conllu.xz")
    monkeypatch.setenv("LEVELHEAD_UD", str(flat))
    assert path_of("en_toy@2.2") == packed


@pytest.mark.usefixtures("release")
def test_existing_paths_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert path_of("./en_toy@2.2") == "./en_toy@2.2"
    assert path_of("en_toy@2.2") != "en_toy@2.2"
    written(tmp_path, NEW, "en_toy@2.2")
    assert path_of("en_toy@2.2") == "en_toy@2.2"
    for other in ("LAS@CORE", "user@host", "a/en_toy@2.2", "en_toy@two"):
        assert path_of(other) == other


@pytest.mark.usefixtures("release")
def test_patterns_are_folders_of_test_sets() -> None:
    folder = Path(path_of("*_toy@2.2"))
    assert sorted(path.name for path in folder.iterdir()) == ["de_toy-ud-test.conllu", "en_toy-ud-test.conllu"]
    assert path_of("*_toy@2.2") == str(folder)
    assert_las("en_toy@2.1", "en_toy@2.2", at_least=100)
    done = command("score", "*_toy@2.2", folder, "-m", "LAS", "--format", "json")
    assert {row["treebank"] for row in json.loads(done.stdout)["tables"]["scores"]} == {"de_toy", "en_toy"}
    assert levelhead.score("*_toy@2.2", str(folder))["LAS"].value == 100


def test_patterns_keep_the_names_of_links(release: Path, tmp_path: Path) -> None:
    path = release / "ud-treebanks-v2.2/UD_German-Toy/de_toy-ud-test.conllu"
    path.rename(tmp_path / "annexed")
    path.symlink_to(tmp_path / "annexed")
    assert {link.name for link in Path(path_of("*_toy@2.2")).iterdir()} == {
        "de_toy-ud-test.conllu",
        "en_toy-ud-test.conllu",
    }


@pytest.mark.usefixtures("release")
def test_manifests_have_names(tmp_path: Path) -> None:
    outputs = path_of("*_toy@2.2")
    for number, gold in enumerate(('[campaign]\ngold = "*_toy@2.2"', '[[treebank]]\ncode = "en_toy"\ngold = "en@2.1"')):
        manifest = written(tmp_path, gold.encode(), f"{number}.toml")
        assert levelhead.score(manifest, outputs)["LAS"].value == 100


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("en_tox@2.2", "did you mean en_toy?"),
        ("en_toy@2.9", "unknown UD release '2.9'"),
        ("de_toy@2.3", "its test file is in the releases 2.2"),
        ("de_toy-dev@2.2", "unknown split 'dev'"),
        ("en_toy@2.2-2.3", "changed between 2.2 and 2.3"),
        ("fr_*@2.2", "no file matches"),
    ],
)
def test_unknown_names_are_explained(name: str, reason: str) -> None:
    with pytest.raises(InputError, match="unknown-test-set") as raised:
        path_of(name)
    assert reason in str(raised.value)
    assert reason in command("score", name, "any.conllu").stderr


def test_a_changed_byte_is_refused(release: Path, tmp_path: Path) -> None:
    out = written(tmp_path, OLD)
    path = release / "ud-treebanks-v2.2/UD_English-Toy/en_toy-ud-test.conllu"
    assert command("score", "en_toy@2.2", out, "-m", "LAS").returncode == 0
    path.write_bytes(OLD.replace(b"nsubj", b"nsubk", 1))
    done = command("score", "en_toy@2.2", out, "-m", "LAS")
    assert (done.returncode, done.stdout) == (2, "")
    assert "changed-test-set: this is not en_toy-test@2.2" in done.stderr


# Downloads


def test_files_are_downloaded_on_request_only(mirror: tuple[Path, list[str]], tmp_path: Path) -> None:
    out, arguments = written(tmp_path, OLD), ("-m", "LAS", "--format", "json")
    done = command("score", "en_toy@2.2", out, *arguments)
    assert done.returncode == 2
    assert "missing-test-set: en_toy-test@2.2 is not on this machine" in done.stderr
    with pytest.raises(InputError, match="missing-test-set"):
        levelhead.score("en_toy@2.2", out)
    assert mirror[1] == []
    done = command("score", "en_toy@2.2", out, *arguments, "--download")
    assert json.loads(done.stdout)["provenance"]["signature"]["gold"] == "en_toy-test@2.0-2.2"
    assert "/UD_English-Toy/r2.2/LICENSE.txt" in done.stderr
    assert mirror[1] == ["/UD_English-Toy/r2.2/en_toy-ud-test.conllu"]
    again = command("score", "en_toy@2.2", out, *arguments)
    assert (again.stdout, again.stderr) == (done.stdout, "")
    assert len(mirror[1]) == 1
    assert command("testsets", "get", "en@2.0").returncode == 0
    assert mirror[1][1:] == ["/UD_English-Toy/r2.0-test/en-ud-test.conllu"]


def test_test_sets_of_manifests_are_downloaded(mirror: tuple[Path, list[str]], tmp_path: Path) -> None:
    (tmp_path / "systems/a").mkdir(parents=True)
    (tmp_path / "systems/a/en_toy.conllu").write_bytes(OLD)
    gold = b'[campaign]\nsystems = "systems"\n[[treebank]]\ncode = "en_toy"\ngold = "en_toy@2.2"'
    arguments = ("rank", "--manifest", written(tmp_path, gold, "m.toml"), "-m", "LAS")
    assert "missing-test-set" in command(*arguments).stderr
    assert "gold:en_toy-test@2.0-2.2" in command(*arguments, "--download").stdout
    assert mirror[1] == ["/UD_English-Toy/r2.2/en_toy-ud-test.conllu"]


def test_a_changed_download_is_refused_and_leaves_nothing(mirror: tuple[Path, list[str]], tmp_path: Path) -> None:
    for name, data in (("test", OLD), ("train", TRAIN)):
        (mirror[0] / f"UD_English-Toy/r2.2/en_toy-ud-{name}.conllu").write_bytes(data[:-1])
        done = command("testsets", "get", f"en_toy-{name}@2.2")
        assert done.returncode == 2
        assert f"changed-test-set: the download is not en_toy-{name}@2.2" in done.stderr
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


@pytest.mark.usefixtures("mirror")
def test_a_changed_file_in_the_cache_is_replaced_by_a_download() -> None:
    path = Path(levelhead.testsets("en_toy-train@2.2", download=True).paths[0])
    assert path.read_bytes() == TRAIN
    path.write_bytes(TRAIN[:-1])
    assert command("validate", "en_toy-train@2.2").returncode == 2
    assert command("validate", "en_toy-train@2.2", "--download").returncode == 0
    assert path.read_bytes() == TRAIN


def test_failed_downloads_are_reported(mirror: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    (mirror[0] / "UD_German-Toy/r2.2/de_toy-ud-test.conllu").unlink()
    assert "download-failed: HTTP Error 404" in command("testsets", "get", "de_toy@2.2").stderr
    for address, reason in (
        ("/none/{file}", "download-failed: [Errno 2] No such"),
        ("x://{file}", "failed: unknown url type"),
    ):
        monkeypatch.setenv("LEVELHEAD_UD_ADDRESS", address)
        done = command("testsets", "get", "de_toy@2.2")
        assert done.returncode == 2
        assert reason in done.stderr


def test_the_address_can_be_a_folder(mirror: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVELHEAD_UD_ADDRESS", f"{mirror[0]}/{{repository}}/r{{release}}/{{file}}")
    told = list[str]()
    sets = levelhead.testsets(["*_toy@2.2", "en_toy@2.2"], download=True, tell=told.append)
    assert [file.name for file in sets.versions] == ["de_toy-test", "en_toy-test"]
    assert len(told) == 4
    assert mirror[1] == []


# Lists


@pytest.mark.usefixtures("release")
def test_test_sets_are_listed() -> None:
    lines = [line.split() for line in command("testsets").stdout.splitlines()[2:]]
    assert [line[0] for line in lines] == ["de_toy-test", "en_toy-test"]
    assert lines[1][2::2] == ["2.0", "2.3", "4", "1", "20", "164"]
    lines = command("testsets", "en_toy").stdout.splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["en_toy-test@2.0-2.2", "en_toy-test@2.3"]
    train = command("testsets", "en_toy-train", "--format", "json")
    (row,) = json.loads(train.stdout)["tables"]["versions"]
    assert (row["name"], row["words"], row["sha256"], row["path"]) == ("en_toy-train", None, None, None)
    got = json.loads(command("testsets", "get", "en_*@2.3", "--format", "json").stdout)["tables"]["versions"]
    assert [Path(row["path"]).read_bytes() for row in got] == [NEW]


@pytest.mark.parametrize("names", [("get",), ("get", "en_toy"), ("en_toi",), ("en/toy",)])
def test_wrong_names_of_lists(names: tuple[str, ...]) -> None:
    done = command("testsets", *names)
    assert done.returncode == 2
    assert done.stderr


# The shipped index


def test_the_shipped_index_is_small_and_consistent() -> None:
    assert Path(INDEX).stat().st_size < 1 << 20
    files = list(index().files())
    assert len(files) > 4000
    for file in files[::50]:
        found = index().with_contents(file.digest)
        assert found is not None
        assert found.digest == file.digest
        assert set(index().shared([file.releases]).replace("-", ",").split(",")) <= {*file.names} | {""}


@pytest.mark.data
def test_shipped_names_of_real_files_are_those_of_the_manifest(data: Path) -> None:
    lines = (data / "ud/MANIFEST.tsv").read_text().splitlines()
    manifest = [dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:]]
    for row in manifest:
        file = index().with_contents(bytes.fromhex(row["sha256_raw"]))
        assert file is not None
        assert file.names[row["tag"][1:].removesuffix("-test")] == f"{row['code']}-ud-{row['split']}.conllu"
        assert (file.sentences, file.words) == (int(row["sentences"]), int(row["words"]))
    for path in one_in(8, sorted((data / "conll17/gold").glob("*.xz"))):
        file = index().with_contents(hashlib.sha256(lzma.decompress(path.read_bytes())).digest())
        assert file is not None
        assert file.names["2.0"] == f"{path.name.split('.')[0]}-ud-test.conllu"
    for path in one_in(8, sorted((data / "conll18/gold").glob("*.xz"))):
        file = index().with_contents(hashlib.sha256(lzma.decompress(path.read_bytes())).digest())
        assert file is not None
        assert file.names["2.2"] == f"{path.name.split('.')[0]}-ud-test.conllu"
