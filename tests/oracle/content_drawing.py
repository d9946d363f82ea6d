"""Random files of morphosyntactic parsing: sound ones, changed ones, and ones with anything wrong."""

from random import Random

FORMS = ["_", "-", "a", "b", "_ ", "\u00a0_", "ü"]
FEATURES = [
    "Case=Nom",
    "Case=Acc",
    "Case=A;B",
    "Case=B;A",
    "Number=Sing",
    "Number=",
    "Tense=Past",
    "X=1",
    "Mood=or(A;B)",
]
RELATIONS = ["nsubj", "obj", "nsubj:pass", "root", "Obj", ":x", ""]
WRONG_HEADS = ["_", "-1", " 2", "+1", "2.1", "99", "0", "٢", "1_0", "x", ""]
WRONG_FEATURES = ["||Case=Nom", "Case", "Case=A=B", "Case=Nom|", "_|Case=Nom", "", "_"]

Row = list[str]


def draw_rows(random: Random) -> list[Row]:
    """A sentence whose content words are a tree."""
    rows: list[Row] = []
    n_words = 0
    for _ in range(random.randint(1, 7)):
        kind = random.choice(["word"] * 4 + ["function"] * 2 + ["abstract", "abstract", "empty", "range"])
        n_words += kind in {"word", "function"}
        identity = {"abstract": f"{n_words}.1", "empty": f"{n_words}.2", "range": "1-2"}.get(kind, str(n_words))
        form = random.choice(["_", "_", "-", "ja"]) if kind == "abstract" else random.choice(FORMS)
        feats = draw_features(random) if kind in {"word", "abstract"} else "_"
        rows.append([identity, form, "_", "_", "_", feats, "_", random.choice(RELATIONS), "_", "_"])
    attach(rows, random)
    return rows


def draw_features(random: Random) -> str:
    """The features of a content word."""
    return "|".join(random.sample(FEATURES, random.randint(0, 3))) or "|"


def attach(rows: list[Row], random: Random) -> None:
    """Give content words heads: each a content word that has one already, the first one 0."""
    words = [row for row in rows if row[0].isdigit()]
    content = [row for row in rows if row[5] not in {"", "_"}]
    random.shuffle(content)
    content.sort(key=lambda row: not row[0].isdigit())  # the root must be able to be a head
    attached: list[Row] = []
    for row in content:
        heads = [other for other in attached if other[0].isdigit()]
        row[6] = str(words.index(random.choice(heads)) + 1) if heads else "0"
        attached.append(row)


def changed(rows: list[Row], random: Random) -> list[Row]:
    """The same sentence as a system may have it."""
    new = [list(row) for row in rows]
    for row in new:
        if random.random() < 0.15:
            row[5] = "_" if row[5] not in {"", "_"} else draw_features(random)
        if row[5] not in {"", "_"} and random.random() < 0.3:
            row[5] = draw_features(random)
        if random.random() < 0.2:
            row[7] = random.choice(RELATIONS)
        if random.random() < 0.1:
            row[1] = random.choice(FORMS)
    if random.random() < 0.6:
        attach(new, random)
    return [row for row in new if random.random() > 0.03 or row[0].isdigit()] or new


def with_errors(rows: list[Row], random: Random) -> list[Row]:
    """The same sentence with something that may be wrong."""
    new = [list(row) for row in rows]
    for row in new:
        if random.random() < 0.1:
            row[6] = random.choice([*WRONG_HEADS, str(random.randint(0, 5))])
        if random.random() < 0.05:
            row[5] = random.choice(WRONG_FEATURES)
        if random.random() < 0.02:
            row[1] = random.choice(["", " "])
        if random.random() < 0.02:
            row[0] = random.choice(["x", "1-1", "3.1", "7", ""])
    if random.random() < 0.03:
        new[-1].pop()
    return new


def text_of(sentences: list[list[Row]], random: Random) -> bytes:
    """The file of some sentences, with comments and any line ends; rarely with what is wrong between lines."""
    end = random.choice(["\n"] * 4 + ["\r\n", "\r"])
    parts = []
    for number, rows in enumerate(sentences):
        parts += [f"# sent_id = {number}", "# x"][: random.randint(0, 2)]
        parts += ["\t".join(row) for row in rows]
        parts.append("")
        if random.random() < 0.02:
            parts.append(random.choice(["", "# c", " ", "\ufeff# c"]))
    text = "".join(part + end for part in parts)
    return (text[: -len(end)] if random.random() < 0.02 else text).encode()


def draw_pair(seed: int, *, errors: bool = False) -> tuple[bytes, bytes]:
    """Gold and a system's output."""
    random = Random(seed)
    gold = [draw_rows(random) for _ in range(random.randint(1, 4))]
    system = [changed(rows, random) for rows in gold]
    if errors:
        gold = [with_errors(rows, random) if random.random() < 0.3 else rows for rows in gold]
        system = [with_errors(rows, random) for rows in system]
        if random.random() < 0.05:
            system.pop()
    return text_of(gold, random), text_of(system, random)
