"""A slow transition-based parser: lists, dictionaries and whole numbers, straight from the definitions.

It takes a trained model and parses greedily, so that every template, hash and transition of the kernel is done twice;
trains greedily on a sentence; tries all derivations of a short sentence; and makes the update of one step of training
with a beam.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

Row = Mapping[str, str]  # a word: its columns of CoNLL-U by name

TAGS = "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
SIXTY_FOUR = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
LEFTWARD = 0xD1B54A32D192ED03


def checksum(text: str) -> int:
    return zlib.crc32(text.encode())


def shape(text: str) -> str:
    kinds = ""
    for character in (text[0], text[-1]):
        if character.isupper():
            kinds += "A"
        elif character.isdigit():
            kinds += "0"
        elif character.isalpha():
            kinds += "a"
        else:
            kinds += character
    return kinds


READINGS: Mapping[str, Callable[[Row], str]] = {
    "form": lambda word: word["form"].lower(),
    "lemma": lambda word: word["form"].lower() if word["lemma"] == "_" else word["lemma"],
    "upos": lambda word: word["upos"],
    "xpos": lambda word: word["upos"] if word["xpos"] == "_" else word["xpos"],
    "feats": lambda word: word["feats"],
    "pre1": lambda word: "p" + word["form"][:1],
    "pre2": lambda word: "p" + word["form"][:2],
    "pre3": lambda word: "p" + word["form"][:3],
    "suf1": lambda word: "s" + word["form"][-1:],
    "suf2": lambda word: "s" + word["form"][-2:],
    "suf3": lambda word: "s" + word["form"][-3:],
    "shape": lambda word: shape(word["form"]),
}


class Seen(NamedTuple):
    """What stands at a position: a word (None: nothing, 0: the root), the label it has there, whether it has children."""

    word: int | None = None
    label: int = -1
    built: bool = False


class Configuration:
    """Stack, buffer, and the arcs so far."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.stack = [0]
        self.buffer = list(range(1, n + 1))
        self.came_back: set[int] = set()  # words of the buffer that were on the stack, or have children
        self.head: dict[int, int] = {}
        self.label: dict[int, int] = {}

    @property
    def done(self) -> bool:
        return not self.buffer and len(self.stack) == 1

    def copy(self) -> "Configuration":
        new = Configuration(self.n)
        new.stack, new.buffer, new.came_back = list(self.stack), list(self.buffer), set(self.came_back)
        new.head, new.label = dict(self.head), dict(self.label)
        return new

    def children(self, word: int | None, *, left: bool) -> list[int]:
        """Those on one side, the outermost first."""
        if word is None:
            return []
        found = [child for child, head in self.head.items() if head == word and (child < word) == left]
        return sorted(found, reverse=not left)


class Derivation(NamedTuple):
    """Transitions with their labels, the sum of their scores, and the configurations passed, first and last included."""

    score: int
    steps: tuple[tuple[str, int], ...]
    passed: tuple[Configuration, ...]


class Slow:
    """A model, seen by the slow parser."""

    def __init__(self, model: object) -> None:
        self.model = model
        self.eager = model.parser == "arc-eager"

    def parse(self, words: Sequence[Row]) -> tuple[list[int], list[str]]:
        """Heads and relations of one sentence."""
        c, swaps = Configuration(len(words)), 0
        while not c.done:
            legal = self.legal(c, swaps)
            if len(legal) > 1:
                scores = self.action_scores(c, words)
                action = max(legal, key=lambda name: (scores[CODES[name]], -CODES[name]))
            else:
                (action,) = legal
            swaps += action == "swap"
            self.take(c, action, self.best_label(c, action, words)[0])
        heads = [c.head[word] for word in range(1, c.n + 1)]
        return heads, [self.model.relations[c.label[word]] for word in range(1, c.n + 1)]

    def legal(self, c: Configuration, swaps: int) -> list[str]:
        top = c.stack[-1]
        if self.eager:
            if not c.buffer:
                return ["reduce"] if top in c.head else ["right"]
            if top == 0:
                return ["shift", "right"]
            if top not in c.head:
                return ["shift", "left", "right"]
            return ["shift", "right", "reduce"] if c.head[top] else ["shift", "right"]
        names = ["shift"] if c.buffer else []
        if len(c.stack) > 1:
            if c.stack[-2]:
                names += ["left", "right"]
                if self.model.parser != "arc-standard" and c.stack[-2] < top and swaps < 4 * c.n + 20:
                    names.append("swap")
            elif not c.buffer:
                names.append("right")
        return names

    def arc(self, c: Configuration, action: str) -> tuple[int, int]:
        pair = (c.stack[-1], c.buffer[0]) if self.eager and c.buffer else (c.stack[-2], c.stack[-1])
        return pair if action == "right" else pair[::-1]

    def action_scores(self, c: Configuration, words: Sequence[Row]) -> list[int]:
        return self.scores("actions", self.action_rows(c, words))

    def action_rows(self, c: Configuration, words: Sequence[Row]) -> list[int]:
        self.now = c
        return self.rows("actions", self.configuration_view(c), words, 0)

    def label_rows(self, c: Configuration, action: str, words: Sequence[Row]) -> list[int]:
        """None for a word that becomes the root, whose relation is not chosen."""
        if action not in {"left", "right"} or self.arc(c, action)[0] == 0:
            return []
        self.now = c
        head, dependent = self.arc(c, action)
        view, near = self.arc_view(c, head, dependent)
        return self.rows("labels", (view, *near), words, LEFTWARD if dependent < head else 0)

    def best_label(self, c: Configuration, action: str, words: Sequence[Row]) -> tuple[int, int]:
        """The label that the arc of a transition gets, and its score; -1 where there is no arc."""
        if action not in {"left", "right"}:
            return -1, 0
        rows = self.label_rows(c, action, words)
        if not rows:
            return self.model.root, 0
        scores = self.scores("labels", rows)
        choices = [i for i in range(len(self.model.relations)) if i != self.model.root] or [self.model.root]
        label = max(choices, key=lambda i: (scores[i], -i))
        return label, scores[label]

    def take(self, c: Configuration, action: str, label: int) -> None:
        if action in {"left", "right"}:
            head, dependent = self.arc(c, action)
            c.head[dependent], c.label[dependent] = head, label
            if self.eager and action == "right" and c.buffer:
                c.stack.append(c.buffer.pop(0))
            else:
                c.stack.remove(dependent)
            if self.eager and action == "left":
                c.came_back.add(head)
        elif action == "shift":
            c.stack.append(c.buffer.pop(0))
        elif action == "swap":
            c.buffer.insert(0, c.stack.pop(-2))
            c.came_back.add(c.buffer[0])
        else:
            c.stack.pop()

    # Greedy training

    def learn(
        self,
        heads: Sequence[int],
        labels: Sequence[int],
        words: Sequence[Row],
        oracle: Callable[[Configuration], str],
        *,
        explore: bool,
    ) -> tuple[Counter, int, int]:
        """Train on one sentence, in the tables of the model; with `explore`, mistakes are followed.

        How much the sums for averaging change, by table, row and class, and the numbers of transitions and mistakes.
        """
        c, sums, step, wrong = Configuration(len(words)), Counter(), 1, 0

        def update(kind: str, rows: Sequence[int], right: int, other: int) -> None:
            for row in rows:
                for label, change in ((right, 1), (other, -1)):
                    self.model.tables[kind][row, label] += change
                    sums[kind, row, label] += change * step

        while not c.done:
            legal, action = self.legal(c, 0), oracle(c)  # the limit of swaps is out of reach
            assert action in legal
            if len(legal) > 1:
                rows = self.action_rows(c, words)
                scores = self.scores("actions", rows)
                best = max(legal, key=lambda name: (scores[CODES[name]], -CODES[name]))
                if best != action:
                    update("actions", rows, CODES[action], CODES[best])
                    wrong += 1
                    action = best if explore else action
            step += 1
            label = -1
            if action in {"left", "right"}:
                head, dependent = self.arc(c, action)
                rows, label = self.label_rows(c, action, words), self.model.root
                if rows and heads[dependent - 1] == head:
                    label = labels[dependent - 1]
                    found = self.best_label(c, action, words)[0]
                    if found != label:
                        update("labels", rows, label, found)
                if rows and (explore or heads[dependent - 1] != head):
                    label = self.best_label(c, action, words)[0]
            self.take(c, action, label)
        return sums, step, wrong

    # Derivations

    def start(self, n: int) -> "Derivation":
        return Derivation(0, (), (Configuration(n),))

    def longer(self, derivation: "Derivation", words: Sequence[Row]) -> Iterator["Derivation"]:
        """A derivation with each legal transition, whose arc has the best label; itself if it is at its end."""
        c = derivation.passed[-1]
        if c.done:
            yield derivation
            return
        scores = self.action_scores(c, words)
        for action in sorted(self.legal(c, 0), key=CODES.__getitem__):  # the limit of swaps is out of reach
            label, score = self.best_label(c, action, words)
            yield self.followed(derivation, action, label, scores[CODES[action]] + score)

    def followed(self, derivation: "Derivation", action: str, label: int, score: int) -> "Derivation":
        c = derivation.passed[-1].copy()
        self.take(c, action, label)
        return Derivation(derivation.score + score, (*derivation.steps, (action, label)), (*derivation.passed, c))

    def right(self, actions: Sequence[str], labels: Sequence[int], words: Sequence[Row]) -> list["Derivation"]:
        """The derivation of the gold tree: its prefixes, from none of its transitions to all of them."""
        prefixes = [self.start(len(words))]
        for action in actions:
            c = prefixes[-1].passed[-1]
            score, label, rows = self.action_scores(c, words)[CODES[action]], -1, self.label_rows(c, action, words)
            if action in {"left", "right"}:
                label = labels[self.arc(c, action)[1] - 1] if rows else self.model.root
                score += self.scores("labels", rows)[label] if rows else 0
            prefixes.append(self.followed(prefixes[-1], action, label, score))
        return prefixes

    def update(self, prefixes: Sequence["Derivation"], width: int, words: Sequence[Row]) -> Counter:
        """Max-violation update (Huang, Fayong and Guo 2012): how much each weight changes, by table, row and class.

        Of the steps at which the gold prefix is not in the beam, and the last one, that at which the best of the beam
        is most above the gold prefix: the gold one is rewarded and the other punished, from where they part.
        """
        beam, violations = [self.start(len(words))], []
        for number in range(1, 1000):
            beam = sorted((new for old in beam for new in self.longer(old, words)), key=lambda one: -one.score)[:width]
            gold = prefixes[min(number, len(prefixes) - 1)]
            ended = number >= len(prefixes) - 1 and all(one.passed[-1].done for one in beam)
            if ended or gold.steps not in [one.steps for one in beam]:
                violations.append((beam[0].score - gold.score, number, beam[0], gold))
            if ended:
                break
        change: Counter = Counter()
        if beam[0].steps != gold.steps:
            _, _, best, gold = max(violations, key=lambda violation: violation[:2])
            for derivation, sign in ((gold, 1), (best, -1)):
                self.count(derivation, shared(best.steps, gold.steps), sign, words, change)
        return change

    def count(self, derivation: "Derivation", first: int, sign: int, words: Sequence[Row], change: Counter) -> None:
        """Add the features of a derivation's transitions, from some transition on."""
        for c, (action, label) in list(zip(derivation.passed, derivation.steps))[first:]:
            for row in self.action_rows(c, words):
                change["actions", row, CODES[action]] += sign
            for row in self.label_rows(c, action, words):
                change["labels", row, label] += sign

    def all_derivations(self, words: Sequence[Row]) -> tuple[list["Derivation"], int]:
        """All derivations there are, and how many at most there are of one length."""
        now, most = [self.start(len(words))], 1
        while not all(one.passed[-1].done for one in now):
            now = [new for old in now for new in self.longer(old, words)]
            most = max(most, len(now))
        return now, most

    # Views: what stands at each position, the distance, and between which words to look

    def configuration_view(self, c: Configuration) -> tuple[dict[str, Seen], int, tuple[int, int]]:
        view: dict[str, Seen] = {}
        for i in range(4):
            if i < len(c.stack):
                word = c.stack[-1 - i]
                labeled = self.eager and i < 2 and word in c.label
                view[f"s{i}"] = Seen(word, c.label[word] if labeled else -1, True)
            if i < len(c.buffer):
                view[f"b{i}"] = Seen(c.buffer[i], -1, c.buffer[i] in c.came_back)
        for name in ("s0", "s1"):
            self.put_children(c, view, name, 2)
        self.put_children(c, view, "s2", 1)
        self.put_children(c, view, "b0", 2)
        for name in ("s0", "s1"):
            for side in "lr":
                child = view.get(name + side, Seen()).word
                grand = c.children(child, left=side == "l")
                if grand:
                    view[name + side * 2] = Seen(grand[0], c.label[grand[0]], True)
            self.put_neighbors(c, view, name)
        self.put_neighbors(c, view, "b0")
        if self.eager and c.stack[-1] in c.head:
            view["s0h"] = Seen(c.head[c.stack[-1]])
        pair = view.get("b0" if self.eager else "s1", Seen()).word
        return view, *self.near(c.stack[-1], pair)

    def arc_view(self, c: Configuration, head: int, dependent: int) -> tuple[dict[str, Seen], tuple]:
        view = {"h": Seen(head, c.label.get(head, -1) if self.eager else -1, True), "d": Seen(dependent, -1, True)}
        for name in ("h", "d"):
            self.put_children(c, view, name, 2)
            self.put_neighbors(c, view, name)
        mine, other = ("hl", "hr") if dependent < head else ("hr", "hl")
        view["sib"], view["sib2"] = view.get(mine, Seen()), view.get(other, Seen())
        if self.eager and head in c.head:
            view["hh"] = Seen(c.head[head])
        return view, self.near(head, dependent)

    def near(self, one: int, other: int | None) -> tuple[int, tuple[int, int]]:
        if one == 0 or not other:
            return 0, (0, 0)
        return bucket(abs(one - other)), (min(one, other), max(one, other))

    def put_children(self, c: Configuration, view: dict[str, Seen], name: str, most: int) -> None:
        for side in "lr":
            outermost = c.children(view.get(name, Seen()).word, left=side == "l")[:most]
            for child, suffix in zip(outermost, ("", "2")):
                view[name + side + suffix] = Seen(child, c.label[child], True)

    def put_neighbors(self, c: Configuration, view: dict[str, Seen], name: str) -> None:
        word = view.get(name, Seen()).word
        if word:
            if word > 1:
                view[name + "p"] = Seen(word - 1)
            if word < c.n:
                view[name + "n"] = Seen(word + 1)

    # Scores

    def scores(self, kind: str, rows: Sequence[int]) -> list[int]:
        table = self.model.tables[kind]
        total = [0] * table.shape[1]
        for row in rows:
            total = [one + int(weight) for one, weight in zip(total, table[row])]
        return total

    def rows(self, kind: str, view: tuple, words: Sequence[Row], salt: int) -> list[int]:
        shift = 64 - (len(self.model.tables[kind]).bit_length() - 1)
        templates = [text.strip() for text in self.model.templates[kind].replace("\n", "|").split("|")]
        features = [self.features(text, view, words, salt) for text in templates if text]
        return [feature >> shift for some in features for feature in some]

    def features(self, template: str, view: tuple, words: Sequence[Row], salt: int) -> list[int]:
        positions, _, (first, last) = view
        seed = checksum(template) << 32 | zlib.crc32(template.encode()[::-1])
        hashed, several = seed ^ salt, []
        for atom in template.split():
            position, _, attribute = atom.partition(".")
            if attribute == "feat":
                several.append(positions.get(position, Seen()).word)
            elif attribute:
                hashed = mixed(hashed, self.value(positions.get(position, Seen()), attribute, view, words))
        if "between" in template.split():
            between = {tag_of(words[word - 1]) for word in range(first + 1, min(last, first + 40))}
            return [mixed(hashed, tag + 1) for tag in between]
        if len(several) == 1:
            return [mixed(hashed, checksum(pair)) for pair in features_of(several[0], words)]
        if len(several) == 2:
            return [
                mixed(mixed(hashed, checksum(one)), checksum(other))
                for one in features_of(several[0], words)
                for other in features_of(several[1], words)
                if one.partition("=")[0] == other.partition("=")[0]
            ]
        return [hashed]

    def value(self, seen: Seen, attribute: str, view: tuple, words: Sequence[Row]) -> int:
        if attribute in READINGS:
            if seen.word is None:
                return 0
            return checksum(READINGS[attribute](words[seen.word - 1])) if seen.word else ROOT[attribute]
        if attribute == "label":
            return seen.label + 2
        if attribute == "distance":
            return view[1] + 1
        if attribute == "next_to":
            return 1 if view[2][1] - view[2][0] == 1 else 2
        if not seen.built:
            return 1
        children = self.now.children(seen.word, left="left" in attribute)
        if attribute.startswith("n_"):
            return 2 + min(len(children), 4)
        labels = 0
        for child in children:
            labels |= (self.now.label[child] + 1) * 2654435761 & 0xFFFFFFFF
        return labels


CODES = {"shift": 0, "left": 1, "right": 2, "swap": 3, "reduce": 3}
ROOT = dict.fromkeys(READINGS, 1)


def shared(one: Sequence[object], other: Sequence[object]) -> int:
    """How many items two sequences have in common at their beginning."""
    pairs = zip(one, other)
    return next((i for i, (mine, yours) in enumerate(pairs) if mine != yours), min(len(one), len(other)))


def mixed(hashed: int, value: int) -> int:
    return (hashed ^ value) * GOLDEN & SIXTY_FOUR


def bucket(distance: int) -> int:
    for limit, number in ((5, distance), (7, 6), (10, 7), (20, 8)):
        if distance <= limit:
            return number
    return 9


def tag_of(word: Row) -> int:
    return TAGS.index(word["upos"]) if word["upos"] in TAGS else len(TAGS)


def features_of(word: int | None, words: Sequence[Row]) -> list[str]:
    if not word or words[word - 1]["feats"] == "_":
        return []
    return words[word - 1]["feats"].split("|")[:16]
