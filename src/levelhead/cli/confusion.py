"""levelhead confusion: which relation is taken for which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from levelhead.cli.program import DONE
from levelhead.cli.shared import options
from levelhead.cli.shared.option_groups import command
from levelhead.cli.shared.printing import printing_options
from levelhead.cli.shared.reading import inputs_of, pair_arguments, plan_of, reading_options

if TYPE_CHECKING:
    from levelhead.cli.shared.printing import Printing
    from levelhead.cli.shared.reading import Reading


@command()
@pair_arguments
@reading_options
@printing_options
def confusion(gold: str, system: str, split: Any, reading: Reading, printing: Printing) -> int:
    """Show which relations SYSTEM takes for which in GOLD, most frequent errors first.

    GOLD and SYSTEM are files or folders, as in levelhead score. levelhead trees --show draws the sentences.
    """
    from levelhead.analysis import confuse
    from levelhead.cli.shared.outputs import Pairs
    from levelhead.report.analysis import confusion_document, confusion_table

    options.check_paths(inputs_of([gold, system]), [printing.output])
    pairs = Pairs(plan_of(gold, [system], split), reading.setup())
    found = {name: confuse(matches) for name, matches in pairs}
    signed = pairs.signature
    printing.print(lambda: confusion_table(found, signed), lambda: confusion_document(found, signed))
    return DONE
