"""The builder of one CAMT statement: its account, balances and lines."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from webapp.importers.bank_files import FileLine, FileRefusedError, SkippedRow, StatedBalance, Statement
from webapp.importers.camt.entries import entry_line, is_empty, unmoved_state
from webapp.importers.camt.values import currency, signed_amount, stated_currency
from webapp.importers.texts import account_label, joined, quoted
from webapp.importers.values import day, utc_time
from webapp.importers.xml_records import XmlRecord

_MAX_NUMBER: Final = 255
_MAX_NAMED: Final = 200
_NUMBERS: Final = ("Id/Othr/Id", "Id/BBAN", "Id/UPIC", "Id/PrtryAcct/Id")
_OPENING: Final = ("OPBD", "PRCD")
_CLOSING: Final = ("CLBD",)
# What a statement, a report or a notification has beside its account, its balances and its entries.
_OTHERS: Final = frozenset(
    {"Id", "StmtPgntn", "RptPgntn", "NtfctnPgntn", "ElctrncSeqNb", "RptgSeq", "LglSeqNb", "CreDtTm", "FrToDt"}
    | {"CpyDplctInd", "RptgSrc", "RltdAcct", "Intrst", "TxsSummry"}
    | {"AddtlStmtInf", "AddtlRptInf", "AddtlNtfctnInf"}
)
_DIRECTION: Final = "CdtDbtInd"


class _CodedBalance(NamedTuple):
    code: str
    currency: str | None
    stated: StatedBalance


class CamtStatementBuilder:
    """Collects the elements of one statement and builds a Statement per currency."""

    def __init__(self) -> None:
        """Begin with an empty statement."""
        self.skipped: list[SkippedRow] = []
        self._number: str | None = None
        self._name: str | None = None
        self._institution: str | None = None
        self._currency: str | None = None
        self._balances: list[_CodedBalance] = []
        self._undirected: list[str] = []
        self._unread: Counter[str] = Counter()
        self._lines: dict[str | None, list[FileLine]] = {}

    def add(self, record: XmlRecord) -> None:
        """Add an account or a balance; raises FileRefusedError for an element that may be an entry."""
        if record.name == "Acct":
            self._name_account(record)
        elif record.name == "Bal":
            self._add_balance(record)
        elif record.name not in _OTHERS:
            if any(path.rpartition("/")[2] == _DIRECTION for path in record.fields):
                raise FileRefusedError(
                    f"Line {record.line:,} of the file has money in an element that no statement has,"
                    f" {quoted(record.name)}; it is damaged, download it again."
                )
            self._unread[record.name] += 1

    def add_entry(self, entry: XmlRecord, row: int) -> None:
        """Add an entry as a line; raises FileRefusedError if it is incomplete."""
        if is_empty(entry):
            self.skipped.append(SkippedRow(row, "<Ntry>", "It is empty."))
            return
        try:
            if state := unmoved_state(entry):
                text = joined(entry.values("BookgDt/Dt", "BookgDt/DtTm", "CdtDbtInd", "Amt", "AddtlNtryInf"))
                reason = f"Its status at the bank is {quoted(state)}: no money was moved."
                self.skipped.append(SkippedRow(row, text, reason))
                return
            line, own = entry_line(entry, row=row, number=self._number), currency(entry)
        except FileRefusedError as refusal:
            raise FileRefusedError(
                f"Entry {row:,} (line {entry.line:,} of the file): {refusal.message}"
            ) from None
        self._lines.setdefault(own, []).append(line)

    def build(self) -> Iterator[Statement]:
        """Build the statement, or one per currency if its entries have several."""
        currencies = self._currencies()
        if not (self._number or self._balances or self._undirected or self._lines):
            raise FileRefusedError(
                "A statement in the file has neither an account nor entries; the file is damaged."
            )
        for own in currencies:
            is_main = own == currencies[0]
            lines = [*self._lines.get(own, ()), *(self._lines.get(None, ()) if own and is_main else ())]
            openings = self._balances_of(_OPENING, own, is_main=is_main)
            # Of two on one day the last one is the closing balance.
            closings = self._balances_of(_CLOSING, own, is_main=is_main)[::-1]
            yield Statement(
                external_id=self._number,
                currency=own,
                lines=tuple(sorted(lines, key=lambda line: line.row)),
                name=self._name,
                institution=self._institution,
                opening=min(openings, key=lambda balance: balance.sort_key, default=None),
                closing=max(closings, key=lambda balance: balance.sort_key, default=None),
            )

    def warnings(self) -> Iterator[str]:
        """Warnings for the user about how the statement was read."""
        account = account_label(self._number)
        main, *others = self._currencies()
        if self._undirected:
            codes = ", ".join(dict.fromkeys(self._undirected))
            yield f"{account}: balances ({codes}) have no direction (CdtDbtInd), and are not used."
        if self._unread:
            named = ", ".join(f"{quoted(name)} ({count:,})" for name, count in sorted(self._unread.items()))
            yield f"{account}: the statement has elements that are not read: {named[:_MAX_NAMED]}."
        if others:
            yield f"{account}: its entries are in {len(others) + 1} currencies; each becomes an account of its own."
        for balance in self._balances:
            if balance.code in (*_OPENING, *_CLOSING) and balance.currency not in {None, main, *others}:
                yield (
                    f"{account}: a balance is stated in {balance.currency}; it was read in {main}, the currency of the"
                    " entries."
                )

    def _name_account(self, account: XmlRecord) -> None:
        number = (account.value("Id/IBAN") or "").replace(" ", "") or account.value(*_NUMBERS)
        if number and len(number) > _MAX_NUMBER:
            raise FileRefusedError(f"An account's number is longer than {_MAX_NUMBER} characters.")
        if self._number and number and number != self._number:
            both = f"{quoted(self._number)} and {quoted(number)}"
            raise FileRefusedError(f"One statement has two accounts, {both}; the file is damaged.")
        self._number = self._number or number
        self._name = self._name or account.value("Nm")
        self._currency = self._currency or stated_currency(account.value("Ccy") or "")
        self._institution = account.value("Svcr/FinInstnId/Nm", "Svcr/FinInstnId/CmbndId/Nm")

    def _add_balance(self, balance: XmlRecord) -> None:
        code = balance.value("Tp/CdOrPrtry/Cd", "Tp/Cd")
        # Interim balances are those of one page of the statement.
        if code not in (*_OPENING, *_CLOSING) or balance.value("Tp/SubTp/Cd", "SubTp/Cd") == "INTM":
            return
        if balance.value(_DIRECTION) is None:
            # One exporter leaves it out of balances; the direction of the lines does not depend on it.
            self._undirected.append(code)
            return
        try:
            amount, own = signed_amount(balance), currency(balance)
        except FileRefusedError as refusal:
            raise FileRefusedError(
                f"A balance ({code}, line {balance.line:,} of the file): {refusal.message}"
            ) from None
        as_of = balance.value("Dt/DtTm", "Dt/Dt", "Dt") or ""
        self._balances.append(_CodedBalance(code, own, StatedBalance(amount, day(as_of), utc_time(as_of))))

    def _currencies(self) -> list[str | None]:
        """Return the currencies of the statement, the account's currency first."""
        stated = (balance.currency for balance in self._balances)
        mains = (self._currency, *self._lines, *stated)
        main = next(filter(None, mains), None)
        return list(dict.fromkeys([main, *filter(None, self._lines)]))

    def _balances_of(self, codes: tuple[str, ...], own: str | None, *, is_main: bool) -> list[StatedBalance]:
        """Return the balances of the first code with any, the statement's own currency first."""
        for code in codes:
            stated = [balance for balance in self._balances if balance.code == code]
            exact = [balance for balance in stated if balance.currency in {own, None}]
            if exact or (stated and is_main):
                return [balance.stated for balance in exact or stated]
        return []
