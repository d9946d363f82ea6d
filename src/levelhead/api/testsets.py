"""Test sets of UD releases, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from levelhead.api.inputs import as_list
from levelhead.api.parameters import public
from levelhead.treebank.releases.files import TestSets, files_named, located_file, wanted_files


@public(names=("list", "text"), download="flag", tell=("optional", "function"))
def testsets(
    names: str | Iterable[str] = "*",  # noqa: PT028 -- not a test
    *,
    download: bool = False,  # noqa: PT028
    tell: Callable[[str], None] | None = None,  # noqa: PT028
) -> TestSets:
    """Return test sets or other files of UD releases. With `download`, download them and return their paths.

    Files are looked for in the folders of the environment variable `LEVELHEAD_UD`, and in the cache.

    Args:
        names: names such as "en_ewt" (its test sets in all releases), "en_ewt-dev@2.16" or "fr_*@2.16". A download
            requires a release.
        download: whether to download the files that are not on this machine, verify them, and return their paths.
        tell: a function that receives the address and the license of each file before it is downloaded.

    Raises:
        InputError: a name is unknown, or a file cannot be downloaded or has other contents.
    """
    if not download:
        files = {(file.name, file.releases): file for name in as_list(names) for file in files_named(name)}
        return TestSets(tuple(files.values()))
    wanted = {str(each): each for name in as_list(names) for each in wanted_files(name)}
    paths = tuple(str(located_file(each, tell or (lambda _: None))) for each in wanted.values())
    return TestSets(tuple(each.file for each in wanted.values()), paths)
