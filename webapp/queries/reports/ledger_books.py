"""The computed lines of a general ledger, and their places among the postings that a page reads."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from webapp.ledger.periods import Period
from webapp.queries.reports.books import DAY, Part, ReportBooks
from webapp.queries.reports.ledger_order import DAY as DAY_OF_KEY
from webapp.queries.reports.ledger_order import Key, LedgerOrder, Section

CARRY: Final = ("carry", "Result carried to the new financial year")
FORWARD: Final = ("forward", "Brought forward")
CLOSED: Final = ("closing", "Results that entries closed")


@dataclass(frozen=True, slots=True)
class LedgerBooks:
    """A period's books in the order of a ledger, which may be grouped."""

    order: LedgerOrder
    books: ReportBooks
    period: Period

    def sections(self) -> Sequence[Part]:
        """Give the books of each part, or those of all where there are no parts."""
        return self.books.parts if self.books.by is not None else [Part(None, None, self.books)]

    def carried(self, account_id: int | None) -> dict[Key, int]:
        """Give what is carried of or to accounts, or to one, by the place of its line."""
        return {
            self.order.key(Section(each, part.id), day): minor
            for part in self.sections()
            for day, amounts in part.books.carries(self.period).items()
            for each, minor in amounts.items()
            if minor and account_id in (None, each)
        }

    def closed(self, account_id: int | None) -> dict[Key, int]:
        """Give what closing entries took from results, by the place of its line on retained earnings."""
        retained_id = self.books.retained_id
        by_day: Counter[date] = Counter()
        for leg in self.books.closings:
            if leg.is_of_result and self.period.first <= leg.day <= self.period.last:
                by_day[leg.day] += leg.base_minor
        return {
            self.order.key(Section(retained_id, None), day): minor
            for day, minor in by_day.items()
            if minor and account_id in (None, retained_id)
        }

    def forward(self, account_ids: Collection[int | None]) -> dict[Key, int]:
        """Give the places of what each part of some accounts brought forward; such a line moves nothing."""
        return {
            self.order.key(Section(each, part.id), self.period.first): 0
            for part in self.books.parts
            for each, minor in part.books.opening(self.period.first).items()
            if minor and each in account_ids
        }

    def openings(self, sections: Collection[Section]) -> dict[Section, int]:
        """Give the balances of sections as the period begins."""
        wanted = {each.part_id for each in sections}
        amounts = {
            part.id: part.books.opening(self.period.first) for part in self.sections() if part.id in wanted
        }
        return {each: amounts[each.part_id][each.account_id] for each in sections}

    def before_computed(self, part: Part, key: Key) -> int:
        """Give the balance of a section before a computed line: before a carry, that of the year which ends."""
        section, day = self.order.section(key), key[DAY_OF_KEY]
        if self.text(key) in (FORWARD, CLOSED):
            return part.books.opening(day)[section.account_id]
        return part.books.closing(day - DAY)[section.account_id]

    def text(self, key: Key) -> tuple[str, str]:
        """Give the source and the description of a computed line: nothing is carried on the first day of a period."""
        day = key[DAY_OF_KEY]
        if self.order.section(key).account_id == self.books.retained_id and key in self.closed(None):
            return CLOSED
        return FORWARD if day == self.period.first else CARRY

    def merged(
        self, read: Sequence[Key], computed: Mapping[Key, int], after: Key | None, last: Key | None
    ) -> list[Key]:
        """Put the computed lines that lie after a key, and not behind the last row that was read, among the rows.

        Accounts and parts are compared by their rank, for the database has its own order of texts.
        """
        accounts, parts = self.order.ranks(self.books)

        def place(key: Key) -> Key:
            section = self.order.section(key)
            return (accounts.get(section.account_id, -1), parts.get(section.part_id, -1), *key[DAY_OF_KEY:])

        within = [
            key
            for key in computed
            if (after is None or place(after) < place(key)) and (last is None or place(key) < place(last))
        ]
        return sorted([*read, *within], key=place) if within else list(read)
