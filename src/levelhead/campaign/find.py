"""Finds test sets and outputs: in folders and files of any layout, in mappings, or in a manifest, a TOML file."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from levelhead.arguments import is_collection, refuse
from levelhead.campaign.plan import PathLike, Plan, TestSet, name_of, named_by_path, plan_of, unmatched_note
from levelhead.campaign.ranking import RANKINGS
from levelhead.errors import Fault, InputError, Place, listed, quoted, unknown
from levelhead.measures.registry import STANDARD
from levelhead.scoring.rules import RULES
from levelhead.treebank import Treebank
from levelhead.treebank.input_bytes import parsed_toml, read_bytes
from levelhead.treebank.layouts.gold import Split, bare_name, existing, extra_gold, gold_files
from levelhead.treebank.layouts.outputs import System, system_folders, system_name
from levelhead.treebank.releases import path_of
from levelhead.typology.languages import language_of

Treebanks = PathLike | Treebank | Mapping[str, PathLike | Treebank]
"""A path in any layout, a treebank in memory, or a mapping of codes of test sets to either."""


Systems = Sequence[PathLike] | Mapping[str, Treebanks]
"""The outputs of each system by name, or of one system by code; or a list of paths, from which names are taken."""


def find_test_sets(gold: Path, split: Split | None = None) -> tuple[TestSet, ...]:
    if gold.suffix == ".toml" and gold.is_file():
        return read_manifest(gold).gold_sets(split)
    return tuple(
        TestSet(file.code, file.path, file.outputs, language._replace(name=file.language or language.name))
        for file in gold_files(gold, split)
        for language in [language_of(file.code)]
    )


def find_plan(
    gold: Treebanks,
    systems: Systems | PathLike | Treebank,
    split: Split | None = None,
    *,
    as_runs: bool = False,
    argument: str = "systems",
) -> Plan:
    """Return a plan: the test sets and the outputs of each system.

    To list the outputs that were not found, call `missing_outputs`.

    Args:
        gold: the gold treebanks.
        systems: a mapping from the name of each system to its outputs; a folder that contains a folder for each system;
            the folder of one system; a list of such folders; or a single output.
        split: the split of UD releases to use as gold: "train", "dev" or "test"; None for "test", or for the only split
            if test files are missing.
        as_runs: whether every folder in a system's folder counts as a training run, whatever its name.
        argument: what error messages call the argument `systems`.

    Raises:
        InputError: a path cannot be read, is empty or is given twice; the layout of a folder is ambiguous; or a mapping
            of outputs has a key that is not the code of a test set.
    """
    if isinstance(systems, str | os.PathLike):
        systems = [systems] if Path(systems).is_file() else system_folders(Path(systems))
    for name, given in (("gold", gold), (argument, systems)):
        if isinstance(given, Sequence | Mapping) and not (given or isinstance(given, Treebank)):
            refuse(name, given, "at least one treebank")
    test_sets = _test_sets_of(gold, split, systems)
    if isinstance(systems, Treebank):
        if len(test_sets) > 1:
            _refuse_keys(f"{argument} is a single treebank", [test_set.code for test_set in test_sets], _BY_CODE)
        systems = {"system": systems}
    elif isinstance(systems, Mapping):
        systems = outputs_by_name(systems, [test_set.code for test_set in test_sets], argument)
    else:
        systems = _named(gold, systems)
    runs: list[System] = []
    for name, outputs in systems.items():
        by_code = {test_sets[0].code: outputs} if isinstance(outputs, Treebank) else outputs
        if isinstance(by_code, Mapping):
            treebanks = {code: output for code, output in by_code.items() if isinstance(output, Treebank)}
            paths = {code: Path(output) for code, output in by_code.items() if not isinstance(output, Treebank)}
            runs.append(System(name, paths, treebanks=treebanks))
        elif Path(by_code).is_file() and any(test_set.outputs for test_set in test_sets):
            message = "GOLD is a folder, but this is a file: give a folder of outputs"
            raise InputError(Fault("missing-system-file", message, Place(str(Path(by_code)))))
        else:
            runs += plan_of(test_sets, {name: Path(by_code)}, as_runs).systems
    return Plan(test_sets, tuple(runs))


def _test_sets_of(gold: Treebanks, split: Split | None, systems: Systems | Treebank) -> tuple[TestSet, ...]:
    if isinstance(gold, str | os.PathLike):
        try:
            return find_test_sets(Path(gold), split)
        except InputError as error:
            if error.slug == "no-pairs" and _are_swapped(Path(gold), systems):
                message = "this is a folder of systems: are gold and systems swapped? Gold comes first"
                raise InputError(Fault(error.slug, message, error.place)) from None
            raise
    by_code = gold if isinstance(gold, Mapping) else {"treebank": gold}
    return tuple(
        TestSet(
            code,
            None if isinstance(source, Treebank) else Path(source),
            (f"{code}.conllu",) if len(by_code) > 1 else (),  # in folders
            language_of(code),
            source if isinstance(source, Treebank) else None,
        )
        for code, source in by_code.items()
    )


def _are_swapped(gold: Path, systems: Systems | Treebank) -> bool:
    """Whether gold is a folder of systems, and the only system could be a folder of gold."""
    try:
        return len(system_folders(gold)) > 1 and not isinstance(systems, Treebank) and len(systems) == 1
    except InputError:
        return False


def _named(gold: Treebanks, systems: Sequence[PathLike]) -> Mapping[str, PathLike]:
    if any(isinstance(system, Treebank) for system in systems):
        raise InputError(Fault("no-pairs", "treebanks have no names: give a mapping of names to treebanks"))
    if len(systems) == 1 and isinstance(gold, str | os.PathLike):
        return {name_of(gold, systems[0]): systems[0]}
    return named_by_path(systems)


def outputs_by_name(
    systems: Mapping[str, Treebanks], codes: Sequence[str], argument: str = "systems"
) -> Mapping[str, Treebanks]:
    """Return the outputs by system; a mapping from codes of test sets to files or treebanks is a single system."""
    single = {key for key, outputs in systems.items() if not (isinstance(outputs, Mapping) or is_collection(outputs))}
    if single == {*systems} and single <= {*codes}:
        return {"system": systems}  # type: ignore[dict-item]
    found = (key in codes or isinstance(systems[key], Treebank) or Path(systems[key]).exists() for key in single)  # type: ignore[arg-type]
    if len(codes) > 1 and any(found):
        expected = f"{_BY_CODE} for one system, or {{name: {_BY_CODE}}} or {{name: folder}} for several"
        _refuse_keys(_with_keys(argument, systems), codes, expected)
    for name, outputs in systems.items():
        if isinstance(outputs, Mapping) and not {*outputs} <= {*codes}:
            _refuse_keys(_with_keys(f"{argument}[{name!r}]", outputs), codes, _BY_CODE)
    return systems


_BY_CODE = "{code: output}"


def _with_keys(argument: str, keys: Iterable[str]) -> str:
    return f"{argument} has the keys {listed(list(map(quoted, keys)))}"


def _refuse_keys(came: str, codes: Sequence[str], expected: str) -> NoReturn:
    message = f"{came}, but the codes of gold are {listed(list(map(quoted, codes)))}: give {expected}"
    raise InputError(Fault("invalid-argument", message))


def listed_gold(path: str | os.PathLike[str]) -> list[str]:
    """Return the gold files that a manifest or TIRA's metadata lists; any other path is returned unchanged."""
    name = os.fspath(path)
    if not name.endswith(".toml") and not os.path.isfile(os.path.join(name, "metadata.json")):  # noqa: PTH113, PTH118
        return [name]
    return [os.fspath(test_set.gold) for test_set in find_test_sets(Path(name)) if test_set.gold is not None]


def about_files(gold: Treebanks, plan: Plan, of: str = "gold treebank") -> tuple[str, ...]:
    """Return warnings about ignored files, and a note on outputs with longer file names than their test sets."""
    extra = extra_gold_warning(gold) if isinstance(gold, str | os.PathLike) else ()
    ignored = [f"warning: {unmatched_note(list(map(str, plan.ignored)), of)}"] if plan.ignored else []
    return (*extra, *ignored, *(f"note: {note}" for note in plan.notes))


def extra_gold_warning(gold: PathLike) -> tuple[str, ...]:
    """Return a warning about treebanks that are not gold, but in its folder or next to the gold of a manifest."""
    path = Path(gold)
    if path.suffix == ".toml" and path.is_file():
        manifest = read_manifest(path)
        folder = None if manifest.test_sets else manifest.gold
    else:
        folder = path if path.suffix == ".toml" or path.is_dir() else None
    extra = [f"{file.name}/" if file.is_dir() else file.name for file in (extra_gold(folder) if folder else ())]
    return (f"warning: extra treebanks in GOLD (ignored): {listed(extra)}",) if extra else ()


_CAMPAIGN = {
    "gold": "path", "systems": "path", "measures": "texts", "definitions": "texts", "scheme": "text", "rules": "text",
    "ranking": "text", "show": "texts", "parallel": "texts",
}  # fmt: skip
_TREEBANK = {
    "code": "text", "gold": "path", "output": "text", "language": "text", "family": "text", "genus": "text",
    "groups": "texts",
}  # fmt: skip
_SYSTEM = {"name": "text", "folder": "path", "runs": "texts"}
_TOP = ("campaign", "treebank", "system", "groups")


class Manifest(NamedTuple):
    """The contents of a manifest, a campaign's TOML file.

    Args:
        test_sets: the listed test sets; if empty, those in the folder `gold` are used.
        folders: a mapping from each listed system to its folder; if empty, the folders in `systems` are used.
        runs: for each system whose runs are listed, the names of the runs' folders.
        gold: the folder of gold treebanks, or None.
        systems: the folder that contains a folder for each system, or None.
        groups: a mapping from the name of each group to the codes of its test sets.
        measures: the names of measures, or None.
        definitions: files of custom measures and schemes.
        scheme: the default scheme of relation classes, or None.
        rules: the name of the scoring rules, or None.
        ranking: the ranking rule ("exact", "conll17" or "conll18"), or None.
        show: the names of the groups that get a ranking, or None.
        parallel: the names of the groups of parallel test sets.
        path: the path of the manifest.
    """

    test_sets: tuple[TestSet, ...] = ()
    folders: Mapping[str, Path] = {}
    runs: Mapping[str, Sequence[str]] = {}
    gold: Path | None = None
    systems: Path | None = None
    groups: Mapping[str, Sequence[str]] = {}
    measures: tuple[str, ...] | None = None
    definitions: tuple[Path, ...] = ()
    scheme: str | None = None
    rules: str | None = None
    ranking: str | None = None
    show: tuple[str, ...] | None = None
    parallel: tuple[str, ...] = ()
    path: str = ""

    def campaign(self, *, as_runs: bool = False) -> Plan:
        """Return the test sets, and every run of each system.

        If the manifest does not list the runs of a system, each subfolder of the system's folder that contains outputs
        is a run. If several subfolders contain outputs, their names must be like `seed1` and `seed2`, unless `as_runs`
        is true. If the outputs are not in subfolders, the system has a single run.
        """
        test_sets = self.gold_sets()
        if not self.folders and self.systems is None:
            message = "the manifest names no systems: give campaign.systems (a folder) or [[system]] tables"
            raise InputError(Fault("invalid-manifest", message, Place(self.path)))
        folders = self.folders or system_folders(self.systems or Path())
        return plan_of(test_sets, folders, {name: self.runs.get(name) or as_runs for name in folders})

    def gold_sets(self, split: Split | None = None) -> tuple[TestSet, ...]:
        """Return the test sets. If they are in a folder of UD treebanks, `split` selects train, dev or test files."""
        test_sets = self.test_sets
        if not test_sets:
            if self.gold is None:
                message = "the manifest names no treebanks: give campaign.gold (a folder) or [[treebank]] tables"
                raise InputError(Fault("invalid-manifest", message, Place(self.path)))
            test_sets = find_test_sets(self.gold, split)
        group = {code: name for name in self.parallel for code in self.groups[name]}
        return tuple(test_set._replace(parallel=group.get(test_set.code, "")) for test_set in test_sets)


def read_manifest(path: str | os.PathLike[str], download: Callable[[str], None] | None = None) -> Manifest:
    """Read a manifest; paths in it are relative to its folder. Missing test sets are downloaded as by `path_of`."""
    return manifest_from(parsed_toml(read_bytes(path), os.fsdecode(path), "invalid-manifest"), path, download)


def manifest_from(
    document: Mapping[str, Any], path: str | os.PathLike[str], download: Callable[[str], None] | None = None
) -> Manifest:
    reader = _ManifestReader(Path(name := os.fsdecode(path)).parent, download)
    manifest = reader.manifest(document, name)
    if reader.errors:
        raise InputError(*(Fault("invalid-manifest", message, Place(name)) for message in reader.errors))
    return manifest


class _ManifestReader:
    def __init__(self, folder: Path, download: Callable[[str], None] | None) -> None:
        self.folder, self.download = folder, download
        self.errors: list[str] = []

    def manifest(self, document: Mapping[str, Any], name: str) -> Manifest:
        self._check_keys(document, _TOP, "the manifest")
        campaign = self._values(self._table(document, "campaign"), _CAMPAIGN, "campaign")
        treebanks = self._tables(document, "treebank", _TREEBANK)
        test_sets = tuple(filter(None, (self._test_set(table, where, campaign["gold"]) for where, table in treebanks)))
        folders: list[tuple[str, Path]] = []
        runs: dict[str, Sequence[str]] = {}
        for where, table in self._tables(document, "system", _SYSTEM):
            if table["folder"] is None:
                self.errors.append(f"{where} has no folder")
                continue
            system = table["name"] or system_name(table["folder"])
            folders.append((system, table["folder"]))
            if table["runs"]:
                runs[system] = table["runs"]
        codes = [test_set.code for test_set in test_sets]
        self._check_unique(codes, "[[treebank]]")
        self._check_unique([system for system, _ in folders], "[[system]]")
        groups = self._groups(document, treebanks, codes)
        campaign["definitions"] = tuple(self.folder / file for file in campaign["definitions"] or ())
        campaign["parallel"] = campaign["parallel"] or ()
        self.errors += [
            f"campaign.parallel: {unknown('group', group, groups)}"
            for group in campaign["parallel"]
            if group not in groups
        ]
        schemes = () if campaign["definitions"] else tuple(STANDARD.schemes.by_name)
        for key, choices in (("scheme", schemes), ("rules", RULES), ("ranking", RANKINGS)):
            if campaign[key] is not None and choices and campaign[key] not in choices:
                self.errors.append(f"campaign.{key}: {unknown(key, campaign[key], choices)}")
        return Manifest(test_sets, dict(folders), runs, groups=groups, path=name, **campaign)

    def _test_set(self, table: Mapping[str, Any], where: str, gold: Path | None) -> TestSet | None:
        code, path, output = table["code"], table["gold"], table["output"]
        if code is None:
            self.errors.append(f"{where} has no code")
            return None
        if path is not None:
            path = existing(path.parent, path.name)
        elif gold is not None:
            path = existing(gold, f"{code}.conllu")
        if path is None:
            self.errors.append(f"{where}: no gold file for {code}")
            return None
        outputs = (f"{code}.conllu", bare_name(path.name).removesuffix(".conllu") + ".conllu")
        given = {"name": table["language"], "family": table["family"], "genus": table["genus"]}
        language = language_of(code)._replace(**{field: value for field, value in given.items() if value})
        return TestSet(code, path, tuple(dict.fromkeys(outputs if output is None else (output,))), language)

    def _groups(
        self, document: Mapping[str, Any], treebanks: Iterable[tuple[str, Mapping[str, Any]]], codes: Sequence[str]
    ) -> dict[str, list[str]]:
        """The listed groups, and the groups named by treebanks."""
        listed = self._table(document, "groups")
        groups = {name: list(self._value(names, "texts", f"groups.{name}") or ()) for name, names in listed.items()}
        for _, table in treebanks:
            for group in table["groups"] or ():
                groups.setdefault(group, []).append(str(table["code"]))
        self.errors += [
            f"groups.{name} has test sets that are not listed: {', '.join(map(quoted, missing))}"
            for name, members in groups.items()
            if (missing := [code for code in members if codes and code not in codes])
        ]
        return groups

    def _table(self, document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        table = document.get(key, {})
        if isinstance(table, dict):
            return table
        self.errors.append(f"{key} is not a table")
        return {}

    def _tables(
        self, document: Mapping[str, Any], key: str, kinds: Mapping[str, str]
    ) -> list[tuple[str, dict[str, Any]]]:
        """The values of each table of a list, with its number for messages."""
        tables = document.get(key, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self.errors.append(f"{key} is not a list of tables: write [[{key}]]")
            return []
        names = [f"{key} {number}" for number in range(1, 1 + len(tables))]
        return [(where, self._values(table, kinds, where)) for where, table in zip(names, tables)]

    def _values(self, table: Mapping[str, Any], kinds: Mapping[str, str], where: str) -> dict[str, Any]:
        """The value of each key, None if it is missing or wrong."""
        self._check_keys(table, kinds, where)
        return {key: self._value(table.get(key), kind, f"{where}.{key}") for key, kind in kinds.items()}

    def _check_keys(self, table: Mapping[str, Any], known: Collection[str], where: str) -> None:
        self.errors += [f"{where}: {unknown('key', key, known)}" for key in table if key not in known]

    def _value(self, value: Any, kind: str, where: str) -> Any:
        if kind == "texts" and isinstance(value, list) and value and all(isinstance(text, str) for text in value):
            self._check_unique(value, where)
            return tuple(value)
        if kind != "texts" and isinstance(value, str) and value and "\0" not in value:
            return self._path(value) if kind == "path" else value
        if value is not None:
            self.errors.append(f"{where} is not a {'list of strings' if kind == 'texts' else 'string'}")
        return None

    def _path(self, text: str) -> Path:
        path = self.folder / text
        return path if path.exists() else self.folder / path_of(text, self.download)

    def _check_unique(self, names: Sequence[str], where: str) -> None:
        repeated = (name for i, name in enumerate(names) if name in names[:i])
        self.errors += [f"{where} has {quoted(name)} twice" for name in repeated]
