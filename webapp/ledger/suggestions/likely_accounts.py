"""The likely account of an unconfirmed line: the account of most similar confirmed lines."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from webapp.ledger.matching.lines import BankLine
from webapp.ledger.rules.conditions import Condition, Operator
from webapp.ledger.rules.fields import Field
from webapp.ledger.rules.items import compact
from webapp.ledger.suggestions.habit_books import Choice, HabitBook
from webapp.ledger.suggestions.phrases import Words, as_written, beginnings, folded, runs_of

# What two lines can have in common: a field, the direction of their money, and words or an IBAN.
Trait = tuple[Field, str, Words]
# The direction of a line, its counterparty, its description and its IBAN.
_Texts = tuple[str, str | None, str, str | None]


@dataclass(frozen=True, slots=True)
class Likely:
    """A likely account: its `count` of similar lines out of `total`, and their common traits.

    `places` are the places of those lines in the book; a merchant and a project are set
    if all these lines share them.
    """

    account_id: int
    merchant_id: int | None
    project_id: int | None
    count: int
    total: int
    conditions: tuple[Condition, ...]
    places: tuple[int, ...]


def likely(book: HabitBook, lines: Sequence[BankLine]) -> list[Likely | None]:
    """Return the likely account of each line; None without similar lines, or if fewer than half of them agree.

    `book` has decided lines, the newest first: between equal counts, the newest line's account wins.
    Similar lines share the direction, and the first possible of these: the counterparty, the IBAN, with the
    counterparty the text, the counterparty's first words, the text's longest beginning.

    >>> from types import SimpleNamespace as Line
    >>> def line(party): return Line(description="", counterparty=party, iban=None, amount_minor=-500)
    >>> book = HabitBook([line("REWE 17"), line("Rewe 4"), line("Aral")], [Choice(7), Choice(8), Choice(9)])
    >>> (found,) = likely(book, [line("REWE 99")])
    >>> found.account_id, found.count, found.total
    (7, 1, 2)
    """
    candidates = [_traits(*_texts(line)) for line in lines]
    alike = _alike(book, frozenset().union(*(each.all for each in candidates)))

    @cache
    def agreed(traits: tuple[Trait, ...]) -> Likely | None:
        return _agreed(traits, alike, book.choices)

    return [_most_likely(each, agreed) for each in candidates]


class _Traits:
    """What others may share with a line of these texts."""

    def __init__(self, direction: str, counterparty: str | None, description: str, iban: str | None) -> None:
        self.direction = direction
        self.written = {Field.COUNTERPARTY: counterparty or "", Field.DESCRIPTION: description}
        self.party = [
            (Field.COUNTERPARTY, direction, words) for words in _first_beginnings(folded(counterparty))
        ]
        self.iban: Trait | None = (Field.IBAN, direction, (compact(iban),)) if iban else None
        self.texts = [(Field.DESCRIPTION, direction, words) for words in _all_beginnings(folded(description))]
        self.all: frozenset[Trait] = frozenset(
            [*self.party, *self.texts, *([self.iban] if self.iban else [])]
        )

    def in_order(self) -> Iterator[tuple[Trait, ...]]:
        """Yield combinations of traits to share, the most distinctive first."""
        whole = self.party[:1]
        yield from ((trait,) for trait in whole)
        if self.iban:
            yield (self.iban,)
        yield from ((party, text) for party in whole for text in self.texts)
        yield from ((trait,) for trait in (*self.party[1:], *self.texts))

    def conditions(self, traits: Iterable[Trait]) -> tuple[Condition, ...]:
        """Write traits as conditions, in the line's own spelling."""
        texts = [
            Condition(field, Operator.CONTAINS, as_written(words, self.written[field]))
            if field in self.written
            else Condition(field, Operator.EQUALS, " ".join(words).upper())
            for field, _, words in traits
        ]
        return (*texts, Condition(Field.DIRECTION, Operator.EQUALS, self.direction))


def _most_likely(line: _Traits, agreed: Callable[[tuple[Trait, ...]], Likely | None]) -> Likely | None:
    for traits in line.in_order():
        found = agreed(traits)
        if found is not None:
            return replace(found, conditions=line.conditions(traits))
    return None


def _agreed(
    traits: tuple[Trait, ...], alike: dict[Trait, list[int]], choices: Sequence[Choice | None]
) -> Likely | None:
    """Return the account of at least half of the decided lines with these traits, without conditions."""
    first, *others = (alike.get(trait, []) for trait in traits)
    places = sorted(set(first).intersection(*others)) if others else first
    decided = [(place, choice) for place in places if (choice := choices[place]) is not None]
    counted = Counter(choice.account_id for _, choice in decided)
    if not counted:
        return None
    account_id, count = counted.most_common(1)[0]
    if account_id is None or count * 2 < len(decided):
        return None
    agreeing = [(place, choice) for place, choice in decided if choice.account_id == account_id]
    return Likely(
        account_id,
        _same(choice.merchant_id for _, choice in agreeing),
        _same(choice.project_id for _, choice in agreeing),
        count,
        len(decided),
        (),
        tuple(place for place, _ in agreeing),
    )


def _alike(book: HabitBook, wanted: frozenset[Trait]) -> dict[Trait, list[int]]:
    """Find the decided lines with the wanted traits."""
    found: dict[Trait, list[int]] = defaultdict(list)
    # Many lines have the same texts.
    with_texts: dict[_Texts, list[list[int]]] = {}
    for place, (line, choice) in enumerate(zip(book.lines, book.choices, strict=True)):
        if choice is None:
            continue
        texts = _texts(line)
        if texts not in with_texts:
            with_texts[texts] = [found[trait] for trait in wanted & _traits(*texts).all]
        for places in with_texts[texts]:
            places.append(place)
    return found


def _texts(line: BankLine) -> _Texts:
    return "OUT" if line.amount_minor < 0 else "IN", line.counterparty, line.description, line.iban


# The same confirmed lines are looked at for every page.
_traits = lru_cache(maxsize=4096)(_Traits)


def _first_beginnings(text: str) -> Sequence[Words]:
    """Return a counterparty's words without numbers, then ever fewer of them."""
    runs = runs_of(text)
    return beginnings(runs[0]) if runs else ()


def _all_beginnings(text: str) -> Sequence[Words]:
    """Return the words that descriptions may share, the most first."""
    every = {words for run in runs_of(text) for words in beginnings(run)}
    return sorted(every, key=lambda words: (-len(words), words))


def _same(values: Iterable[int | None]) -> int | None:
    different = set(values)
    return different.pop() if len(different) == 1 else None
