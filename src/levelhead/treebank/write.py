"""Writing of treebanks as CoNLL-U, byte for byte as they were read."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING

from levelhead.arguments import checked, instance, path
from levelhead.errors import OutputError, Place

if TYPE_CHECKING:
    from pathlib import Path

    from levelhead.treebank.treebank import Treebank

_SENTENCES_AT_ONCE = 5000


def to_conllu(treebank: Treebank) -> bytes:
    """Return the treebank as CoNLL-U, or as CoNLL-U Plus if it was read from such a file."""
    return b"".join(conllu_parts(treebank))


def conllu_parts(treebank: Treebank) -> Iterator[bytes]:
    """Yield the treebank as CoNLL-U, a few thousand sentences at a time."""
    if treebank.extra is not None:
        from levelhead.treebank.plus import plus_parts

        yield from plus_parts(treebank, treebank.extra.layout, _parts(treebank))
        return
    for _, text in _parts(treebank):
        yield text.encode()


def _parts(treebank: Treebank) -> Iterator[tuple[Treebank, str]]:
    for start in range(0, len(treebank), _SENTENCES_AT_ONCE):
        part = treebank if len(treebank) <= _SENTENCES_AT_ONCE else treebank[start : start + _SENTENCES_AT_ONCE]
        yield part, _to_text(part)


def _treebank() -> type:
    from levelhead.treebank.treebank import Treebank

    return Treebank


@checked(treebank=instance(_treebank, "a treebank"), path=path)
def write(treebank: Treebank, path: str | os.PathLike[str]) -> None:
    """Write a treebank as CoNLL-U; the file is written completely or not at all.

    A treebank from a CoNLL-U Plus file is written as CoNLL-U Plus, with the same columns and any new columns with
    values.

    Args:
        treebank: the treebank.
        path: the file, which is replaced if it exists; "-" is standard output.

    Raises:
        OutputError: the file cannot be written.
    """
    replace_file(path, conllu_parts(treebank))


def replace_file(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Write bytes to a temporary file, then rename it to the target; pipes and devices are written directly."""
    from pathlib import Path

    if os.fsdecode(path) == "-":
        sys.stdout.buffer.writelines(parts)
        return
    with output_errors(path):
        target = Path(os.fsdecode(path))
        mode = target.stat().st_mode if target.exists() else None
        _check_name(path)
        if mode is not None and not stat.S_ISREG(mode):
            with target.open("wb") as file:  # a pipe or device cannot be replaced
                file.writelines(parts)
        else:
            _replace_regular(target.resolve(), parts, 0o666 & ~_umask() if mode is None else stat.S_IMODE(mode))


def check_file(path: str | os.PathLike[str]) -> None:
    """Check that `replace_file` can write a file, without changing anything."""
    from pathlib import Path

    if os.fsdecode(path) == "-":
        return
    with output_errors(path):
        target = Path(os.fsdecode(path))
        mode = target.stat().st_mode if target.exists() else None
        _check_name(path)
        if mode is None or stat.S_ISREG(mode):
            _check_new_file(target.resolve().parent)
        elif stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        elif not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def check_folder(path: str | os.PathLike[str]) -> None:
    """Check that files can be written in a folder, which may have to be created first, without changing anything."""
    from pathlib import Path

    with output_errors(path):
        target = Path(os.fsdecode(path)).resolve()
        while not target.exists():
            target = target.parent
        _check_new_file(target)


def _check_new_file(folder: Path) -> None:
    """Create a file in a folder and remove it, since permissions alone are not conclusive, for example for root."""
    import tempfile

    with tempfile.TemporaryFile(dir=folder):
        pass


def _check_name(path: str | os.PathLike[str]) -> None:
    """Refuse the name of a folder, which would become a file without the slash."""
    if os.fsdecode(path).endswith(("/", os.sep)):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


@contextmanager
def output_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn errors of the operating system about a path into an OutputError."""
    if not os.fsdecode(path):
        raise OutputError("the path is empty: name a file", "output")
    if "\0" in os.fsdecode(path):
        raise OutputError("a path cannot contain NUL", "output", Place(os.fsdecode(path)))
    try:
        yield
    except OutputError:
        raise
    except (OSError, RuntimeError) as error:  # a circle of links is a RuntimeError before Python 3.13
        raise OutputError(_reason(error, os.fsdecode(path)), "output", Place(os.fsdecode(path))) from error


def _reason(error: OSError | RuntimeError, path: str) -> str:
    """What is wrong with a path, in plain words where the system's are about one of its folders."""
    number = getattr(error, "errno", None)
    if number == errno.EISDIR:
        return "this is the name of a folder: name a file"
    folder = _first_wrong_folder(path) if number in {errno.ENOENT, errno.ENOTDIR} else None
    if folder is not None:
        return f"{folder} is not a folder" if os.path.lexists(folder) else f"the folder {folder} does not exist"
    return getattr(error, "strerror", None) or str(error)


def _first_wrong_folder(path: str) -> Path | None:
    from pathlib import Path

    target = Path(path)
    wrong = next((folder for folder in reversed(target.parents) if not folder.is_dir()), None)
    return target if wrong is None and target.is_file() else wrong


def _replace_regular(target: Path, parts: Iterable[bytes], mode: int) -> None:
    import tempfile

    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".levelhead-")
    temporary = target.with_name(os.fsdecode(name).rpartition(os.sep)[2])
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)
        temporary.chmod(mode)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _to_text(treebank: Treebank) -> str:
    starts = treebank.sentence_starts.tolist()
    lines, last = _word_lines(treebank), dict[int, str]()
    for (sentence, word), before in _lines_before_words(treebank).items():
        if word < starts[sentence + 1]:
            lines[word] = "".join((*before, lines[word]))
        else:
            last[sentence] = "".join(before)
    return "".join(
        f"{comments}{''.join(lines[start:end])}{last.get(i, '')}\n"
        for i, (comments, (start, end)) in enumerate(zip(treebank.comments, pairwise(starts), strict=True))
    )


def _word_lines(treebank: Treebank) -> list[str]:
    texts = treebank.strings.texts
    columns = [map(texts.__getitem__, column.codes.tolist()) for column in _string_columns(treebank)]
    local = treebank.local_heads().tolist() if treebank.has_trees else repeat("_", treebank.n_words)
    ids = chain.from_iterable(range(1, size + 1) for size in _sizes(treebank))
    form, lemma, upos, xpos, feats, relation, deps, misc = columns
    return [
        f"{i}\t{a}\t{b}\t{c}\t{d}\t{e}\t{head}\t{f}\t{g}\t{h}\n"
        for i, a, b, c, d, e, head, f, g, h in zip(
            ids, form, lemma, upos, xpos, feats, local, relation, deps, misc, strict=True
        )
    ]


def _string_columns(treebank: Treebank) -> list:  # type: ignore[type-arg]
    from levelhead.treebank.treebank import COLUMNS

    return [getattr(treebank, name) for name in COLUMNS]


def _sizes(treebank: Treebank) -> list[int]:
    starts = treebank.sentence_starts.tolist()
    return [end - start for start, end in pairwise(starts)]


def _lines_before_words(treebank: Treebank) -> dict[tuple[int, int], list[str]]:
    """The lines of empty nodes and multiword tokens, by the sentence and the word that follows them."""
    texts = treebank.strings.texts
    starts = treebank.sentence_starts
    before: dict[tuple[int, int], list[str]] = {}
    empty = treebank.empty
    for position, sentence, minor, cells in zip(empty.position, empty.sentence, empty.minor, empty.cells):
        line = "\t".join([f"{position - starts[sentence]}.{minor}", *(texts[code] for code in cells)])
        before.setdefault((int(sentence), int(position)), []).append(line + "\n")
    multiword = treebank.multiword
    for first, n_words, sentence, cells in zip(multiword.first, multiword.n_words, multiword.sentence, multiword.cells):
        local = first - starts[sentence] + 1
        line = "\t".join([f"{local}-{local + n_words - 1}", *(texts[code] for code in cells)])
        before.setdefault((int(sentence), int(first)), []).append(line + "\n")
    return before
