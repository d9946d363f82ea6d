"""Variation n-grams, written from the definition: every context is looked up as it stands."""

from collections import Counter, defaultdict


def tags(sentences):
    """(sentence, word) -> (own, others by number) for words between the same neighbors with several tags."""
    contexts = defaultdict(list)
    for s, words in enumerate(sentences):
        forms = ["<s>", *(form.lower() for form, *_ in words), "</s>"]
        for i, (_, tag, _, _) in enumerate(words):
            contexts[tuple(forms[i : i + 3])].append(((s, i), tag))
    return varying(contexts)


def pairs(sentences, longest):
    """The same for pairs of words (sentence, first, last): the relation between them with its direction, or None."""
    contexts = defaultdict(list)
    for s, words in enumerate(sentences):
        forms = ["<s>", *(form.lower() for form, *_ in words), "</s>"]
        for i in range(len(words)):
            for j in range(i + 1, min(i + longest, len(words))):
                label = None
                if words[i][2] == j:
                    label = (words[i][3], "first depends")
                elif words[j][2] == i:
                    label = (words[j][3], "last depends")
                contexts[tuple(forms[i : j + 3])].append(((s, i, j), label))
    return varying(contexts)


def varying(contexts):
    found = {}
    for places in contexts.values():
        counts = Counter(label for _, label in places)
        if len(counts) > 1:
            for place, own in places:
                most = max(count for label, count in counts.items() if label != own)
                if most >= counts[own]:
                    others = {label for label, count in counts.items() if label != own and count == most}
                    found[place] = (own, counts[own], most, others)
    return found
