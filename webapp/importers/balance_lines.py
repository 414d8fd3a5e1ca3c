"""Rows that state a balance or a sum among the lines of a file: one test by words and arithmetic for all readers."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal, NamedTuple

from webapp.importers.bank_files import (
    BankFile,
    FileLine,
    MappingNeededError,
    SkippedRow,
    StatedBalance,
    Statement,
)
from webapp.importers.texts import quoted

# BALANCE and SUM: the text is only such a label. HINT: it has the words, and may be a payee's name.
Label = Literal["", "HINT", "SUM", "BALANCE"]
End = Literal["", "OPENING", "CLOSING"]

REASON: Final = "It states a sum or a balance."
LEFT_OUT: Final = "The mapping leaves it out."
_WORD: Final = re.compile(r"[^\W\d_]+")
# So many rows in a row that add up to the last are no accident.
_FEWEST_UNNAMED: Final = 4
_MOST_SUMS: Final = 3
_TWO: Final = 2


class _Folds(dict[int, str]):
    """The letters that `str.translate` writes for each other letter, without accents."""

    def __missing__(self, code: int) -> str:
        parted = unicodedata.normalize("NFKD", chr(code))
        self[code] = "".join(each for each in parted if not unicodedata.combining(each)).replace(
            "\u0131", "i"
        )
        return self[code]


_FOLDS: Final = _Folds()


def folded_name(text: str) -> str:
    """Return a text without case and accents.

    >>> folded_name("Solde Précédent"), folded_name("İşlem"), folded_name("Υπόλοιπο")
    ('solde precedent', 'islem', 'υπολοιπο')
    """
    return text.lower() if text.isascii() else text.casefold().translate(_FOLDS)


def _words(text: str) -> frozenset[str]:
    return frozenset(folded_name(text).split())


_BALANCES: Final = _words("""
    algsaldo alkusaldo anfangsbestand anfangssaldo atlikums bakiye bakiyesi balance balances beginsaldo bilancio
    devir devreden egyenleg eindsaldo endbestand endsaldo kontosaldo kontostand likutis loppusaldo lõppsaldo
    ouverturesaldo primosaldo saldi saldo saldovortrag schlusssaldo solde soldes soldul stanje ultimosaldo zostatok
    startsaldo zůstatek υπόλοιπο баланс залишок остаток сальдо салдо
""")
# These mean something else as well, and are a label only with another word of one.
_WEAK: Final = _words("report reporte sold stan stand übertrag vortrag jääk kontobestand")
_TOTALS: Final = _words("""
    razem subtotal subtotals sum suma summe summa tussentotaal totaal total totale totales totals ukupno toplam
    összesen yhteensä sammanlagt celkem spolu итого всего σύνολο zwischensumme gesamt
""")
_SUMS: Final = _BALANCES | _WEAK | _TOTALS
# Which balance it is; alone, they are a hint.
_ENDS: Final = _words(
    "opening closing initial final turnover turnovers apyvarta umsätze anfang ende apertura cierre"
)
_OPENING: Final = _words("""
    opening initial iniziale inicial initiale anfang anfangsbestand anfangssaldo ancien alter vorheriger previous prior
    precedent precedente previo anterior anteriore begin beginning beginsaldo bf brought vorig vorige start pradziai
    algsaldo alkusaldo primosaldo devir devreden saldovortrag vortrag ingaende otwarcia poczatkowe poczatkowy pocetno
    počáteční počiatočný nyitó προηγούμενο αρχικό startsaldo входящий входящее начальный
""")
_CLOSING: Final = _words("""
    closing final finale ending ende endsaldo endbestand schlusssaldo neuer neues neu nouveau nuevo novo nieuw nieuwe
    current actual attuale atual disponible disponibile disponível available cf carried loppusaldo eindsaldo ultimosaldo
    utgaende zamknięcia końcowe końcowy završno koncový končený konečný pabaigai záró νέο τελικό исходящий исходящее
""")
_BEFORE: Final = _words("before prior previous voor vor avant antes prima před przed før före startsaldo")
_AFTER: Final = _words("after na nach après después depois dopo po efter etter")
_AROUND: Final = _ENDS | _words("""
    a account actual actuel akhir al alter alten alter am an ancien anfangs anterior anteriore antérieur as at atual
    attuale au available b baslangic before beginning bf brought c cf carried chiusura close comptable conta
    contabile contable contabilístico conto credit crédit cuenta current d date day de debit débit del dell della der
    des di dia disponibile disponible disponível do dnia du début el em en end ending f fim fin final finale finalny
    fecha for forward früherer fwd giorno grand het i im in ingående inicial início initial iniziale inizio
    jour kapanis koniec koncový končený končowe końcowe końcowy konečný konta kontos konto le ledger letzter liquid
    líquido na naar nach neu neuer neues new nieuw nieuwe no nou nouveau nouvelle novo ny nyitó o od of old on open
    opening origine otwarcia pabaigai par per period periode perioden período pociatocny počáteční počiatočný początek
    początkowe początkowy prethodno precedente previo previous precedent précédent période
    početno poprzednie pradžiai prior saldo statement start starting sub tag tages the this to transactions uitgaande
    utgående van vom vorherig vorheriger vorig vorige w záró zamknięcia závěrečný završno za zu zum η το αρχικό
    κλεισίματος νέο λογαριασμού προηγούμενο τελικό входящий входящее исходящий исходящее конец конечный на начало
    начальный
""")
_OF_SUMS: Final = _SUMS | _AROUND
_CHINESE: Final = re.compile(r"[\u4e00-\u9fff]")
_CHINESE_SUM: Final = re.compile(
    r"\w{0,4}(?:合计|总计|小计|合計)(?:金额|金額)?|(?:期初|期末|上期|本期)?余额|(?:前回|繰越)?残高"
)
# A label has one of these; most texts have none.
_TELLING: Final = _SUMS | _ENDS
_TO_SPACES: Final = {code: " " for code in range(128) if not chr(code).isalpha()}
# Payees with the word have other words too, but few labels have more than these.
_MOST_WORDS: Final = 8


@lru_cache(20_000)
def label_of(text: str) -> Label:
    """Return what the words of a text say of its row.

    >>> [label_of(text) for text in ("Solde au 31/01/2026 :", "BALANCE B/F", "Saldovortrag", "Νέο υπόλοιπο", "Devir")]
    ['BALANCE', 'BALANCE', 'BALANCE', 'BALANCE', 'BALANCE']
    >>> [label_of(text) for text in ("Total", "Subtotal", "Transactions Total", "合计金额", "Sold final")]
    ['SUM', 'SUM', 'SUM', 'SUM', 'BALANCE']
    >>> [label_of(text) for text in ("Balance Fitness Studio", "Total Energies", "Opening", "Sold", "Übertrag")]
    ['HINT', 'HINT', 'HINT', 'HINT', 'HINT']
    >>> [label_of(text) for text in ("Rent", "", "31.01.2026", "On the day")]
    ['', '', '', '']
    """
    if text.isascii() and _TELLING.isdisjoint(text.translate(_TO_SPACES).lower().split()):
        return ""
    folded = folded_name(text)
    words = _WORD.findall(folded)
    if _CHINESE.search(folded) and any(map(_CHINESE_SUM.fullmatch, words)):
        return ("SUM" if "计" in text or "計" in text else "BALANCE") if len(words) == 1 else "HINT"
    found = _SUMS.intersection(words)
    if len(words) > _MOST_WORDS or not found:
        return "HINT" if _ENDS.intersection(words) and _OF_SUMS.issuperset(words) else ""
    if not _OF_SUMS.issuperset(words) or (found <= _WEAK and len(words) < _TWO):
        return "HINT"
    return "BALANCE" if found & (_BALANCES | _WEAK) else "SUM"


def states_a_sum(text: str) -> bool:
    """Return whether a text is only a label of a sum or a balance.

    >>> states_a_sum("Closing balance"), states_a_sum("Balance transfer")
    (True, False)
    """
    return label_of(text) in {"SUM", "BALANCE"}


def end_of(text: str) -> End:
    """Return whether a label names the balance before the lines or the one after them.

    >>> end_of("Opening balance"), end_of("Nouveau solde"), end_of("Saldo")
    ('OPENING', 'CLOSING', '')
    """
    words = set(_WORD.findall(folded_name(text)))
    is_opening, is_closing = not words.isdisjoint(_OPENING), not words.isdisjoint(_CLOSING)
    if is_opening == is_closing:
        return ""
    return "OPENING" if is_opening else "CLOSING"


def balance_end(name: str) -> End:
    """Return which balance of its row a column of this name has: the one before the amount, or the one after it.

    >>> balance_end("initial_balance"), balance_end("Saldo na mutatie"), balance_end("startsaldo"), balance_end("Saldo")
    ('OPENING', 'CLOSING', 'OPENING', '')
    """
    words = set(_WORD.findall(folded_name(name).replace("_", " ")))
    is_balance = not words.isdisjoint(_BALANCES)
    is_before = not words.isdisjoint(_BEFORE)
    if is_balance and is_before != (not words.isdisjoint(_AFTER)):
        return "OPENING" if is_before else "CLOSING"
    return end_of(" ".join(words)) if is_balance else ""


class Movement(NamedTuple):
    """A row of an account in the order of the file: its amount, what its text says, and the balance after it.

    A row without a day stands at an end of the file, and `end` says which balance it is.
    """

    amount: Decimal
    label: Label = ""
    day: date | None = None
    balance: Decimal | None = None
    end: End = ""


class BalancesFound(NamedTuple):
    """The rows that are no lines, by place; the balances that they state; and the first one that only may be one."""

    places: frozenset[int] = frozenset()
    opening: Decimal | None = None
    closing: Decimal | None = None
    doubtful: int | None = None


def balances_among(
    rows: Sequence[Movement], *, opening: Decimal | None = None, closing: Decimal | None = None, sign: int = 1
) -> BalancesFound:
    """Find the rows of an account that state a balance or a sum and not a payment.

    Such a row has a label, and its amount is what the other rows make: with the other such rows, with the running
    balance, or with the stated `opening` and `closing`. `sign` is that of the other rows, as their amounts are written.

    >>> rows = [Movement(Decimal(1000), "BALANCE"), Movement(Decimal(-40)), Movement(Decimal(960), "BALANCE")]
    >>> found = balances_among(rows)
    >>> sorted(found.places), str(found.opening), str(found.closing)
    ([0, 2], '1000', '960')
    >>> balances_among([Movement(Decimal(-30), "HINT"), Movement(Decimal(-40))])
    BalancesFound(places=frozenset(), opening=None, closing=None, doubtful=None)
    >>> balances_among([Movement(Decimal(1000), "BALANCE"), Movement(Decimal(-40))]).doubtful
    0
    """
    labelled = [place for place, row in enumerate(rows) if row.label]
    if not labelled:
        has_none = opening is closing is None and all(row.balance is None for row in rows)
        return BalancesFound(doubtful=unnamed([row.amount for row in rows]) if has_none else None)
    if opening is not None and closing is not None and opening + sum(row.amount for row in rows) == closing:
        return BalancesFound()
    sums = _RunningSums(rows, sign)
    start = _start_of(rows, labelled, sums, opening, closing)
    balances = [place for place in labelled if start in sums.starts(place)] if start is not None else []
    is_shown = start is not None
    totals = [
        place for place in labelled if place not in balances and sums.is_total(place, is_shown=is_shown)
    ]
    places = frozenset((*balances, *totals))
    doubtful = next(
        (place for place in labelled if rows[place].label == "BALANCE" and place not in places), None
    )
    if start is None:
        return BalancesFound(places, doubtful=doubtful)
    return BalancesFound(places, start, start + sums.whole, doubtful)


class _RunningSums:
    """The sums of the rows without a label, up to each row; newest rows may come first."""

    def __init__(self, rows: Sequence[Movement], sign: int) -> None:
        self._rows = rows
        self.others = [sign * row.amount for row in rows if not row.label]
        amounts = [Decimal(0) if row.label else sign * row.amount for row in rows]
        days = [row.day for row in rows if row.day]
        self._is_newest_first = len(days) > 1 and days[0] > days[-1]
        self.whole = sum(amounts, Decimal(0))
        before = list(accumulate(amounts, initial=Decimal(0)))
        # The sum of what is older than a row.
        self._older = [self.whole - each for each in before[1:]] if self._is_newest_first else before[:-1]
        is_other = [place for place, row in enumerate(rows) if not row.label]
        self._first, self._last = (is_other[0], is_other[-1]) if is_other else (len(rows), -1)

    def older(self, place: int) -> Decimal:
        """Return the sum of the rows before a row in time."""
        return self._older[place]

    def starts(self, place: int) -> set[Decimal]:
        """Return the opening balances of the account with which this row states a balance."""
        row = self._rows[place]
        found = {row.amount - self._older[place]}
        # Balances without a day stand together at an end of the file.
        if row.day is None and row.end:
            return {row.amount if row.end == "OPENING" else row.amount - self.whole}
        if row.day is None:
            found |= {row.amount, row.amount - self.whole}
        return found

    def is_total(self, place: int, *, is_shown: bool) -> bool:
        """Return whether a row is the sum of the others; a name that may be a payee's needs balances that add up."""
        if self._rows[place].label == "BALANCE" or not (is_shown or self._rows[place].label == "SUM"):
            return False
        if not is_shown and len(self.others) < _TWO:
            return False
        return abs(self._rows[place].amount) in totals_of(self.others)


def totals_of(amounts: Iterable[Decimal]) -> set[Decimal]:
    """Return the sums that a statement states of amounts: all, those in, those out, without their signs."""
    listed = list(amounts)
    into = sum((each for each in listed if each > 0), Decimal(0))
    out = sum((each for each in listed if each < 0), Decimal(0))
    return {abs(into + out), into, -out}


def _start_of(
    rows: Sequence[Movement],
    labelled: Sequence[int],
    sums: _RunningSums,
    opening: Decimal | None,
    closing: Decimal | None,
) -> Decimal | None:
    """Return the opening balance that two labels agree on, or a label and another balance of the file."""
    votes: Counter[Decimal] = Counter(start for place in labelled for start in sums.starts(place))
    known = {
        each for each in (opening, None if closing is None else closing - sums.whole) if each is not None
    }
    known |= {
        row.balance - sums.older(place) - row.amount
        for place, row in enumerate(rows)
        if row.balance is not None and not row.label
    }
    for start, count in votes.most_common():
        agreeing = [place for place in labelled if start in sums.starts(place)]
        is_label = any(rows[place].label == "BALANCE" for place in agreeing)
        moves = len({sums.older(place) for place in agreeing}) > 1
        if start in known or (count > 1 and (is_label or moves)):
            return start
    return None


def unnamed(amounts: Sequence[Decimal]) -> int | None:
    """Return the place of an amount at an end that all others make, as a balance without a known name, or None."""
    if len(amounts) < _FEWEST_UNNAMED:
        return None
    for ordered, last in ((amounts, len(amounts) - 1), (amounts[::-1], 0)):
        first, *middle, end = ordered
        for cut in range(min(_MOST_SUMS, len(middle) - 1)):
            lines = middle[: len(middle) - cut]
            are_sums = all(abs(each) in totals_of(lines) for each in middle[len(middle) - cut :])
            moves = bool(first) and first != end
            if moves and len(lines) >= _TWO and first + sum(lines) == end and are_sums:
                return last
    return None


def _set_aside(statement: Statement, *, may_ask: bool) -> tuple[Statement, list[SkippedRow]]:
    """Return a statement without the lines that state balances, and these; raises MappingNeededError if unclear."""
    labels = [label_of(line.description) for line in statement.lines]
    opening = None if statement.opening is None else statement.opening.amount
    closing = None if statement.closing is None else statement.closing.amount
    is_whole = opening is not None and closing is not None
    if not any(labels) and (opening is not None or closing is not None or not may_ask):
        return statement, []
    rows = [
        Movement(line.amount, label, line.booked_on)
        for line, label in zip(statement.lines, labels, strict=True)
    ]
    found = balances_among(rows, opening=opening, closing=closing)
    if found.doubtful is not None and may_ask and not is_whole:
        line = statement.lines[found.doubtful]
        raise unclear(line.row, line.description, "description")
    if not found.places:
        return statement, []
    kept = tuple(line for place, line in enumerate(statement.lines) if place not in found.places)
    gone = [statement.lines[place] for place in sorted(found.places)]
    days = [line.booked_on for line in statement.lines]
    return replace(
        statement,
        lines=kept,
        opening=statement.opening or _balance(found.opening, min(days)),
        closing=statement.closing or _balance(found.closing, max(days)),
    ), [_skipped(line, REASON) for line in gone]


def without_balances(bank_file: BankFile, left_out: frozenset[str] | None, *, may_ask: bool) -> BankFile:
    """Return a file without the lines that state balances, and without those that a mapping leaves out.

    `left_out` are descriptions; an empty set says that all lines are payments. With `may_ask`, a line that only may
    state a balance raises MappingNeededError.
    """
    statements, skipped = [], list(bank_file.skipped)
    for each in bank_file.statements:
        statement, gone = each, list[SkippedRow]()
        if left_out:
            kept = tuple(line for line in each.lines if line.description.casefold() not in left_out)
            gone = [
                _skipped(line, LEFT_OUT) for line in each.lines if line.description.casefold() in left_out
            ]
            statement = replace(each, lines=kept)
        if left_out is None or left_out:
            statement, stated = _set_aside(statement, may_ask=may_ask)
            gone += stated
        statements.append(statement)
        skipped += gone
    if len(skipped) == len(bank_file.skipped):
        return bank_file
    skipped.sort(key=lambda row: row.row)
    return replace(bank_file, statements=tuple(statements), skipped=tuple(skipped))


def _skipped(line: FileLine, reason: str) -> SkippedRow:
    return SkippedRow(line.row, line.description, reason)


def _balance(amount: Decimal | None, day: date) -> StatedBalance | None:
    return None if amount is None else StatedBalance(amount, day)


def unclear(row: int, text: str, column: object) -> MappingNeededError:
    """Return the question about a row that may state a balance; the answer is `leaveOut` of the mapping."""
    return MappingNeededError(
        f"Row {row:,} ({quoted(text)}) may be a balance and not a payment; name the rows to leave out in a mapping, as"
        " leaveOut, with an empty list where all are payments.",
        "leaveOut",
        row=row,
        example=text,
        leaveOut=[column, [text]],
    )
