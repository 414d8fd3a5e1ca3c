"""A bank that misbehaves: one true account, told in pieces, twice, late, in another order and under other names.

All of it follows from the seed. What a bank cannot tell at all stays possible to know: it never shows a line in a
file that its own feed has since corrected or taken back, save where it sends an old file once more as it was, and
sends no line again in a new batch that it took back, for that would bring the line back.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from tests.misbehaving.files import SHOWS_PENDING, WRITERS, File, Printed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FIRST = date(2026, 3, 1)
AMOUNTS = (-250, -250, -250, -1999, 700, -80000, 250000)
TEXTS = ("Coffee Corner", "Grocer Oslo", "Rent Lantern House", "Salary Acme")
OTHER_WORDS = "Card 9921"
ENDS = ("SAME_ID", "LINK", "EXACT", "TIP", "REWORDED", "VANISHES")
Class = tuple[date, int]


@dataclass
class TrueLine:
    """A line of the true account; `pending` is how it ends where it is shown as pending first."""

    uid: int
    day: date
    minor: int
    text: str
    reference: str | None
    shown_at: int
    pending: str | None = None
    is_gone: bool = False
    version: int = 0
    names: int = 0
    fed: tuple[str, int, bool] | None = (
        None  # the provider's id, the version and whether pending, as fed last
    )

    @property
    def cls(self) -> Class:
        return self.day, self.minor

    @property
    def name(self) -> str:
        return f"t{self.uid}.{self.names}"


@dataclass(frozen=True)
class Emission:
    """A push (`body`) or a file, and what it tells of the booked lines: (uid, class), None for one that is gone."""

    number: int
    tells: tuple[tuple[int, Class | None], ...]
    what: str
    body: dict[str, Any] | None = None
    file: File | None = None


@dataclass
class Told:
    """What the bank has told so far: of each line the newest word, whichever arrived last."""

    words: dict[int, tuple[int, Class | None]] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)

    def hear(self, emission: Emission) -> None:
        for uid, cls in emission.tells:
            if emission.number >= self.words.get(uid, (-1, None))[0]:
                self.words[uid] = emission.number, cls

    def classes(self) -> Counter[Class]:
        return Counter(
            cls for uid, (_, cls) in self.words.items() if cls is not None and uid not in self.deleted
        )

    def only_of(self, cls: Class) -> int | None:
        """The one line of a class, where there is just one that was ever in it."""
        found = [uid for uid, (_, told) in self.words.items() if told == cls]
        return found[0] if len(found) == 1 else None


class Bank:
    """A true account and its mouths: `emissions()` gives groups that arrive one after the other."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = random.Random(seed)  # noqa: S311  (a replay, no secret)
        self.step = 0
        self.number = 0
        self.batches = 0
        self.sent: list[Emission] = []
        self.words: dict[tuple[int, str], str] = {}
        self.steps = self.chance.randint(5, 9)
        self.last = FIRST + timedelta(days=self.chance.choice((3, 8, 20)))
        self.formats = self.chance.sample(sorted(WRITERS), self.chance.randint(1, 3))
        self.lines = [self._line(uid) for uid in range(self.chance.randint(4, 12))]
        for line in list(self.lines):
            if self.chance.random() < 0.25:
                self._add_twin(line)

    def emissions(self) -> Iterator[list[Emission]]:
        """Emit until everything was told, the whole of the feed last."""
        while self.step < self.steps:
            self.step += 1
            yield self._something()
        yield [self._feed(self.lines)]
        yield [self.chance.choice((self._file, self._snapshot, self._again))()]

    def truth(self, deleted: Iterable[int]) -> Counter[Class]:
        out = set(deleted)
        return Counter(line.cls for line in self.lines if self._is_booked(line) and line.uid not in out)

    def _line(self, uid: int) -> TrueLine:
        day = FIRST + timedelta(days=self.chance.randint(0, (self.last - FIRST).days))
        return TrueLine(
            uid,
            day,
            self.chance.choice(AMOUNTS),
            self.chance.choice(TEXTS),
            self.chance.choice((f"R{uid}", f"R{uid}", "NONREF", None)),
            self.chance.randint(1, self.steps),
            self.chance.choice((None, None, *ENDS)),
        )

    def _add_twin(self, line: TrueLine) -> None:
        uid = len(self.lines)
        reference = line.reference if line.reference in {None, "NONREF"} else f"R{uid}"
        shown_at = self.chance.choice((line.shown_at, self.steps))
        self.lines.append(replace(line, uid=uid, reference=reference, shown_at=shown_at))

    def _is_booked(self, line: TrueLine) -> bool:
        if line.pending == "VANISHES" or line.is_gone:
            return False
        return line.shown_at + (1 if line.pending else 0) <= self.step

    def _is_pending(self, line: TrueLine) -> bool:
        return bool(line.pending) and line.shown_at == self.step

    def _something(self) -> list[Emission]:
        acts = [self._feed_some, self._feed_some, self._file, self._file, self._snapshot, self._again]
        acts += [self._correct, self._take_back, self._rename, self._swapped]
        chosen = self.chance.choice(acts)()
        return chosen if isinstance(chosen, list) else [chosen]

    # What the feed says.

    def _feed_some(self) -> Emission:
        return self._feed([line for line in self.lines if self.chance.random() < 0.8])

    def _swapped(self) -> list[Emission]:
        """Two batches in the wrong order; of two changes of one line no batch tells which came first."""
        first = self._feed_some()
        changed = {uid_of(said["providerTransactionId"]) for said in (first.body or {})["modified"]}
        fed = [line for line in self.lines if line.fed and not line.fed[2] and not line.is_gone]
        self._change([line for line in fed if line.uid not in changed])
        return [self._feed(self.lines), first]

    def _correct(self) -> Emission:
        self._change([line for line in self.lines if line.fed and not line.fed[2] and not line.is_gone])
        return self._feed(self.lines)

    def _change(self, lines: list[TrueLine]) -> None:
        if lines:
            line = self.chance.choice(lines)
            line.version += 1
            match self.chance.choice(("day", "amount", "text")):
                case "day":
                    line.day += timedelta(days=self.chance.choice((-1, 1)))
                case "amount":
                    line.minor += self.chance.choice((-1, 100))
                case _:
                    line.text = self.chance.choice(TEXTS)

    def _take_back(self) -> Emission:
        fed = [line for line in self.lines if line.fed and not line.fed[2] and not line.is_gone]
        if fed:
            self.chance.choice(fed).is_gone = True
        return self._feed(self.lines)

    def _rename(self) -> Emission:
        """Give lines that were fed under other ids, the old ones taken back or not."""
        fed = [line for line in self.lines if line.fed and not line.fed[2] and self._is_booked(line)]
        chosen = self.chance.sample(fed, self.chance.randint(0, len(fed)))
        takes_back = self.chance.random() < 0.5
        removed = [line.fed[0] for line in chosen if takes_back and line.fed]
        for line in chosen:
            line.names += 1
        return self._push([self._said(line) for line in chosen], [], removed, chosen, [])

    def _snapshot(self) -> Emission:
        """Everything of some days, as if it were new; what it corrected since, it says as such."""
        first, last = self._window()
        lines = [line for line in self.lines if self._is_booked(line) and first <= line.day <= last]
        lines = [line for line in lines if line.fed is None or line.fed[1] == line.version]
        return self._push([self._said(line) for line in lines], [], [], lines, [])

    def _feed(self, lines: list[TrueLine]) -> Emission:
        """What is new of these lines since it was fed last."""
        added, modified, removed, booked, gone = [], [], [], [], []
        for line in lines:
            if self._is_pending(line) and line.fed is None:
                added.append(self._said_pending(line))
            elif self._is_booked(line) and (line.fed is None or line.fed[2]):
                said = self._said_booked(line, removed)
                (modified if line.pending == "SAME_ID" and self.chance.random() < 0.5 else added).append(said)
                booked.append(line)
            elif self._is_booked(line) and line.fed and line.fed[1] < line.version:
                modified.append(self._said(line))
                booked.append(line)
            elif line.is_gone and line.fed:
                removed.append(line.fed[0])
                gone.append(line)
                line.fed = None
            elif line.pending == "VANISHES" and line.fed and line.shown_at < self.step:
                if self.chance.random() < 0.5:
                    removed.append(line.fed[0])
                line.fed = None
        return self._push(added, modified, removed, booked, gone)

    def _said_pending(self, line: TrueLine) -> dict[str, Any]:
        line.fed = (f"p{line.uid}" if line.pending != "SAME_ID" else line.name), line.version, True
        minor = line.minor * 100 // 115 if line.pending == "TIP" else line.minor
        text = f"{line.text} 4711" if line.pending == "REWORDED" else line.text
        return body_of(line.fed[0], line.day - timedelta(days=1), minor, text, pending=True)

    def _said_booked(self, line: TrueLine, removed: list[str]) -> dict[str, Any]:
        was = line.fed
        said = self._said(line)
        if was and line.pending != "SAME_ID":
            if line.pending == "LINK":
                said["pendingTransactionId"] = was[0]
            if self.chance.random() < 0.5:
                removed.append(was[0])
        return said

    def _said(self, line: TrueLine) -> dict[str, Any]:
        line.fed = line.name, line.version, False
        return body_of(line.name, line.day, line.minor, self._worded(line, f"feed {line.version}"))

    def _push(
        self,
        added: list[dict[str, Any]],
        modified: list[dict[str, Any]],
        removed: list[str],
        booked: list[TrueLine],
        gone: list[TrueLine],
    ) -> Emission:
        self.batches += 1
        body = {"batchId": f"b{self.batches}", "added": added, "modified": modified, "removed": removed}
        tells = [*((line.uid, line.cls) for line in booked), *((line.uid, None) for line in gone)]
        return self._emit(
            Emission(self.number, tuple(tells), f"push {body['batchId']}: {said_of(body)}", body=body)
        )

    # What files say.

    def _file(self) -> Emission:
        bank_format = self.chance.choice(self.formats)
        first, last = self._window()
        lines = [line for line in self.lines if self._is_booked(line) and first <= line.day <= last]
        if self.chance.random() < 0.3:
            self.chance.shuffle(lines)
        else:
            lines.sort(key=lambda line: (line.day, line.uid))
        shown = [
            Printed(line.day, line.minor, self._worded(line, bank_format), line.reference) for line in lines
        ]
        if bank_format in SHOWS_PENDING:
            shown += [
                Printed(line.day, line.minor, line.text, None, pending=True)
                for line in self.lines
                if self._is_pending(line)
            ]
        if not shown:
            return self._feed_some()
        file = WRITERS[bank_format](shown, f"SEED{self.seed}")
        tells = tuple((line.uid, line.cls) for line in lines)
        said = "; ".join(map(str, shown))
        return self._emit(Emission(self.number, tells, f"{bank_format} {first} to {last}: {said}", file=file))

    def _window(self) -> tuple[date, date]:
        days = sorted(FIRST + timedelta(days=self.chance.randint(-1, 22)) for _ in range(2))
        return (days[0], days[1]) if self.chance.random() < 0.6 else (date(2026, 2, 1), date(2026, 4, 1))

    def _worded(self, line: TrueLine, source: str) -> str:
        """The same line in the words of one source, which stays with them; now and then none of them tell."""
        text = line.text
        said = self.chance.choice((text, text, text.upper(), text.split()[0], f"POS 77 {text}", OTHER_WORDS))
        return self.words.setdefault((line.uid, source), said)

    def _again(self) -> Emission:
        """Something once more as it was, or the same push as a batch of its own, save what it changed."""
        if not self.sent:
            return self._feed_some()
        old = self.chance.choice(self.sent)
        if old.body is not None and self.chance.random() < 0.5:
            self.batches += 1
            gone = {name for each in self.sent if each.body is not None for name in each.body["removed"]}
            there = [each for each in old.body["added"] if each["providerTransactionId"] not in gone]
            part = {"added": self._part(there), "removed": self._part(old.body["removed"])}
            body = {"batchId": f"b{self.batches}", "modified": [], **part}
            return replace(old, what=f"again, as {body['batchId']}: {said_of(body)}", body=body, tells=())
        return replace(old, what=f"{old.what} again")

    def _part(self, listed: list[Any]) -> list[Any]:
        shown = [each for each in listed if self.chance.random() < 0.7]
        self.chance.shuffle(shown)
        return shown

    def _emit(self, emission: Emission) -> Emission:
        self.number += 1
        self.sent.append(emission)
        return emission


def uid_of(name: str) -> int:
    """Tell which line the bank means by an id of its feed."""
    return int(name[1:].partition(".")[0])


def said_of(body: dict[str, Any]) -> str:
    """What a push says, as a person reads it."""
    keys = ("providerTransactionId", "bookedOn", "amount", "description", "pendingTransactionId")
    lines = [
        f"{mark}{'pending ' * each['pending']}{' '.join(str(each[key]) for key in keys if key in each)}"
        for name, mark in (("added", "+"), ("modified", "~"))
        for each in body[name]
    ]
    return "; ".join([*lines, *(f"-{name}" for name in body["removed"])])


def body_of(name: str, day: date, minor: int, text: str, *, pending: bool = False) -> dict[str, Any]:
    """A line as the JSON of a push has it."""
    amount = Printed(day, minor, text, None).amount
    return {
        "providerTransactionId": name,
        "pending": pending,
        "bookedOn": str(day),
        "amount": amount,
        "description": text,
    }
