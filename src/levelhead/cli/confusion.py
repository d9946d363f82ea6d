"""levelhead confusion: which relations are confused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from levelhead.cli.program import DONE
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import print_provenance, printing_options
from levelhead.cli.shared.reading import check_kinds, check_paths, inputs_of, pair_arguments, reading_options

if TYPE_CHECKING:
    from levelhead.cli.shared.printing import Printing
    from levelhead.cli.shared.reading import Reading


@command()
@pair_arguments
@reading_options
@printing_options
def confusion(gold: str, system: str, split: Any, reading: Reading, printing: Printing) -> int:
    """Show which gold relations SYSTEM confuses with which, most frequent errors first.

    GOLD and SYSTEM are files or folders, as in levelhead score. To draw the sentences, use levelhead trees --show.
    """
    from levelhead.api.breakdowns import confusion as confused

    check_paths(inputs_of([gold, system]), [printing.output])
    check_kinds(gold, [system])
    confusions = confused(gold, system, split=split, **reading.arguments())
    print_provenance(confusions.provenance)
    printing.print(confusions.table, confusions.to_dict)
    return DONE
