"""The builder of one OFX statement: its account, balance, lines and warnings."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal

from webapp.importers.bank_files import FileLine, FileRefusedError, StatedBalance, Statement
from webapp.importers.ofx.lines import Fields, first
from webapp.importers.ofx.values import instant, is_no_day
from webapp.importers.texts import account_label, quoted
from webapp.importers.values import amount, day
from webapp.ledger.currencies import UnknownCurrencyError, canonical

_MAX_NUMBER: Final = 255
_NO_CURRENCY: Final = frozenset({"", "NONE", "NULL", "XXX"})


class OfxStatementBuilder:
    """Collects the aggregates of one statement and builds a Statement."""

    def __init__(self, name: str) -> None:
        """Begin the statement in the aggregate `name`."""
        self.kind: Literal["BANK", "CARD"] = "CARD" if name == "CCSTMTRS" else "BANK"
        self.lines: list[FileLine] = []
        self.has_list = False
        self.securities = 0
        self._number: str | None = None
        self._currency: str | None = None
        self._balances: list[StatedBalance] = []
        self._symbols: Counter[str] = Counter()
        self._undated = False

    def name_account(self, aggregate: str, fields: Fields) -> None:
        """Set the account's number; the bank's number is not part of it."""
        number = first(fields, ["ACCTID"])
        if number and len(number) > _MAX_NUMBER:
            raise FileRefusedError(f"An ACCTID is longer than {_MAX_NUMBER} characters; the file is damaged.")
        if self._number and number and number != self._number:
            both = f"{quoted(self._number)} and {quoted(number)}"
            raise FileRefusedError(f"One statement has two accounts, {both}; the file is damaged.")
        self._number = self._number or number
        if aggregate == "CCACCTFROM":
            self.kind = "CARD"

    def name_currency(self, text: str) -> None:
        """Set the currency of the account, a replaced code as its successor."""
        if text.upper() in _NO_CURRENCY:
            return
        try:
            currency = canonical(text)
        except UnknownCurrencyError:
            raise FileRefusedError(f"CURDEF is not an ISO 4217 currency: {quoted(text)}.") from None
        if self._currency not in {None, currency}:
            raise FileRefusedError(
                f"One statement is in two currencies, {self._currency} and {currency}; the file is damaged."
            )
        self._currency = currency

    def add_balance(self, fields: Fields) -> None:
        """Add a ledger balance; a missing or empty one is unknown, never zero."""
        stated = first(fields, ["BALAMT"])
        if stated is None:
            return
        size = amount(stated)
        if size is None:
            raise FileRefusedError(f"The BALAMT of a LEDGERBAL is not an amount: {quoted(stated)}.")
        as_of = first(fields, ["DTASOF"]) or ""
        self._undated = self._undated or not (day(as_of) or is_no_day(as_of))
        self._balances.append(StatedBalance(size, day(as_of), instant(as_of)))

    def add_line(self, line: FileLine, fields: Fields) -> None:
        """Add a line, and count the currency that it names."""
        self.lines.append(line)
        if symbol := first(fields, ["CURRENCY.CURSYM"]):
            self._symbols[symbol.upper()] += 1

    def build(self, institution: str | None) -> Statement:
        """Build the statement; raises FileRefusedError if it is empty."""
        if not (self.has_list or self.lines or self._balances or (self._number and self._currency)):
            raise FileRefusedError(
                "A statement in the file has neither an account nor lines; the file is damaged."
            )
        self._currency = self._currency or self._currency_of_all_lines()
        return Statement(
            external_id=self._number,
            currency=self._currency,
            lines=tuple(self.lines),
            kind=self.kind,
            institution=institution,
            closing=max(self._balances, key=lambda balance: balance.sort_key, default=None),
        )

    def _currency_of_all_lines(self) -> str | None:
        """Return the currency of all lines, for a statement that names none."""
        (symbol, count), *others = self._symbols.most_common() or [("", 0)]
        if others or not count or count < len(self.lines):
            return None
        try:
            return canonical(symbol)
        except UnknownCurrencyError:
            return None

    def warnings(self) -> Iterator[str]:
        """Warnings for the user about how the statement was read."""
        account = account_label(self._number)
        if self.securities:
            yield f"{account}: securities trades are not imported ({self.securities:,}), only cash lines are."
        if self._undated:
            yield f"{account}: the date of the ledger balance is unreadable, so the balance is not used."
        # By the specification such amounts are in the other currency, yet banks mean it as a remark: their
        # balances and amounts are in the currency of the account.
        if foreign := self._symbols.keys() - {self._currency or ""}:
            yield (
                f"{account}: some lines name another currency ({', '.join(sorted(foreign)[:3])});"
                f" their amounts were read in {self._currency or 'that of the account'}."
            )
