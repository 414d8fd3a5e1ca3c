"""The reader of OFX: 1.x in SGML, 2.x in XML, QFX; bank and card accounts, and the cash of securities accounts.

The parser assigns each tag to its statement, account, balance or transaction. Aggregates (elements that contain
others) are recognised by name; every other tag is a field of the innermost open aggregate, whether or not it is
closed itself. An aggregate ends with its closing tag, with the closing tag of an outer one, or where the next of
its kind begins, since no aggregate contains its own kind.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from webapp.importers.bank_files import MAX_LINES, BankFile, FileRefusedError, SkippedRow, Statement
from webapp.importers.decoding import decode, opening
from webapp.importers.ofx.lines import AMOUNT, Fields, first, line
from webapp.importers.ofx.sgml import Tag, tags
from webapp.importers.ofx.statements import OfxStatementBuilder
from webapp.importers.ofx.values import charsets
from webapp.importers.texts import quoted, refuse_too_large

_FIRST_TAG: Final = re.compile(rb"<(?:[\w.-]{1,20}:)?OFX[\s>/]|\bOFXHEADER\b", re.IGNORECASE)
# STMTTRNRS is the answer around a statement, not a line.
_LINE: Final = re.compile(r"<(?:[\w.-]{1,20}:)?STMTTRN(?!RS)", re.IGNORECASE)
_MAX_STATEMENTS: Final = 10_000
_MAX_WARNINGS: Final = 20
_MAX_VALUES: Final = 20
# OFX allows 255 characters in its longest field; longer texts are cut, longer numbers are refused when read.
_MAX_TEXT: Final = 4_000

# Aggregates of one kind close each other: some banks write <CCSTMTRS> … </STMTRS>.
_STRUCTURE: Final = {
    "OFX": "OFX",
    "STMTRS": "statement",
    "CCSTMTRS": "statement",
    "INVSTMTRS": "statement",
    "BANKACCTFROM": "account",
    "CCACCTFROM": "account",
    "INVACCTFROM": "account",
    "BANKTRANLIST": "list",
    "BANKTRANLISTP": "list",
    "INVTRANLIST": "list",
    "STMTTRN": "transaction",
    "STMTTRNP": "transaction",
    "LEDGERBAL": "balance",
}
# These may also be a plain field with a text. Each is listed with the fields that it can contain: any other field
# ends it, because its opening tag may have been an empty field.
_PARTS: Final = {
    "SONRS": frozenset[str](),
    "FI": frozenset({"ORG"}),
    "STATUS": frozenset({"CODE", "SEVERITY", "MESSAGE"}),
    "ACCTINFO": frozenset[str](),
    "AVAILBAL": frozenset({"BALAMT", "DTASOF"}),
    "BAL": frozenset({"NAME", "DTASOF"}),
    "INVTRAN": frozenset({"FITID", "MEMO"}),
    "PAYEE": frozenset({"NAME"}),
    "EXTDPAYEE": frozenset({"NAME"}),
    "CURRENCY": frozenset({"CURRATE", "CURSYM"}),
    "ORIGCURRENCY": frozenset({"CURRATE", "CURSYM"}),
    "BANKACCTTO": frozenset({"ACCTID"}),
    "CCACCTTO": frozenset({"ACCTID"}),
}
_KINDS: Final = {**_STRUCTURE, **{name: name for name in _PARTS}}
_FIELDS: Final = frozenset[str]().union(
    *_PARTS.values(),
    {"CURDEF", "TRNTYPE", "DTPOSTED", "DTTRAN", "DTAVAIL", "TRNAMT", "CHECKNUM", "REFNUM"},
    {"EXTDNAME", "PAYEE", "CORRECTACTION", "CORRECTFITID"},
)
# Fields whose line breaks are folded; numbers are kept exactly as sent.
_TEXTS: Final = frozenset({"NAME", "MEMO", "EXTDNAME", "PAYEE", "MESSAGE", "ORG"})
_OF_A_TRANSACTION: Final = frozenset({AMOUNT, "DTPOSTED"})
_AROUND_TRANSACTIONS: Final = frozenset({"statement", "list", "account", "balance"})
# A list of bank transactions has no other fields than its first and last day; one of securities has trades.
_BANK_LISTS: Final = frozenset({"BANKTRANLIST", "BANKTRANLISTP"})
_OF_A_LIST: Final = frozenset({"DTASOF"})
# Text directly in these is the rest of a line whose tags are lost.
_WITHOUT_TEXT: Final = frozenset({"transaction", "list"})


def recognises(data: bytes) -> bool:
    """Return whether the bytes begin like OFX, with or without its header, in one or two bytes per character."""
    return bool(_FIRST_TAG.search(opening(data)))


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> BankFile:  # noqa: ARG001
    """Read a whole OFX file, or raise FileRefusedError; `mapping` is not used."""
    refuse_too_large(data)
    text = decode(data, charsets(data))
    # Counted before anything is parsed: a hundred thousand lines take seconds.
    if sum(1 for _ in _LINE.finditer(text)) > MAX_LINES:
        raise FileRefusedError(f"The file has more than {MAX_LINES:,} lines; export it in shorter periods.")
    parser = OfxParser(text)
    for tag in tags(text):
        parser.feed(tag)
    return parser.finish()


@dataclass(slots=True)
class _Aggregate:
    """An open aggregate with its fields so far; with `has_others` it also has fields that are of no use."""

    name: str
    kind: str
    offset: int
    fields: dict[str, list[str]] = field(default_factory=dict)
    has_others: bool = False

    def add(self, name: str, value: str) -> None:
        text = " ".join(value[:_MAX_TEXT].split()) if name in _TEXTS else value[:_MAX_TEXT]
        values = self.fields.setdefault(name, [])
        if (text not in values or name == AMOUNT) and len(values) < _MAX_VALUES:
            values.append(text)


def _fields_of(aggregate: str) -> frozenset[str]:
    return _PARTS.get(aggregate, _FIELDS)


class OfxParser:
    """Builds a bank file from the tags of an OFX file."""

    def __init__(self, text: str) -> None:
        """Begin with an empty file; `text` is used for line numbers in messages."""
        self._text = text
        self._open: list[_Aggregate] = []
        self._statement: OfxStatementBuilder | None = None
        self._institution: str | None = None
        self._rows = 0
        self._is_answer = False
        self._statements: list[Statement] = []
        self._warnings: list[str] = []
        self._skipped: list[SkippedRow] = []

    def feed(self, tag: Tag) -> None:
        """Add the next tag; raises FileRefusedError as soon as the file cannot be valid."""
        kind = _KINDS.get(tag.name)
        if tag.value and kind in _WITHOUT_TEXT and self._open:
            self._refuse_text(tag)
        if tag.closes:
            if kind and self._open:
                self._end(tag, kind)
        elif kind and (not tag.value or tag.name in _STRUCTURE):
            self._begin(tag, kind)
        elif tag.value and self._open:
            if tag.name in _FIELDS:
                self._add_field(tag)
            else:
                self._open[-1].has_others = True

    def finish(self) -> BankFile:
        """Return the file after its last tag; raises FileRefusedError if it is truncated or has no statement."""
        if self._open:
            raise FileRefusedError(
                "The file is cut off before its end (</OFX> is missing); download it again."
            )
        if not self._statements and not self._is_answer:
            raise FileRefusedError("The file has neither a statement nor a response of the bank.")
        if not self._statements and not self._warnings:
            self._warn("The file has no statement, so there is nothing to import.")
        return BankFile("ofx", tuple(self._statements), tuple(self._warnings), tuple(self._skipped))

    def _refuse_text(self, tag: Tag) -> None:
        # A file that is cut off within a tag ends in a piece of it.
        if text := tag.value.partition("<")[0].strip():
            raise self._damage(tag, f"has text that belongs to no field, {quoted(text)}")

    def _begin(self, tag: Tag, kind: str) -> None:
        if kind == "OFX" and self._open:
            raise FileRefusedError(
                "The file is cut off and begins again (<OFX> appears twice); download it again."
            )
        if kind != "OFX" and not self._open:
            return
        if self._is_open(kind):
            self._end_down_to(kind)
        self._open.append(_Aggregate(tag.name, kind, tag.offset))
        if kind == "statement":
            self._statement = OfxStatementBuilder(tag.name)
        elif kind == "list" and self._statement:
            self._statement.has_list = True
        elif kind == "INVTRAN" and self._statement:
            self._statement.securities += 1

    def _end(self, tag: Tag, kind: str) -> None:
        if self._is_open(kind):
            self._end_down_to(kind)
        elif tag.name in _STRUCTURE:
            raise self._damage(tag, f"ends a {tag.name} that never began")

    def _add_field(self, tag: Tag) -> None:
        innermost = self._open[-1]
        if innermost.name in _PARTS and tag.name not in _PARTS[innermost.name]:
            innermost = next(around for around in reversed(self._open) if tag.name in _fields_of(around.name))
        is_lost = tag.name in _OF_A_TRANSACTION and innermost.kind in _AROUND_TRANSACTIONS
        if is_lost or (innermost.name in _BANK_LISTS and tag.name not in _OF_A_LIST):
            raise self._damage(tag, f"has a {tag.name} outside of any transaction")
        if tag.name == "CURDEF" and self._statement:
            self._statement.name_currency(tag.value)
        else:
            innermost.add(tag.name, tag.value)

    def _is_open(self, kind: str) -> bool:
        return any(aggregate.kind == kind for aggregate in self._open)

    def _end_down_to(self, kind: str) -> None:
        while self._open:
            ended = self._open.pop()
            self._finish_aggregate(ended)
            if ended.kind == kind:
                return

    def _finish_aggregate(self, ended: _Aggregate) -> None:
        match ended.kind:
            case "transaction":
                self._end_transaction(ended)
            case "statement":
                self._end_statement()
            case "account" if self._statement and not self._is_open("transaction"):
                self._statement.name_account(ended.name, ended.fields)
            case "balance" if self._statement:
                self._statement.add_balance(ended.fields)
            case "FI" | "OFX":
                self._institution = first(ended.fields, ["ORG"])
            case "STATUS":
                self._end_status(ended.fields)
            case "ACCTINFO":
                self._is_answer = True
            case _ if self._is_open("transaction"):
                for name, values in ended.fields.items():
                    self._open[-1].add(f"{ended.name}.{name}", values[0])

    def _end_transaction(self, ended: _Aggregate) -> None:
        self._rows += 1
        if self._rows > MAX_LINES:
            raise FileRefusedError(
                f"The file has more than {MAX_LINES:,} lines; export it in shorter periods."
            )
        if not self._statement:
            raise self._transaction_error(ended, "it does not belong to a statement.")
        if not ended.fields and not ended.has_others:
            self._skip(f"<{ended.name}>", "It is empty.")
        elif (first(ended.fields, ["CORRECTACTION"]) or "").upper() == "DELETE":
            self._skip_deletion(ended.fields)
        else:
            pending = ended.name == "STMTTRNP" or any(around.name == "BANKTRANLISTP" for around in self._open)
            try:
                statement_line = line(ended.fields, row=self._rows, pending=pending)
            except FileRefusedError as refusal:
                raise self._transaction_error(ended, refusal.message) from None
            self._statement.add_line(statement_line, ended.fields)

    def _skip_deletion(self, fields: Fields) -> None:
        """Skip the bank's instruction to delete an earlier line."""
        identity = quoted(first(fields, ["CORRECTFITID", "FITID"]) or "")
        self._skip(identity, "With it the bank deletes an earlier line.")
        self._warn(f"The bank deleted its line {identity}; if it was imported before, void it.")

    def _end_statement(self) -> None:
        if self._statement:
            self._statements.append(self._statement.build(self._institution))
            for sentence in self._statement.warnings():
                self._warn(sentence)
        self._statement = None
        if len(self._statements) > _MAX_STATEMENTS:
            raise FileRefusedError(
                f"The file has more than {_MAX_STATEMENTS:,} statements; export them separately."
            )

    def _end_status(self, fields: Fields) -> None:
        self._is_answer = True
        code = first(fields, ["CODE"]) or "0"
        if code.strip("0") and (first(fields, ["SEVERITY"]) or "ERROR").upper() == "ERROR":
            message = first(fields, ["MESSAGE"]) or "no message"
            self._warn(f"The bank answered with an error: {message.rstrip('.')} (code {code}).")

    def _skip(self, text: str, reason: str) -> None:
        self._skipped.append(SkippedRow(self._rows, text, reason))

    def _warn(self, sentence: str) -> None:
        if sentence not in self._warnings and len(self._warnings) < _MAX_WARNINGS:
            self._warnings.append(sentence)

    def _transaction_error(self, transaction: _Aggregate, why: str) -> FileRefusedError:
        at = self._line_at(transaction.offset)
        return FileRefusedError(f"Transaction {self._rows:,} (line {at:,} of the file): {why}")

    def _damage(self, tag: Tag, what: str) -> FileRefusedError:
        return FileRefusedError(
            f"Line {self._line_at(tag.offset):,} of the file {what}; it is damaged, download it again."
        )

    def _line_at(self, offset: int) -> int:
        return self._text.count("\n", 0, offset) + 1
