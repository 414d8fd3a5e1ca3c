"""Parts of items against an oracle in fractions: cumulative shares, and nothing that waits once an item is settled."""

from collections import Counter
from datetime import date, timedelta
from fractions import Fraction
from math import floor
from random import Random

from webapp.ledger.tax.parts import (
    CREDIT,
    DISCOUNT,
    MONEY,
    SHORT,
    WRITE_OFF,
    PartShare,
    Piece,
    TaxedItem,
    TaxFigures,
    changes,
    shares_of,
)

START = date(2026, 1, 1)


def rounded(amount):
    """Round half away from zero."""
    size = floor(abs(amount) + Fraction(1, 2))
    return size if amount >= 0 else -size


def year(random):
    """Make an item of one to three codes, and what meets it in a year: often all of it."""
    codes = range(1, random.randint(1, 3) + 1)
    wholes = {code: TaxFigures(random.randint(0, 99999), random.randint(0, 19999)) for code in codes}
    # In its own currency, so of any size.
    gross = random.randint(1, random.choice((20, 200000)))
    pieces, left = [], gross
    for number in range(1, random.randint(2, 9)):
        size = left if random.random() < 0.2 else random.randint(0, left)
        if not size:
            continue
        kind = random.choice((MONEY, MONEY, MONEY, DISCOUNT, WRITE_OFF, CREDIT))
        day, left = START + timedelta(days=random.randint(0, 364)), left - size
        rest = wholes if kind == CREDIT and sum(each.size_minor for each in pieces) + size < gross else {}
        credited = {
            code: TaxFigures(*(rounded(Fraction(each * size, gross)) for each in whole))
            for code, whole in rest.items()
        }
        pieces.append(Piece(number, kind, size, day, number, credited=credited))
    is_cash = random.random() < 0.6
    return TaxedItem(wholes, gross, frozenset(codes) if is_cash else frozenset()), pieces


def expected(item, pieces):
    """Say by code what money and what is short have of base and tax together, straight from the rule."""
    sizes = Counter()
    for piece in pieces:
        sizes[piece.kind] += piece.size_minor
    gross = item.gross_minor - sizes.pop(CREDIT, 0)
    short = sum(sizes[kind] for kind in SHORT)
    found = {}
    for code, whole in item.wholes.items():
        taken = [piece.credited.get(code, TaxFigures()) for piece in pieces]
        left = [figure - sum(each[place] for each in taken) for place, figure in enumerate(whole)]
        for place, figure in enumerate(left):

            def part(size, figure=figure):
                return rounded(Fraction(figure * size, gross)) if gross else 0

            if code in item.cash:
                money, rest = part(sizes[MONEY]), part(short)
                if short and sizes[MONEY] + short == gross:
                    rest = figure - money
                found[code, place] = money, rest
            else:
                found[code, place] = 0, part(sizes[DISCOUNT])
    return found


def totals(item, shares):
    return {
        (code, place): (
            sum(each.figures[place] for each in shares if each.code == code and each.kind == MONEY),
            sum(each.figures[place] for each in shares if each.code == code and each.kind in SHORT),
        )
        for code in item.wholes
        for place in (0, 1)
    }


def test_parts_are_what_an_oracle_says_after_each_act_of_random_years(rounds):
    for seed in range(rounds(quick=600, promised=10_000)):
        random = Random(seed)  # noqa: S311  (chance that can be had again)
        item, pieces = year(random)
        posted: list[PartShare] = []
        for done in range(1, len(pieces) + 1):
            given = {}
            for share in posted:
                given.setdefault(share.settlement, []).append(share)
            before = {piece.settlement: given.get(piece.settlement, []) for piece in pieces[: done - 1]}
            posted += changes(shares_of(item, pieces[:done], before), posted)
            assert totals(item, posted) == expected(item, pieces[:done]), seed
        # One of them ends: what it had goes back, and the others are as if it never was.
        if pieces:
            gone = random.randrange(len(pieces))
            others = [*pieces[:gone], *pieces[gone + 1 :]]
            posted += changes(shares_of(item, others), posted)
            assert totals(item, posted) == expected(item, others), seed
