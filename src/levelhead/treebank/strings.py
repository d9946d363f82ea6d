"""Pools of distinct strings in UTF-8, and columns of codes that refer to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np

from levelhead.immutable import immutable
from levelhead.kernels import pools

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

Codes: TypeAlias = "NDArray[np.int32]"

SPACES = ((0x2000, 0x200A), *((point, point) for point in (0x20, 0xA0, 0x1680, 0x202F, 0x205F, 0x3000)))
"""All space separators, the Unicode category Zs: first and last of each range."""

ANY_SPACE = dict.fromkeys(point for first, last in SPACES for point in range(first, last + 1))
"""A table for `str.translate` that deletes all space separators."""

PLAIN_SPACE = {0x20: None}  # a table for `str.translate` that deletes U+0020
UNDERSCORE = 0  # the code of "_", the first string of every pool


@immutable
class Strings(Sequence[str]):
    """A pool of strings: a sequence without duplicates.

    Args:
        pool: the strings in UTF-8, each followed by a line feed.
        offsets: the position in bytes at which each string starts in `pool`; the last element is the size of `pool`;
            int64, shape (strings + 1,).
    """

    pool: bytes
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, code: int) -> str: ...
    @overload
    def __getitem__(self, code: slice) -> Sequence[str]: ...
    def __getitem__(self, code: int | slice) -> str | Sequence[str]:
        if isinstance(code, slice) or "texts" in vars(self) or code < 0:
            return self.texts[code]
        if code >= len(self):
            raise IndexError(f"no string has the code {code}")
        return self.pool[self.offsets[code] : self.offsets[code + 1] - 1].decode()

    @cached_property
    def texts(self) -> list[str]:
        """All strings, decoded on first use."""
        return self.text.split("\n")[:-1]

    @cached_property
    def text(self) -> str:
        """All strings joined, each followed by a line feed."""
        return self.pool.decode()

    @classmethod
    def of(cls, texts: Iterable[str]) -> Strings:
        """Return `texts`, which must be distinct, as a pool in the same order."""
        encoded = [text.encode() + b"\n" for text in texts]
        return cls(b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.int64))

    def codes_with(self, *ranges: tuple[int, int]) -> Codes:
        """Return the codes of all strings that contain a character from one of the `ranges`, ascending, int32.

        A range is a pair of code points, the first and the last. Ranges cannot exceed U+FFFF or contain "!" to "~".
        """
        members = np.zeros(1 << 16, dtype=np.uint8)
        for first, last in ranges:
            members[first : last + 1] = True
        return pools.strings_with(self.pool, self.offsets, members)

    @cached_property
    def with_spaces(self) -> Codes:
        """The codes of the strings that contain a space of any kind (Unicode category Zs), ascending, int32."""
        return self.codes_with(*SPACES)

    def texts_of(self, codes: Codes) -> list[str]:
        """Return the strings with the given `codes` (int32). Unlike `texts`, this only decodes these strings."""
        starts, ends = self.offsets[codes].tolist(), (self.offsets[codes + 1] - 1).tolist()
        return [self.pool[start:end].decode() for start, end in zip(starts, ends, strict=True)]

    def with_texts(self, texts: Iterable[str]) -> tuple[Strings, Codes]:
        """Return two values: a copy of the pool with `texts` added, and the codes of `texts` in the copy, int32."""
        code_of = {text: code for code, text in enumerate(self.texts)}
        codes = np.array([code_of.setdefault(text, len(code_of)) for text in texts], dtype=np.int32)
        new = Strings.of(list(code_of)[len(self) :])
        offsets = np.concatenate([self.offsets, new.offsets[1:] + self.offsets[-1]])
        return Strings(self.pool + new.pool, offsets), codes


@immutable
class StringColumn(Sequence[str]):
    """A column of a treebank: a sequence of strings, stored as codes (int32 indices into `strings`)."""

    codes: Codes
    strings: Strings

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> StringColumn: ...
    def __getitem__(self, index: int | slice) -> str | StringColumn:
        if isinstance(index, slice):
            return StringColumn(self.codes[index], self.strings)
        return self.strings[int(self.codes[index])]

    def __iter__(self) -> Iterator[str]:
        return map(self.strings.texts.__getitem__, self.codes.tolist())

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:5]))
        return f"Column([{shown}{', ...' if len(self) > 5 else ''}], length {len(self)})"

    def take(self, rows: NDArray[np.intp]) -> StringColumn:
        """Return a column with only the strings at the indices `rows`."""
        return StringColumn(self.codes[rows], self.strings)

    @cached_property
    def distinct(self) -> Codes:
        """The codes that occur in the column, ascending, int32."""
        return pools.distinct(np.ascontiguousarray(self.codes), len(self.strings))

    @cached_property
    def distinct_texts(self) -> list[str]:
        """The strings that occur in the column, in the order of `distinct`."""
        return self.strings.texts_of(self.distinct)

    def mapped(self, function: Callable[[str], Any], dtype: DTypeLike) -> NDArray[Any]:
        """Call a function once for each distinct string; return its results (numbers or bools), one per row."""
        of_code = np.zeros(len(self.strings), dtype=dtype)
        of_code[self.distinct] = list(map(function, self.distinct_texts))
        return of_code[self.codes]

    @property
    def has_values(self) -> bool:
        """Whether at least one string in the column is neither empty nor `_`."""
        return any(self.strings[code] not in {"", "_"} for code in self.distinct[:3].tolist())

    def frequencies(self) -> dict[str, int]:
        """Return the frequency of each distinct string, most frequent first; ties are in the order of the codes."""
        counts = np.bincount(self.codes, minlength=len(self.strings))
        order = np.argsort(-counts, kind="stable")
        return {self.strings[int(code)]: int(counts[code]) for code in order if counts[code]}
