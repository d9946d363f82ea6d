"""Time `levelhead profile` on many treebanks.

    python benchmarks/profile.py FOLDER... [--runs 5]

As whole processes, in turns: profiles with all columns, of all files and of the largest alone (memory should not grow
with their number), and reading the same files and nothing else.
"""

import argparse
import sys
from pathlib import Path

from score import in_turns, report


def main() -> None:
    """Print the table of development/benchmarks.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("folders", type=Path, nargs="+")
    arguments = parser.parse_args()
    folders = list(map(str, arguments.folders))
    files = sorted(path for folder in arguments.folders for path in folder.glob("*.conllu*"))
    largest = max(files, key=lambda path: path.stat().st_size)
    read = "import sys, levelhead\nfor path in sys.argv[1:]: levelhead.read(path)"
    profile = [sys.executable, "-m", "levelhead", "profile", "-c", "all", "--format", "jsonl"]
    commands = {
        f"levelhead profile, {len(files)} files": [*profile, *folders],
        f"levelhead profile, the largest file ({largest.name})": [*profile, str(largest)],
        f"reading {len(files)} files": [sys.executable, "-c", read, *map(str, files)],
    }
    report("profiles, all columns", in_turns(commands, arguments.runs), f"reading {len(files)} files")


if __name__ == "__main__":
    main()
