"""Which system word stands for which gold word (CoNLL 2017, "Aligning system words with the gold standard")."""

from dataclasses import dataclass

from oracle.document import Document, Word

Pair = tuple[int, int]
"""A gold word and the system word aligned to it, by their numbers."""


class TextDiffers(ValueError):
    """The tokens of the two files do not spell the same text, so nothing can be compared."""


@dataclass
class Region:
    """Stretches of gold and of system words that are aligned by their forms."""

    gold: range
    system: range


def align(gold: Document, system: Document) -> list[Pair]:
    """Align the words of two files over the same text; sentence boundaries play no part.

    Words outside all regions are aligned where they stand on the same characters; words inside a region by a longest
    common subsequence of their forms.
    """
    if gold.characters != system.characters:
        raise TextDiffers("the tokens of the two files differ")
    found = regions(gold.words, system.words)
    pairs = same_ranges(gold.words, system.words, found)
    for region in found:
        pairs += common_subsequence(gold.words, system.words, region)
    return sorted(pairs)


def same_ranges(gold: list[Word], system: list[Word], found: list[Region]) -> list[Pair]:
    """Pair the plain words outside the regions that stand on the same characters."""
    in_gold = {number for region in found for number in region.gold}
    in_system = {number for region in found for number in region.system}
    at = {word.span: number for number, word in enumerate(gold) if not word.in_multiword and number not in in_gold}
    return [
        (at[word.span], number)
        for number, word in enumerate(system)
        if not word.in_multiword and number not in in_system and word.span in at
    ]


def regions(gold: list[Word], system: list[Word]) -> list[Region]:
    """Walk along both files, and open a region wherever the next word of either is in a multiword token.

    The walk, and with it the search for regions, ends with the shorter file.
    """
    found: list[Region] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g].in_multiword or system[s].in_multiword:
            found.append(region_at(gold, system, g, s))
            g, s = found[-1].gold.stop, found[-1].system.stop
        else:
            g_start, s_start = gold[g].span[0], system[s].span[0]
            both = gold[g].span == system[s].span
            g, s = g + (g_start <= s_start), s + (both or s_start < g_start)
    return found


def region_at(gold: list[Word], system: list[Word], g: int, s: int) -> Region:
    """Find the extent of the region opened by the next gold or system word.

    A plain word of the other file that starts before the opening token is left out: one such word, never more. Then
    words of both files are taken in the order in which they start (gold first), until neither file's next word lies
    inside; each multiword token taken on the way moves the end. A word that sticks out is taken too if it starts before
    one that lies inside.
    """
    opener, other = (gold[g], system[s]) if gold[g].in_multiword else (system[s], gold[g])
    if not other.in_multiword and other.span[0] < opener.span[0]:
        g, s = g + (other is gold[g]), s + (other is system[s])
    first_g, first_s, end = g, s, opener.span[1]
    while is_inside(gold, g, end) or is_inside(system, s, end):
        from_gold = s == len(system) or (g < len(gold) and gold[g].span[0] <= system[s].span[0])
        taken = gold[g] if from_gold else system[s]
        g, s = g + from_gold, s + (not from_gold)
        if taken.in_multiword:
            end = max(end, taken.span[1])
    return Region(range(first_g, g), range(first_s, s))


def is_inside(words: list[Word], number: int, end: int) -> bool:
    """Say whether the region reaches a word: the start of its multiword token, or all of a plain word."""
    if number == len(words):
        return False
    start, stop = words[number].span
    return start < end if words[number].in_multiword else stop <= end


def common_subsequence(gold: list[Word], system: list[Word], region: Region) -> list[Pair]:
    """Trace a longest common subsequence of lower-cased forms from the front.

    Where the two words match they are paired; else the gold word goes if that costs nothing, else the system word.
    """
    gold_forms = [gold[number].form.lower() for number in region.gold]
    system_forms = [system[number].form.lower() for number in region.system]
    longest = suffix_lengths(gold_forms, system_forms)
    pairs: list[Pair] = []
    g = s = 0
    while g < len(gold_forms) and s < len(system_forms):
        if gold_forms[g] == system_forms[s]:
            pairs.append((region.gold[g], region.system[s]))
            g, s = g + 1, s + 1
        elif longest[g + 1][s] == longest[g][s]:
            g += 1
        else:
            s += 1
    return pairs


def suffix_lengths(gold: list[str], system: list[str]) -> list[list[int]]:
    """Tabulate how long the longest common subsequence of gold[g:] and system[s:] is, for all g and s."""
    below = [0] * (len(system) + 1)
    table = [below]
    for form in reversed(gold):
        row = [0]
        for s in reversed(range(len(system))):
            row.append(1 + below[s + 1] if form == system[s] else max(below[s], row[-1]))
        below = row[::-1]
        table.append(below)
    return table[::-1]
