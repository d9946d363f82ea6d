"""Outputs read pair by pair, for commands that need the trees themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from levelhead.campaign.outputs import read_outputs
from levelhead.cli.shared.printing import print_provenance
from levelhead.comparison.folders import one_run
from levelhead.evaluation.provenance import Provenance, joint_signature, pair_provenance
from levelhead.scoring.crossing import notes_of, notes_on
from levelhead.treebank.contents import contents_of

if TYPE_CHECKING:
    from levelhead.campaign.plan import Plan
    from levelhead.evaluation.setup import Setup
    from levelhead.scoring.matches import Matches
    from levelhead.treebank.schemes import Scheme


class Pairs:
    """The outputs of one system, matched one by one; warnings and notes are printed after the last.

    Args:
        plan: the test sets, and one run of one system.
        setup: the settings, with the measures that are counted.
        scheme: a scheme that is used besides theirs, with what uses it; or None.
    """

    def __init__(self, plan: Plan, setup: Setup, scheme: tuple[Scheme, str] | None = None) -> None:
        self.plan, self.setup, self.scheme = one_run(plan), setup, scheme
        self._provenances: list[Provenance] = []

    def __iter__(self) -> Iterator[tuple[str, Matches]]:
        for name, (output,) in read_outputs(self.plan, self.setup):
            self._provenances.append(self._provenance(output.matches))
            yield name, output.matches
        print_provenance(*self._provenances)

    def _provenance(self, matches: Matches) -> Provenance:
        gold, system, setup = matches.gold, matches.system, self.setup
        notes = notes_on(gold, system, setup.defined, setup.rules, setup.registry.schemes)
        parts = setup.signature_of_measures()
        if self.scheme:
            scheme, used_by = self.scheme
            notes += notes_of(gold, system, [(scheme, (used_by,))])
            parts |= {"scheme": scheme.name}
        return pair_provenance(contents_of(gold), contents_of(system), setup, notes, parts)

    @property
    def signature(self) -> Mapping[str, str]:
        """What decides the numbers of all."""
        return joint_signature(one.signature for one in self._provenances)
