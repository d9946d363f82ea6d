"""Gold and system trees as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from levelhead.analysis import Example
from levelhead.campaign.outputs import Output
from levelhead.errors import number_of
from levelhead.scoring.word_columns import correct_pairs
from levelhead.treebank import Treebank
from levelhead.treebank.tree_drawings import draw, draw_both, indented, title

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from levelhead.comparison.contrasts import Contrast
    from levelhead.evaluation.setup import Setup
    from levelhead.scoring.matches import Matches


def draw_examples(matches: Matches, cells: Mapping[str, Sequence[Example]], limit: int | None) -> str:
    """Draw the gold and the system's tree of each example, with the word marked."""
    lines = []
    for cell, examples in cells.items():
        lines += [f"{cell}: {number_of(len(examples), 'word')}", ""]
        for example in examples[:limit]:
            gold, system = matches.gold[example.gold_sentence], matches.system[example.system_sentence]
            both = draw_both(gold, system, "system", {example.gold_word})
            lines.append(title(gold))
            if both is None:
                lines += ["  gold", *indented(draw(gold, {example.gold_word})), "  system"]
                both = draw(system, {example.system_word})
            lines += [*indented(both), ""]
        lines += _more(examples, limit)
    return "\n".join(lines)


def _more(some: Sequence[object], limit: int | None) -> list[str]:
    left_out = len(some[limit or len(some) :])
    return [f"... {left_out:,} more (--limit 0)", ""] if left_out else []


def draw_contrasts(
    baseline: Output,
    system: Output,
    gained: Sequence[Contrast],
    lost: Sequence[Contrast],
    setup: Setup,
    limit: int | None,
) -> str:
    """Draw the gold tree and both systems' trees of sentences on which they differ, with wrong words marked."""
    lines = []
    ((measure, definition),) = setup.defined
    right = {
        output.name: correct_pairs(output.matches, measure, definition, setup.registry.schemes) == 1
        for output in (baseline, system)
        if gained or lost
    }
    for heading, some in zip(contrast_titles(system.name, baseline.name), (gained, lost), strict=True):
        lines += [f"{heading}: {number_of(len(some), 'sentence') if some else 'none'}", ""]
        for contrast in some[:limit]:
            gold = baseline.matches.gold[contrast.sentence]
            lines.append(title(gold))
            drawn = []
            apart = False
            for output, correct in ((baseline, contrast.baseline_correct), (system, contrast.correct)):
                matches = output.matches
                numbers = matches.system.sentence_of_word[matches.row_of_system == contrast.sentence].tolist()
                analyses = [(matches.system[i], _wrong(output, "system", i, right)) for i in sorted(set(numbers))]
                both = draw_both(gold, analyses[0][0], output.name, analyses[0][1]) if len(analyses) == 1 else None
                if both is None:  # their words differ
                    apart = True
                    both = [line for sentence, marked in analyses for line in draw(sentence, marked)]
                drawn += [f"  {output.name}: {correct:g} of {contrast.gold:g} correct", *indented(both)]
            if apart:
                of_both = (_wrong(output, "gold", contrast.sentence, right) for output in (baseline, system))
                lines += ["  gold", *indented(draw(gold, around=set.union(*of_both)))]
            lines += [*drawn, ""]
        lines += _more(some, limit)
    return "\n".join(lines)


def contrast_titles(system: str, baseline: str) -> tuple[str, str]:
    """Return the titles of the sentences in which a system gains most, and in which it loses most."""
    return f"largest gains of {system} over {baseline}", f"largest losses of {system} against {baseline}"


def _wrong(
    output: Output, side: Literal["gold", "system"], sentence: int, right: Mapping[str, NDArray[np.bool_]]
) -> set[int]:
    treebank: Treebank = getattr(output.matches, side)
    first, last = treebank.sentence_starts[sentence : sentence + 2].tolist()
    correct = set(getattr(output.matches.alignment, side)[right[output.name]].tolist())
    return {word - first for word in range(first, last) if word not in correct}
