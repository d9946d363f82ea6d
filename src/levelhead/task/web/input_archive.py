"""All inputs in one zip file, created on first request, with the same bytes for the same inputs."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import copyfileobj

from levelhead.errors import printable
from levelhead.task.model.submissions import Refused

_DATE = (1980, 1, 1, 0, 0, 0)  # for every file in the archive, so that the same inputs give the same bytes
_MODE = 0o100644 << 16


class InputArchive:
    """The archive of the inputs that can currently be downloaded; it is rebuilt when they change.

    Args:
        path: its path.
        inputs: returns the inputs, by name.
    """

    def __init__(self, path: Path, inputs: Callable[[], Mapping[str, Path]]) -> None:
        self.path, self._inputs = path, inputs
        self._made: tuple[str, ...] | None = None
        self._lock = threading.Lock()

    def ready(self) -> Path | None:
        """Return the path of the archive; None without inputs."""
        with self._lock:
            inputs = self._inputs()
            if inputs and (self._made != tuple(inputs) or not self.path.is_file()):
                self._make(inputs)
            return self.path if inputs else None

    def _make(self, inputs: Mapping[str, Path]) -> None:
        """Write the archive to a temporary file, and move it into place if the inputs are still the checked ones."""
        new = self.path.with_name(f".{self.path.name}.part")
        try:
            with zipfile.ZipFile(new, "w") as archive:
                for name, path in inputs.items():
                    _add(archive, name, path)
            if self._inputs().keys() != inputs.keys():
                raise Refused("an input is being changed: try again", 503)
            new.replace(self.path)
            self._made = tuple(inputs)
        except OSError as error:
            raise Refused("the archive of the inputs cannot be written: please tell the organizer", 507) from error
        finally:
            new.unlink(missing_ok=True)


def _add(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    info = zipfile.ZipInfo(printable(name), _DATE)
    info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, _MODE
    info.file_size = path.stat().st_size  # which decides whether sizes need 64 bits
    with path.open("rb") as data, archive.open(info, "w") as target:
        copyfileobj(data, target, 1 << 20)
