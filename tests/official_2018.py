"""The official scores of the CoNLL 2018 shared task."""

import csv
from pathlib import Path

SYSTEMS = ("conll18-baseline", "HIT-SCIR-18", "UDPipe-Future", "Stanford-18", "ArmParser", "ONLP-lab")


def official_rows(data: Path, system: str) -> list[dict[str, str]]:
    with (data / "conll18" / "official" / "official_scores_share.tsv").open(encoding="utf-8", newline="") as table:
        rows = csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row for row in rows if row["system"] == system]
