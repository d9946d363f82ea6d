"""The errors of levelhead, and the places where they occur.

    LevelheadError                  slug, place, message
      InputError(ValueError)        an invalid file or value; holds every fault found
        ConlluError                 columns, ids, ranges, encoding, trees
        TextMismatch                gold and system do not contain the same text
        UnreadableFile              missing, not readable, too large, damaged compression
      MeasureError(ValueError)      an unknown measure, scheme or rules, with the nearest valid names
      OutputError(OSError)          a result could not be written

Each slug is explained in `levelhead.messages`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, TypeVar

from levelhead.immutable import immutable

__all__ = [
    "ConlluError", "Fault", "InputError", "LevelheadError", "MeasureError", "OutputError", "Place", "TextMismatch",
    "UnreadableFile",
]  # fmt: skip

Severity = Literal["error", "warning"]


class Place(NamedTuple):
    """A place: the file, line and sentence (counted from 1), and the word id."""

    file: str | None = None
    line: int | None = None
    sentence: int | None = None
    word: str | None = None

    def __str__(self) -> str:
        """Return `file:line`, as compilers print it, so that editors can jump there."""
        name = printable(self.file) if self.file is not None else "<input>"
        return f"{name}:{self.line}" if self.line is not None else name


NOWHERE = Place()


@immutable
class Fault:
    """One error or warning about an input.

    Args:
        slug: the name of the error or warning, as in `levelhead.messages.MESSAGES`.
        message: what is wrong, in one sentence.
        place: where the error or warning is.
        severity: "error" if the file cannot be used, otherwise "warning".
        count: the number of similar errors or warnings that this one stands for, including itself.
    """

    slug: str
    message: str
    place: Place = NOWHERE
    severity: Severity = "error"
    count: int = 1

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place != NOWHERE else ""
        return f"{place}{self.slug}: {self.message_with_count}"

    @property
    def message_with_count(self) -> str:
        """The message, plus the number of further cases if `count` is above 1."""
        return self.message + (f" (and {number_of(self.count - 1, 'more such case')})" if self.count > 1 else "")

    def in_file(self, name: str | None) -> Fault:
        """Return this fault with `name` as its file."""
        return replace(self, place=self.place._replace(file=name))


_MOST_LINES, _MOST_FILES = 3, 4  # errors of a kind in a file, and files with the same error, that are shown each
_Key = TypeVar("_Key")


def add_fault(faults: dict[_Key, list[Fault]], kind: _Key, fault: Fault, most: int = 1) -> None:
    """Add a fault to a collection, which keeps the first faults of each kind; the last of them counts the others."""
    kept = faults.setdefault(kind, [])
    if len(kept) < most:
        kept.append(fault)
    else:
        kept[-1] = replace(kept[-1], count=kept[-1].count + fault.count)


class LevelheadError(Exception):
    """Base class of levelhead's errors.

    Args:
        message: what is wrong, in one sentence.
        slug: the name of the error, as in `levelhead.messages.MESSAGES`.
        place: where the error is.
    """

    def __init__(self, message: str, slug: str, place: Place | None = None) -> None:
        super().__init__(message, slug, place or NOWHERE)
        self.message, self.slug, self.place = message, slug, place or NOWHERE

    def __str__(self) -> str:
        return f"{self.place}: {self.slug}: {self.message}" if self.place != NOWHERE else f"{self.slug}: {self.message}"


class InputError(LevelheadError, ValueError):
    """Raised for unusable inputs; contains all errors found.

    Args:
        faults: the errors found, at least one. The message, slug and place are those of the first error.
    """

    def __init__(self, *faults: Fault) -> None:
        super().__init__(faults[0].message, faults[0].slug, faults[0].place)
        self.faults = faults
        self.args = faults  # what unpickling gives to this method

    def __str__(self) -> str:
        """Return a line for each fault; where there are many of a kind, the last line counts those left out."""
        kinds = [
            (fault.slug, fault.severity, fault.message if fault.place.line is None else fault.place.file)
            for fault in self.faults
        ]
        totals, n_shown, lines = Counter(kinds), Counter[tuple[str, str, str | None]](), []
        for fault, kind in zip(self.faults, kinds):
            most = _MOST_LINES if fault.place.line is not None or totals[kind] < _MOST_FILES else 1
            n_shown[kind] += 1
            if n_shown[kind] <= most:
                n_others = totals[kind] - most if n_shown[kind] == most else 0
                shown = replace(fault, count=fault.count + max(n_others, 0))
                lines.append(f"{'warning: ' * (fault.severity == 'warning')}{shown}")
        return "\n".join(lines)


class ConlluError(InputError):
    """Raised for invalid CoNLL-U files and invalid trees."""


class TextMismatch(InputError):
    """Raised if the characters of gold and system differ."""


class UnreadableFile(InputError):
    """Raised for missing, unreadable, too large or damaged files."""


class MeasureError(LevelheadError, ValueError):
    """Raised for unknown measures, columns, class schemes and scoring rules."""


class OutputError(LevelheadError, OSError):
    """Raised if results cannot be written."""


class MalformedDeps(ValueError):
    """DEPS that are not a list of heads and relations, or whose heads are not nodes of the sentence."""

    def __init__(self, message: str, rank: int = 0) -> None:
        super().__init__(message)
        self.rank = rank


def reason_of(error: BaseException) -> str:
    """Return what an error of the operating system says, in plain words."""
    if isinstance(error, IsADirectoryError):
        return "this is a folder: name a file"
    return getattr(error, "strerror", None) or str(error)


def printable(text: str) -> str:
    """Return text for one line of a terminal: control, format and undecodable characters are escaped."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or is_joining(text, at) else c.encode("unicode_escape", "backslashreplace").decode()
        for at, c in enumerate(text)
    )


_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
_JOINED = ((0x590, 0x1CFF), (0xA800, 0xABFF), (0x10800, 0x11FFF), (0x1E900, 0x1E95F))
"""The blocks of scripts whose letters join or have a virama, such as Arabic or Devanagari (UAX 31 is stricter)."""


def is_joining(text: str, at: int) -> bool:
    """Return whether a character is a zero-width joiner in an emoji, or a joiner in a word whose script needs it."""
    import unicodedata

    around = text[max(at - 1, 0) : at] + text[at + 1 : at + 2]
    if text[at] not in _JOINERS or len(around) < len("xx"):
        return False
    kinds = "".join(unicodedata.category(c)[0] for c in around)
    if text[at] == _JOINERS[1] and kinds in {"SS", "MS"}:
        return True
    return set(kinds) <= set("LMN") and any(first <= ord(c) <= last for c in around for first, last in _JOINED)


def names_or_number(names: Sequence[str], noun: str) -> str:
    """Return up to four names as a list, otherwise their number."""
    if len(names) > 4:
        return number_of(len(names), noun)
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return names for a message: the first few, each in full, and the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(printable, names[:most])) + more


def shortened(name: str) -> str:
    """Return a name that may be anything, cut where it is very long; names and paths of files are never cut."""
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…"


def similar(name: str, known: Iterable[str]) -> str | None:
    import difflib

    lower, by_lower = name.lower(), {known.lower(): known for known in known}
    near = [other for other in by_lower if sorted(other) == sorted(lower)]  # names with the same letters come first
    near = near or difflib.get_close_matches(lower, by_lower, n=1, cutoff=_LEAST_SIMILAR)
    return by_lower[near[0]] if near else None


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the message for an unknown name: "unknown measure 'LSA': did you mean LAS?"."""
    names = list(known)
    if near := similar(name, names):
        hint = f"did you mean {printable(shortened(near))}?"
    else:
        hint = f"use {listed(list(map(shortened, names)), _MOST_NAMES)}" if names else "none are available"
    return f"unknown {kind} {quoted(name)}: {hint}"


_MOST_NAMES, _LONGEST_NAME = 20, 100
_LEAST_SIMILAR = 0.605
"""As `difflib` measures it: three of five letters, as in "score" and "close", are not enough."""


def number_of(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1."""
    return f"{count_text(count)} {noun}{'' if count == 1 else 's'}"


def count_text(count: int) -> str:
    """Return a number of things for readers: 1,222,143."""
    return f"{count:,}"


def with_minus(text: str) -> str:
    """Return text with minus signs before numbers; hyphens between words or numbers stay."""
    return re.sub(r"(?<![\w.,%)\]-])-(?=\.?\d)", "\N{MINUS SIGN}", text)


def quoted(text: str, longest: int = 40) -> str:
    """Return text in quotes, escaped for one line and shortened if it is long."""
    cut = text if len(text) <= longest else text[:longest] + "…"
    return f"'{printable(cut)}'"
