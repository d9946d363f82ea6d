"""Writing of files: completely or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from levelhead.errors import OutputError, Place, reason_of


def replace_file(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Write bytes to a file, completely or not at all; "-" is standard output."""
    if os.fsdecode(path) == "-":
        sys.stdout.buffer.writelines(parts)
        return
    with replacing(path) as write_parts:
        write_parts(parts)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Callable[[Iterable[bytes]], None]]:
    """Yield a function that writes to a temporary file, which replaces the target at the end."""
    with ExitStack() as stack:
        with output_errors(path):
            target, mode = _target(path)
            if mode is not None and not stat.S_ISREG(mode):
                file = stack.enter_context(target.open("wb"))  # a pipe or device cannot be replaced
                temporary = None
            else:
                if mode is None:
                    umask = os.umask(0)
                    os.umask(umask)
                    mode = 0o666 & ~umask
                import tempfile

                target = target.resolve()
                handle, name = tempfile.mkstemp(dir=target.parent, prefix=".levelhead-")
                temporary = target.with_name(os.fsdecode(name).rpartition(os.sep)[2])
                file = stack.enter_context(os.fdopen(handle, "wb"))

        def write_parts(parts: Iterable[bytes]) -> None:
            with output_errors(path):
                file.writelines(parts)

        try:
            yield write_parts
            with output_errors(path):
                file.close()
                if temporary is not None:
                    temporary.chmod(stat.S_IMODE(mode))
                    temporary.replace(target)
        except BaseException:
            with suppress(OSError):  # it repeats the error without the path
                file.close()
            if temporary is not None:
                temporary.unlink(missing_ok=True)
            raise


def check_file(path: str | os.PathLike[str]) -> None:
    """Check that `replace_file` can write a file, without changing anything."""
    if os.fsdecode(path) == "-":
        return
    with output_errors(path):
        target, mode = _target(path)
        if mode is None or stat.S_ISREG(mode):
            _check_new_file(target.resolve().parent)
        elif stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        elif not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def check_folder(path: str | os.PathLike[str], *, replaced: bool = False) -> None:
    """Check that a folder can be written to or replaced, and created if it is missing, without changing anything."""
    with output_errors(path):
        target = Path(os.fsdecode(path)).resolve()
        target = target.parent if replaced else target
        while not target.exists():
            target = target.parent
        _check_new_file(target)


def _check_new_file(folder: Path) -> None:
    """Create a file in a folder and remove it, since permissions alone are not conclusive, for example for root."""
    import tempfile

    tempfile.TemporaryFile(dir=folder).close()


def _target(path: str | os.PathLike[str]) -> tuple[Path, int | None]:
    """Return a path with its mode, if it exists; the name of a folder, which ends with a slash, is refused."""
    target = Path(os.fsdecode(path))
    mode = target.stat().st_mode if target.exists() else None
    if os.fsdecode(path).endswith(("/", os.sep)):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return target, mode


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
    if number in {errno.ENOENT, errno.ENOTDIR}:
        target = Path(path)
        folder = next((folder for folder in reversed(target.parents) if not folder.is_dir()), None)
        if folder is None and target.is_file():
            folder = target
        if folder is not None:
            return f"{folder} is not a folder" if os.path.lexists(folder) else f"the folder {folder} does not exist"
    return reason_of(error)
