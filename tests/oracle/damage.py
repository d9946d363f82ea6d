"""Damage to a CoNLL-U file: edits of lines, of columns, of bytes. Some leave it valid; some only under some rules."""

from collections.abc import Callable
from random import Random

NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "01",
    "0_1",
    "+1",
    "-1",
    "-2",
    " 1",
    "１",
    "٢",
    "9",
    "_",
    "",
    "1.1",
    "1-1",
    "x",
    "1e0",
    "²",
)
IDENTIFIERS = (
    *NUMBERS,
    "1-2",
    "2-1",
    "2-3",
    "1-9",
    "0-1",
    "0.1",
    "1.2",
    "2.1",
    "1-2-3",
    "1-",
    "-",
    ".",
    "１-２",
    "3-3",
    "5-4",
)
EDGES = (
    "2:a|1:b",
    "1",
    "-1:a",
    "-3:a",
    "1.1:a",
    "x.y:a",
    "9:a",
    "a:b",
    ":",
    "1:",
    "|",
    "0:root",
    "01:a",
    "1:a|1:a",
    "１:a",
    "",
)
FORMS = ("", " ", "\u00a0", "\u3000", "\u200b", "_", "a b", "\u0085", "\u2028", "#", "\x0b")
LINES = ("", "", " ", "\t", "\u00a0", "#", "# a", "1", "\t\t\t\t\t\t\t\t\t")
TEXTS = ("\r", "\r\n", "\n", "\t", "\0", "\ufeff", " ")
BYTES = (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\x00", b"\r", b"\xef\xbb\xbf", b"\n\n")

Edit = Callable[[Random, list[str]], None]


def damaged_bytes(draw: Random, text: str, n_edits: int) -> bytes:
    """Edit the lines of a file, then now and then the text or the bytes."""
    lines = text.split("\n")
    for _ in range(n_edits):
        draw.choice(EDITS)(draw, lines)
    text = draw.choice(WHOLE)(draw, "\n".join(lines)) if draw.random() < 0.25 else "\n".join(lines)
    data = text.encode()
    if draw.random() < 0.05:
        at = draw.randint(0, len(data))
        data = data[:at] + draw.choice(BYTES) + data[at + draw.randint(0, 1) :]
    return data


def somewhere(draw: Random, lines: list[str]) -> int:
    return draw.randrange(len(lines))


def delete_line(draw: Random, lines: list[str]) -> None:
    if len(lines) > 1:
        del lines[somewhere(draw, lines)]


def double_line(draw: Random, lines: list[str]) -> None:
    at = somewhere(draw, lines)
    lines.insert(at, lines[at])


def swap_lines(draw: Random, lines: list[str]) -> None:
    at = somewhere(draw, lines)
    lines[at - 1], lines[at] = lines[at], lines[at - 1]


def insert_line(draw: Random, lines: list[str]) -> None:
    lines.insert(draw.randint(0, len(lines)), draw.choice(LINES))


def insert_range(draw: Random, lines: list[str]) -> None:
    """Put a multiword token before a line, often one that fits badly."""
    at = somewhere(draw, lines)
    number = lines[at].split("\t")[0]
    first = int(number) if number.isdecimal() and number.isascii() else 1
    last = first + draw.choice((-2, -1, 0, 0, 1, 1, 2, 5))
    lines.insert(at, "\t".join((f"{first}-{last}", "a", *"________")))


def insert_empty_node(draw: Random, lines: list[str]) -> None:
    identifier = draw.choice(("0.1", "1.1", "1.2", "2.1", "3.1", "1.01"))
    lines.insert(
        draw.randint(0, len(lines)), "\t".join((identifier, *"_______", draw.choice(("0:root", "1:a", "_")), "_"))
    )


def drop_column(draw: Random, lines: list[str]) -> None:
    at = somewhere(draw, lines)
    columns = lines[at].split("\t")
    del columns[draw.randrange(len(columns))]
    lines[at] = "\t".join(columns)


def add_column(draw: Random, lines: list[str]) -> None:
    lines[somewhere(draw, lines)] += "\t" + draw.choice(("", "_"))


def set_column(column: int, values: tuple[str, ...]) -> Edit:
    """Make an edit that writes one of the values into a column of some row."""

    def edit(draw: Random, lines: list[str]) -> None:
        at = somewhere(draw, lines)
        columns = lines[at].split("\t")
        if len(columns) > column:
            columns[column] = draw.choice(values)
            lines[at] = "\t".join(columns)

    return edit


def empty_column(draw: Random, lines: list[str]) -> None:
    set_column(draw.randrange(10), ("",))(draw, lines)


def delete_end(draw: Random, text: str) -> str:
    return text[: -draw.randint(1, 3)]


def truncate(draw: Random, text: str) -> str:
    return text[: draw.randint(0, len(text))]


def windows_ends(_draw: Random, text: str) -> str:
    return text.replace("\n", "\r\n")


def old_mac_ends(_draw: Random, text: str) -> str:
    return text.replace("\n", "\r")


def insert_text(draw: Random, text: str) -> str:
    at = draw.randint(0, len(text))
    return text[:at] + draw.choice(TEXTS) + text[at:]


def mark_byte_order(_draw: Random, text: str) -> str:
    return "\ufeff" + text


def blank_lines_around(draw: Random, text: str) -> str:
    return "\n" * draw.randint(0, 2) + text + "\n" * draw.randint(0, 2)


EDITS: tuple[Edit, ...] = (
    *(delete_line, double_line, swap_lines, insert_line, insert_line, insert_range, insert_empty_node),
    *(drop_column, add_column, empty_column),
    *(set_column(0, IDENTIFIERS), set_column(0, IDENTIFIERS), set_column(1, FORMS)),
    *(
        set_column(6, NUMBERS),
        set_column(6, NUMBERS),
        set_column(6, NUMBERS),
        set_column(8, EDGES),
        set_column(8, EDGES),
    ),
)
WHOLE = (
    delete_end,
    truncate,
    windows_ends,
    old_mac_ends,
    insert_text,
    insert_text,
    mark_byte_order,
    blank_lines_around,
)
