"""Damage stores of `levelhead rank` at random places: the ranking must stay right, or the store must be refused.

Usage: python scripts/full/damage_stores.py [--stores 1000] [--seed 0]
"""

import argparse
import json
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from levelhead.campaign import find_plan, groups_named, rank, score_plan
from levelhead.campaign.ranked_systems import RankedSystems
from levelhead.errors import InputError, OutputError
from levelhead.evaluation.setup import setup_of
from levelhead.jobs import Store

PARALLEL = Path(__file__).parents[2] / "examples" / "parallel"
PAGE = 4096
REFUSALS = {"damaged-store", "invalid-store", "store-version", "store"}


def flip_bit(path: Path, random: Random) -> None:
    """Flip one bit anywhere."""
    data = bytearray(path.read_bytes())
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def flip_bit_of_header(path: Path, random: Random) -> None:
    """Flip one bit of the first page: the file's header and the definition of the table."""
    data = bytearray(path.read_bytes())
    place = random.choice([random.randrange(100), random.randrange(PAGE)])
    data[place] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def flip_bit_of_structure(path: Path, random: Random) -> None:
    """Flip one bit among the first bytes of a page: the header of a node and its pointers to cells."""
    data = bytearray(path.read_bytes())
    data[PAGE * random.randrange(1, len(data) // PAGE) + random.randrange(40)] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def change_digit(path: Path, random: Random) -> None:
    """Turn a digit into another one, which leaves valid JSON with another number."""
    data = bytearray(path.read_bytes())
    place = random.choice([i for i in range(PAGE, len(data)) if data[i] in b"0123456789"])
    data[place] ^= 1
    path.write_bytes(data)


def truncate(path: Path, random: Random) -> None:
    """Cut the end off."""
    data = path.read_bytes()
    path.write_bytes(data[: random.randrange(len(data))])


def overwrite_page(path: Path, random: Random) -> None:
    """Fill a page with zeros or with noise."""
    data = bytearray(path.read_bytes())
    start = PAGE * random.randrange(len(data) // PAGE)
    data[start : start + PAGE] = random.choice([bytes(PAGE), random.randbytes(PAGE)])
    path.write_bytes(data)


def overwrite_stretch(path: Path, random: Random) -> None:
    """Overwrite up to 200 bytes with noise."""
    data = bytearray(path.read_bytes())
    length = random.randrange(1, 200)
    start = random.randrange(len(data) - length)
    data[start : start + length] = random.randbytes(length)
    path.write_bytes(data)


def swap_pages(path: Path, random: Random) -> None:
    """Exchange two pages, as a failing disk or a bad copy does."""
    data = path.read_bytes()
    pages = [data[i : i + PAGE] for i in range(0, len(data), PAGE)]
    first, second = random.sample(range(len(pages)), 2)
    pages[first], pages[second] = pages[second], pages[first]
    path.write_bytes(b"".join(pages))


def swap_rows(path: Path, random: Random) -> None:
    """Exchange what two keys hold, with or without the checksums, in a file that stays sound."""
    connection = sqlite3.connect(path)
    columns = [row[1] for row in connection.execute("PRAGMA table_info(results)")][1:]
    columns = random.choice([columns, columns[-1:]])
    rows = list(connection.execute(f"SELECT key, {', '.join(columns)} FROM results"))
    first, second = random.sample(rows, 2)
    values = ", ".join(f"{column} = ?" for column in columns)
    for row, other in ((first, second), (second, first)):
        connection.execute(f"UPDATE results SET {values} WHERE key = ?", (*row[1:], other[0]))
    connection.commit()
    connection.close()


def retype_row(path: Path, random: Random) -> None:
    """Give a row a result of another type."""
    connection = sqlite3.connect(path)
    keys = [row[0] for row in connection.execute("SELECT key FROM results")]
    value = random.choice([7, 2**40, 1.5, "text", "", b""])
    connection.execute("UPDATE results SET result = ? WHERE key = ?", (value, random.choice(keys)))
    connection.commit()
    connection.close()


DAMAGES: tuple[Callable[[Path, Random], None], ...] = (
    flip_bit, flip_bit_of_header, flip_bit_of_structure, change_digit, truncate, overwrite_page, overwrite_stretch,
    swap_pages, swap_rows, retype_row,
)  # fmt: skip


def ranking(store: Store | None, *, by_sentence: bool) -> str:
    """Return the results and the rankings of the parallel examples, as JSON."""
    plan = find_plan(PARALLEL / "gold", PARALLEL / "systems")
    results = score_plan(plan, setup_of(["LAS", "CLAS"]), store=store, by_sentence=by_sentence)
    (group,) = groups_named(["all"], results.test_sets)
    rankings = tuple(rank(results, measure, group) for measure in results.measures)
    sentences = [
        [part.tolist() for part in result.sentences.values()] for result in results.results.values() if by_sentence
    ]
    return json.dumps([RankedSystems(rankings, results, results.provenance()).to_dict(), sentences])


def outcome(path: Path, expected: str, *, by_sentence: bool) -> str:
    """Say what came of a store: all right, right after recomputing, refused, or wrong."""
    try:
        with Store(path) as store:
            first = ranking(store, by_sentence=by_sentence)
        with Store(path) as store:  # what was recomputed is stored again
            second = ranking(store, by_sentence=by_sentence)
    except (InputError, OutputError) as refusal:
        known = refusal.slug in REFUSALS and refusal.place.file == str(path) and refusal.message
        return f"refused: {refusal.slug}" if known else f"WRONG: {refusal!r}"
    except Exception as error:  # noqa: BLE001 -- any other error is a finding
        return f"WRONG: {error!r}"
    return "right" if first == second == expected else "WRONG: another ranking"


def campaign(stores: int, seed: int, folder: Path) -> Counter[tuple[str, str]]:
    """Damage stores and return how many had each outcome, by kind of damage.

    Args:
        stores: how many.
        seed: of all randomness.
        folder: where they are written.
    """
    random, counts = Random(seed), Counter[tuple[str, str]]()
    sound: dict[bool, tuple[Path, str]] = {}
    for by_sentence in (False, True):
        expected = ranking(None, by_sentence=by_sentence)
        path = folder / f"sound-{by_sentence}"
        with Store(path) as store:
            ranking(store, by_sentence=by_sentence)
        counts["none", outcome(path, expected, by_sentence=by_sentence)] += 1
        sound[by_sentence] = path, expected
    for i in range(stores):
        damage, by_sentence = DAMAGES[i % len(DAMAGES)], bool(i // len(DAMAGES) % 2)
        path, expected = sound[by_sentence]
        damaged = folder / "damaged"
        for left in folder.glob("damaged*"):  # a journal of the last one too
            left.unlink()
        shutil.copy(path, damaged)
        damage(damaged, random)
        counts[damage.__name__, outcome(damaged, expected, by_sentence=by_sentence)] += 1
    return counts


def main() -> None:
    """Print the outcomes by kind of damage; exit with 1 if any is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stores", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts = campaign(asked.stores, asked.seed, Path(folder))
    for (damage, what), count in sorted(counts.items()):
        print(f"{damage}\t{what}\t{count}")
    totals = Counter[str]()
    for (_, what), count in counts.items():
        totals[what.partition(":")[0]] += count
    print(*(f"{what}: {count}" for what, count in sorted(totals.items())), sep="\n")
    raise SystemExit(totals["WRONG"] > 0)


if __name__ == "__main__":
    main()
