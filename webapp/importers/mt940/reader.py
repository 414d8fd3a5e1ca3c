"""The reader of MT940, SWIFT's bank statement, with or without an envelope, in the dialects of many banks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from webapp.importers.bank_files import (
    MAX_LINES,
    BankFile,
    FileLine,
    FileRefusedError,
    StatedBalance,
    Statement,
)
from webapp.importers.decoding import decode, opening
from webapp.importers.mt940.fields import Mt940Field, fields, line
from webapp.importers.mt940.values import balance, is_lost_entry
from webapp.importers.texts import account_label, refuse_too_large, refuse_too_many_lines

_TAG: Final = re.compile(rb"(?:^|[\r\n]|@@|\{4:)[ \t]*:(20|25P?|28C?|60[FM]|61|62[FM]):")
_FEWEST_TAGS: Final = 3
_MAX_NUMBER: Final = 255
_MAX_WARNINGS: Final = 20
_MAX_PAGES: Final = 10_000
# Fields that are read; any other one with the content of a line is a line with a damaged tag.
_READ: Final = frozenset({"20", "25", "25P", "60F", "60M", "61", "62F", "62M", "86", "NS"})


def recognises(data: bytes) -> bool:
    """Return whether the bytes begin like MT940, by the tags at the start of lines."""
    return len(set(_TAG.findall(opening(data)))) >= _FEWEST_TAGS


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:  # noqa: ARG001
    """Read a whole MT940 file, or raise FileRefusedError; `mapping` is not used."""
    refuse_too_large(data)
    text = decode(data)
    refuse_too_many_lines(text)
    # Counted before anything is parsed: a hundred thousand lines take seconds.
    if text.count(":61:") > MAX_LINES:
        raise FileRefusedError(f"The file has more than {MAX_LINES:,} lines; export it in shorter periods.")
    parser = Mt940Parser()
    for each in fields(text):
        parser.feed(each)
    return parser.finish(may_lack_closing=text.endswith(("\n", "\r")) and "{4:" not in text)


@dataclass(slots=True)
class _StatementPage:
    """One message of a file: usually a statement, sometimes one page of a statement."""

    has_reference: bool = False
    number: str | None = None
    currency: str | None = None
    opening: StatedBalance | None = None
    closing: StatedBalance | None = None
    continues_on_next: bool = False
    continues_previous: bool = False
    is_report: bool = False
    is_ended: bool = False
    lines: list[FileLine] = field(default_factory=list)

    @property
    def is_begun(self) -> bool:
        """Whether the page has content."""
        return bool(self.has_reference or self.number or self.opening or self.closing or self.lines)

    @property
    def is_complete(self) -> bool:
        """Whether the end of the page was read."""
        return bool(self.closing or self.is_ended)

    @property
    def account(self) -> str:
        """The account, as the beginning of a sentence."""
        return account_label(self.number)


class Mt940Parser:
    """Builds a bank file from the fields of an MT940 file."""

    def __init__(self) -> None:
        """Begin with an empty file."""
        self._pages: list[_StatementPage] = []
        self._page = _StatementPage()
        self._entry: Mt940Field | None = None
        self._texts: list[str] = []
        self._notes: list[str] = []
        self._rows = 0
        self._warnings: list[str] = []

    def feed(self, field: Mt940Field) -> None:
        """Add the next field; raises FileRefusedError as soon as the file cannot be valid."""
        _refuse_lost_line(field)
        if self._entry and field.tag in {"86", "NS"}:
            (self._texts if field.tag == "86" else self._notes).extend(field.lines)
            return
        self._end_entry()
        value = field.lines[0].strip() if field.lines else ""
        match field.tag:
            case "20":
                self._next_page()
                self._page.has_reference = True
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

    def finish(self, *, may_lack_closing: bool) -> BankFile:
        """Return the file after its last field.

        Some banks leave the closing balance out, and then only the file's last characters show that it is
        complete: `may_lack_closing`. Raises FileRefusedError for a truncated file or one without a statement.
        """
        self._end_entry()
        self._next_page()
        if not self._pages:
            raise FileRefusedError("The file has no statement.")
        last = self._pages[-1]
        should_have_closing = any(page.closing for page in self._pages) or not (last.lines or last.opening)
        if not all(page.is_complete for page in self._pages) and (
            should_have_closing or not may_lack_closing
        ):
            raise FileRefusedError(
                "The file is cut off before its end (:62F:, the closing balance, is missing); download it again."
            )
        for page in self._pages:
            self._check(page)
        statements = tuple(_statement(page) for page in _statement_pages(self._pages))
        return BankFile("mt940", statements, tuple(dict.fromkeys(self._warnings))[:_MAX_WARNINGS])

    def _next_page(self) -> None:
        """Begin a new page, unless the current one is empty."""
        if self._page.is_begun:
            self._pages.append(self._page)
            self._page = _StatementPage()
        if len(self._pages) > _MAX_PAGES:
            raise FileRefusedError("The file has too many statements; export them separately.")

    def _name_account(self, field: Mt940Field, number: str) -> None:
        if len(number) > _MAX_NUMBER:
            raise FileRefusedError(f"An account's number is longer than {_MAX_NUMBER} characters.")
        if self._page.number is not None:
            if self._page.lines and not self._page.is_complete:
                raise _field_error(
                    field, FileRefusedError("an account begins before the previous one has ended.")
                )
            self._next_page()
        self._page.number = number

    def _begin(self, field: Mt940Field, value: str) -> None:
        # A second opening balance without a :20: begins the next statement of the same account.
        if self._page.opening or self._page.closing or self._page.lines:
            number = self._page.number
            self._next_page()
            self._page.number = number
        self._page.opening = self._balance(field, value)
        self._page.continues_previous = field.tag == "60M"

    def _close(self, field: Mt940Field, value: str) -> None:
        # Some systems write null for an unknown balance; it still ends the statement.
        if "null" in value:
            self._page.is_ended = True
            return
        self._page.closing = self._balance(field, value)
        self._page.continues_on_next = field.tag == "62M"

    def _balance(self, field: Mt940Field, value: str) -> StatedBalance:
        try:
            stated, currency = balance(value)
        except FileRefusedError as refusal:
            raise _field_error(field, refusal) from None
        if currency and self._page.currency not in {None, currency}:
            self._warnings.append(
                f"{self._page.account}: a balance is stated in {currency}; it was read in {self._page.currency}."
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
            raise _field_error(self._entry, refusal) from None
        self._page.lines.append(entry)
        self._entry, self._texts, self._notes = None, [], []

    def _check(self, page: _StatementPage) -> None:
        if page.is_report and not (page.opening or page.closing):
            raise FileRefusedError("The file is an intraday report (MT942); download the statement (MT940).")
        if not (page.opening or page.closing or page.lines):
            raise FileRefusedError("A statement in the file has neither balances nor lines; it is damaged.")
        if not page.closing:
            self._warnings.append(
                f"{page.account}: the file states no closing balance, so it is unknown whether lines are missing."
            )


def _refuse_lost_line(field: Mt940Field) -> None:
    """Refuse a field that contains a statement line with a damaged tag."""
    first, *others = field.lines or [""]
    is_lost = field.tag not in _READ and is_lost_entry(first, is_text=False)
    if is_lost or (others and any(is_lost_entry(text, is_text=True) for text in others)):
        raise _field_error(field, FileRefusedError("it contains a line whose tag (:61:) is damaged."))


def _field_error(field: Mt940Field, refusal: FileRefusedError) -> FileRefusedError:
    return FileRefusedError(f"Line {field.line:,} of the file (:{field.tag}:): {refusal.message}")


def _statement_pages(pages: list[_StatementPage]) -> list[_StatementPage]:
    """Join the pages of a statement: the next opens (:60M:) with the closing balance of the previous one (:62M:)."""
    statements: list[_StatementPage] = []
    for page in pages:
        previous = statements[-1] if statements else None
        if (
            previous
            and previous.continues_on_next
            and page.continues_previous
            and (previous.number, previous.currency) == (page.number, page.currency)
            and previous.closing
            and page.opening
            and previous.closing.amount == page.opening.amount
        ):
            previous.lines += page.lines
            previous.closing, previous.continues_on_next = page.closing, page.continues_on_next
        else:
            statements.append(page)
    return statements


def _statement(page: _StatementPage) -> Statement:
    return Statement(
        external_id=page.number,
        currency=page.currency,
        lines=tuple(page.lines),
        opening=page.opening,
        closing=page.closing,
    )
