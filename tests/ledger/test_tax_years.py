"""Ten thousand random years of the ledger's taxes: each return and its late rows are those of an oracle."""

from collections import defaultdict
from dataclasses import replace
from decimal import Decimal
from random import Random

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.oracles.tax_years import RELIEVED, six_months_after
from tests.fixtures.taxed_years import ENDS, STARTS, Year
from webapp.ledger.journal.boxes import BoxAmount, of_boxes, summed
from webapp.ledger.rates import mirroring
from webapp.ledger.tax.amounts import CodedLine, coded_legs
from webapp.ledger.tax.late import LatePosting, late_rows
from webapp.ledger.tax.parts import (
    APPLIED,
    BACK,
    CREDIT,
    DISCOUNT,
    MONEY,
    RELIEF,
    SHORT,
    UNPAID,
    PartShare,
    TaxedItem,
    TaxFigures,
    changes,
    less_credits,
    negative,
    part_of,
    relief_of,
    shares_of,
    standing,
)
from webapp.ledger.tax.pieces import ADVANCE, DOCUMENT, SettledPart, pieces_of
from webapp.ledger.tax.rules import base_boxes, tax_legs
from webapp.queries.tax import packs

PACK = packs.content("uk-vat100")
TAKING = (DISCOUNT, APPLIED, UNPAID)
BEARS = 9


class Ledger:
    """Books in memory: items with their pieces and shares, and postings that returns stamp."""

    def __init__(self, *, is_cash):
        codes = PACK.codes_by("CASH" if is_cash else "ACCRUAL")
        self.suffix = "C" if is_cash else ""
        self.codes = dict(enumerate(codes, 1))
        self.numbers = {each.code: place for place, each in self.codes.items()}
        self.ids, self.days, self.received, self.notes = {}, {}, {}, set()
        self.items, self.sides, self.pieces, self.shares = {}, {}, defaultdict(list), defaultdict(list)
        self.postings, self.stamped, self.settlements = [], {}, 0

    def id_of(self, name):
        return self.ids.setdefault(name, len(self.ids) + 1)

    def code_of(self, side, code):
        return self.numbers[f"{side}{code}{self.suffix}"]

    def write(self, paper):
        entry = self.id_of(paper.name)
        self.days[entry], self.received[entry] = paper.day, paper.came_on
        if paper.gross < 0:
            self.notes.add(entry)
        self._written(paper, entry, post=paper.is_advance or not self.suffix)

    advance = write

    def _written(self, paper, entry, *, post):
        wholes = {}
        rate = Decimal(paper.rate.numerator) / Decimal(paper.rate.denominator)
        in_base = int if paper.rate == 1 else mirroring("USD", "GBP", rate)
        for code, gross in paper.lines.items():
            number = self.code_of(paper.side, code)
            made = coded_legs(self.codes[number].rule, [CodedLine(gross, is_included=True)], in_base)
            wholes[number] = made.whole
            if post:
                boxes = [*made.bases[0].boxes, *(box for leg in made.taxes for box in leg.boxes)]
                self._post(entry, paper.day, boxes)
        # What a credit note takes out of it may be of another code.
        cash = frozenset(number for number, code in self.codes.items() if code.rule.waits)
        self.items[entry] = TaxedItem(wholes, abs(paper.gross), cash, is_advance=paper.is_advance)

    def pay(self, paper, name, day, size, short):
        entry, money = self.id_of(paper.name), self.id_of(name)
        joined = [
            self._document(entry, size + short),
            SettledPart(money, money, -size, MONEY, day, is_line=True),
        ]
        if short:
            facts = {"account": BEARS, "is_caused": True}
            joined.append(SettledPart(-money, -money, -short, DISCOUNT, day, **facts))
        self._settle(joined)

    def settle(self, other, paper, size):
        """Settle a paper with a credit note or an advance."""
        entry, met = self.id_of(paper.name), self.id_of(other.name)
        kind = ADVANCE if other.is_advance else DOCUMENT
        part = SettledPart(met, met, -size, kind, self.days[met], is_credit=not other.is_advance)
        self._settle([self._document(entry, size), part])

    def _document(self, entry, size):
        return SettledPart(entry, entry, size, DOCUMENT, self.days[entry])

    def _settle(self, joined):
        self.settlements += 1
        made = pieces_of(self.settlements, joined)
        credited = self._credited(made)
        for entry, pieces in made.items():
            if entry in self.items:
                sign = 1 if entry in self.notes else -1
                self.pieces[entry] += [
                    replace(each, credited=_signed(credited, sign)) if each.kind == CREDIT else each
                    for each in pieces
                ]
                self._differ(entry, {each.settlement for each in self.pieces[entry]} - {self.settlements})

    def _credited(self, made):
        """Give what a credit note has of base and tax in a settlement, as it states it."""
        for entry in self.notes & made.keys():
            item, size = self.items[entry], sum(each.size_minor for each in made[entry])
            before = sum(each.size_minor for each in self.pieces[entry])
            done, figures = item.gross_minor, {}
            for code, whole in item.wholes.items():
                had = [part_of(each, done, before, 0) for each in whole]
                parts = zip(whole, had, strict=True)
                figures[code] = TaxFigures(*(part_of(each, done, before + size, was) for each, was in parts))
            return figures
        return {}

    def _differ(self, entry, kept, cause=None):
        """Post what a change of an item makes of its shares; those of `kept` settlements stay as they were."""
        present = self.shares[entry]
        given = {number: [each for each in present if each.settlement == number] for number in kept}
        wanted = [each for each in present if each.settlement is None]
        item = replace(self.items[entry], relieved=standing(present))
        wanted += shares_of(item, self.pieces[entry], given)
        for share in changes(wanted, present):
            self._give(entry, share if cause is None else replace(share, cause=cause))

    def _give(self, entry, share):
        self.shares[entry].append(share)
        self._post(share.cause, share.tax_point, self._boxes(share), is_own_day=share.is_own_day)

    def _boxes(self, share):
        rule, figures = self.codes[share.code].rule, share.figures
        if share.kind in SHORT and rule.waits:
            return []
        if share.kind == RELIEF:
            return [BoxAmount(PACK.form.name, PACK.form.claims, figures.tax_minor)]
        if share.kind in TAKING:
            figures = negative(share).figures
        is_tax = share.kind in BACK or share.kind in BACK.values()
        base = [] if is_tax else base_boxes(rule, [figures.base_minor], figures.base_minor)[0]
        return [*base, *(box for leg in tax_legs(rule, figures.tax_minor) for box in leg.boxes)]

    def _post(self, item, day, boxes, *, is_own_day=False):
        made = summed(boxes)
        if made:
            own = is_own_day or item in self.notes
            self.postings.append([item, day, made, own, len(self.postings), None])

    def relieve(self, paper, name, day, size):
        entry = self.id_of(paper.name)
        codes = [number for number in self.items[entry].wholes if self.codes[number].has_relief]
        assert bool(codes) == any(code in RELIEVED for code in paper.lines)
        left = less_credits(self.items[entry], self.pieces[entry])
        self._relieve(
            entry,
            left,
            codes,
            PartShare(None, RELIEF, 0, day, TaxFigures(), self.id_of(name), size_minor=size),
        )

    def repay(self, name, until):
        for entry, item in [*self.items.items()]:
            if entry not in self.received or self.received[entry] is None or entry in self.notes:
                continue
            ends_on = six_months_after(self.days[entry])
            before = [each for each in self.pieces[entry] if each.tax_point <= ends_on]
            size = item.gross_minor - sum(each.size_minor for each in before)
            left = less_credits(item, before)
            relief = PartShare(None, UNPAID, 0, ends_on, TaxFigures(), self.id_of(name), size_minor=size)
            tax = sum(each.figures.tax_minor for each in relief_of(left, item.wholes, relief))
            is_repaid = any(each.kind == UNPAID for each in self.shares[entry])
            if ends_on <= until and size > 0 and tax > 0 and not is_repaid:
                self._relieve(entry, left, [*item.wholes], relief)

    def _relieve(self, entry, left, codes, relief):
        found = relief_of(left, codes, relief)
        relieved = replace(self.items[entry], relieved=standing(found))
        wanted = [each for each in shares_of(relieved, self.pieces[entry]) if each.kind in BACK.values()]
        for share in [*found, *wanted]:
            self._give(entry, share)

    def correct(self, paper, lines):
        entry = self.id_of(paper.name)
        if not self.suffix:
            self._take_back(entry)
        self._written(replace(paper, lines=lines), entry, post=not self.suffix)
        self._differ(entry, set(), entry)

    def _take_back(self, entry):
        whole = self.items[entry].wholes
        for code, figures in whole.items():
            rule = self.codes[code].rule
            base = base_boxes(rule, [-figures.base_minor], -figures.base_minor)[0]
            taxes = [box for leg in tax_legs(rule, -figures.tax_minor) for box in leg.boxes]
            self._post(entry, self.days[entry], [*base, *taxes])

    def void(self, paper):
        entry = self.id_of(paper.name)
        if not self.suffix:
            self._take_back(entry)
        present = self.shares[entry]
        causes = {(each.settlement, each.tax_point): each.cause for each in present if each.cause != entry}
        for share in changes([], present):
            self._give(
                entry, replace(share, cause=causes.get((share.settlement, share.tax_point), share.cause))
            )
        del self.items[entry]

    def file(self, end):
        first = STARTS[ENDS.index(end)]
        inside = [each for each in self.postings if each[1] <= end and each[5] is None]
        late = []
        for item, day, boxes, is_own, number, _ in inside:
            if day < first:
                last = next(each for each in ENDS if day <= each)
                error_of = self.stamped.get((item, day), last)
                facts = error_of, self.received.get(item), is_own, number
                late.append(LatePosting(str(item), day, last, boxes, *facts))
        rows = late_rows(late, PACK.form.claims)
        for each in inside:
            each[5] = end
            self.stamped[each[0], each[1]] = end
        names = {number: name for name, number in self.ids.items()}
        sums = of_boxes((box for each in inside for box in each[2]), PACK.form.name)
        return {box: size for box, size in sums.items() if size}, sorted(
            [
                (
                    names[int(row.item)],
                    row.late_as,
                    row.error_of and str(row.error_of),
                    dict(sorted(of_boxes(row.boxes, PACK.form.name).items())),
                )
                for row in rows
            ],
            key=str,
        )


def _signed(figures, sign):
    """Give what a credit takes: of the credit note as it states it, of the paper what leaves it."""
    return {code: TaxFigures(*(sign * part for part in each)) for code, each in figures.items()}


@on_sqlite
def test_returns_of_random_years_are_those_of_an_oracle(rounds, figure):
    years = rounds(150, 10_000)
    for seed in range(years):
        random = Random(seed)  # noqa: S311  (chance that can be had again)
        is_cash = random.random() < 0.5
        year = Year(Ledger(is_cash=is_cash), random, is_cash=is_cash)
        for number, (found, expected) in enumerate(year.run((6, 14))):
            assert found == expected, f"return {number + 1} of the year {seed}"
        assert year.books.file(ENDS[-1]) == ({}, [])
    figure("tax years of the ledger", f"{4 * years} returns of {years} years, 0 differ from the oracle")
