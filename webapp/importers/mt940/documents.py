"""An MT940 file as its fields come by: which statement and line each one belongs to, and whether it is whole."""

from dataclasses import dataclass, field
from typing import Final

from webapp.importers.bank_files import MAX_LINES, BankFile, FileRefusedError, Line, StatedBalance, Statement
from webapp.importers.mt940.fields import Field
from webapp.importers.mt940.lines import line
from webapp.importers.mt940.values import balance

_MAX_NUMBER: Final = 255
_MAX_WARNINGS: Final = 20
_MAX_PAGES: Final = 10_000


@dataclass(slots=True)
class _Page:
    """One message of a file, mostly a statement, at times a page of one."""

    is_named: bool = False
    number: str | None = None
    currency: str | None = None
    opening: StatedBalance | None = None
    closing: StatedBalance | None = None
    goes_on: bool = False
    continues: bool = False
    is_report: bool = False
    is_ended: bool = False
    lines: list[Line] = field(default_factory=list)

    @property
    def is_begun(self) -> bool:
        """Whether it says anything yet."""
        return bool(self.is_named or self.number or self.opening or self.closing or self.lines)

    @property
    def is_whole(self) -> bool:
        """Whether its end came by."""
        return bool(self.closing or self.is_ended)

    @property
    def whose(self) -> str:
        """The account, as a sentence begins."""
        return f"Account {self.number}" if self.number else "An account without a number"


class Document:
    """The bank file that grows out of the fields."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._pages: list[_Page] = []
        self._page = _Page()
        self._entry: Field | None = None
        self._texts: list[str] = []
        self._notes: list[str] = []
        self._rows = 0
        self._warnings: list[str] = []

    def take(self, field: Field) -> None:
        """Go on by one field; raises FileRefusedError as soon as the file cannot be sound."""
        if self._entry and field.tag in {"86", "NS"}:
            (self._texts if field.tag == "86" else self._notes).extend(field.lines)
            return
        self._end_entry()
        value = field.lines[0].strip() if field.lines else ""
        match field.tag:
            case "20":
                self._turn()
                self._page.is_named = True
            case "25" | "25P" if value:
                self._name_account(field, value)
            case "60F" | "60M":
                self._begin(field, value)
            case "61":
                self._entry = field
            case "62F" | "62M":
                self._close(field, value)
            case "64" | "65" | "65F" | "-":
                self._page.is_ended = True
            case "13" | "13D" | "34F" | "90C" | "90D":
                self._page.is_report = True

    def finished(self, *, may_end_anywhere: bool) -> BankFile:
        """Give the file, once all of its fields went by.

        A statement may lack its closing balance, as some banks' do, and then only its end tells that it is
        whole: `may_end_anywhere` says that the file ends as a whole one can. Raises FileRefusedError for one
        that does not, and where there is no statement.
        """
        self._end_entry()
        self._turn()
        if not self._pages:
            raise FileRefusedError("The file holds no statement.")
        last = self._pages[-1]
        is_odd = any(page.closing for page in self._pages) or not (last.lines or last.opening)
        if not all(page.is_whole for page in self._pages) and (is_odd or not may_end_anywhere):
            raise FileRefusedError(
                "The file breaks off before its end (:62F:, the closing balance, is missing); download it again."
            )
        for page in self._pages:
            self._check(page)
        statements = tuple(_statement(page) for page in _bound(self._pages))
        return BankFile("mt940", statements, tuple(dict.fromkeys(self._warnings))[:_MAX_WARNINGS])

    def _turn(self) -> None:
        """Go on to a new page, where this one says anything."""
        if self._page.is_begun:
            self._pages.append(self._page)
            self._page = _Page()
        if len(self._pages) > _MAX_PAGES:
            raise FileRefusedError("The file has more statements than any export; export them apart.")

    def _name_account(self, field: Field, number: str) -> None:
        if len(number) > _MAX_NUMBER:
            raise FileRefusedError(f"An account's number is longer than {_MAX_NUMBER} characters.")
        if self._page.number is not None:
            if self._page.lines and not self._page.is_whole:
                raise _refused(field, FileRefusedError("an account begins before the last one's end."))
            self._turn()
        self._page.number = number

    def _begin(self, field: Field, value: str) -> None:
        # Without a :20: between them, a second opening balance begins the next statement of the same account.
        if self._page.opening or self._page.closing or self._page.lines:
            number = self._page.number
            self._turn()
            self._page.number = number
        self._page.opening = self._balance(field, value)
        self._page.continues = field.tag == "60M"

    def _close(self, field: Field, value: str) -> None:
        # Some systems write null where they do not know their own balance; it still ends the statement.
        if "null" in value:
            self._page.is_ended = True
            return
        self._page.closing = self._balance(field, value)
        self._page.goes_on = field.tag == "62M"

    def _balance(self, field: Field, value: str) -> StatedBalance:
        try:
            stated, currency = balance(value)
        except FileRefusedError as refusal:
            raise _refused(field, refusal) from None
        if currency and self._page.currency not in {None, currency}:
            self._warnings.append(
                f"{self._page.whose}: a balance is stated in {currency}; it was read in {self._page.currency}."
            )
        self._page.currency = self._page.currency or currency
        return stated

    def _end_entry(self) -> None:
        if not self._entry:
            return
        self._rows += 1
        if self._rows > MAX_LINES:
            raise FileRefusedError(
                f"The file has more than {MAX_LINES:,} lines; export it in shorter periods."
            )
        try:
            entry = line(self._entry.lines, self._texts, self._notes, row=self._rows)
        except FileRefusedError as refusal:
            raise _refused(self._entry, refusal) from None
        self._page.lines.append(entry)
        self._entry, self._texts, self._notes = None, [], []

    def _check(self, page: _Page) -> None:
        if page.is_report and not (page.opening or page.closing):
            raise FileRefusedError(
                "The file is MT942, the bank's report of a day that is not over; download the statement, MT940."
            )
        if not (page.opening or page.closing or page.lines):
            raise FileRefusedError("A statement in the file has neither balances nor lines; it is damaged.")
        if not page.closing:
            self._warnings.append(
                f"{page.whose}: the file states no closing balance, so nothing tells whether its lines are all there."
            )


def _refused(field: Field, refusal: FileRefusedError) -> FileRefusedError:
    return FileRefusedError(f"Line {field.line:,} of the file (:{field.tag}:): {refusal.message}")


def _bound(pages: list[_Page]) -> list[_Page]:
    """The statements: pages of one follow each other, the next opening (:60M:) with what the last closed (:62M:)."""
    bound: list[_Page] = []
    for page in pages:
        before = bound[-1] if bound else None
        if (
            before
            and before.goes_on
            and page.continues
            and (before.number, before.currency) == (page.number, page.currency)
            and before.closing
            and page.opening
            and before.closing.amount == page.opening.amount
        ):
            before.lines += page.lines
            before.closing, before.goes_on = page.closing, page.goes_on
        else:
            bound.append(page)
    return bound


def _statement(page: _Page) -> Statement:
    return Statement(
        external_id=page.number,
        currency=page.currency,
        lines=tuple(page.lines),
        opening=page.opening,
        closing=page.closing,
    )
