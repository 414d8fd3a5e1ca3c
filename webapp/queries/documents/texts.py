"""Which documents have what was typed: an index of each three letters says where it may be."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from webapp.database.sessions import db
from webapp.database.tenancy import has_nodes, is_bound
from webapp.ledger.texts.finding import LEAST_PART, triples
from webapp.models import Document
from webapp.queries.common.search import contains, is_amount, sizes_typed

_SHORT: Final = (Document.number, Document.sender, Document.file_name)
_TEXTS: Final = (*_SHORT, Document.text)
# Stands before and behind an amount in minor units, and in no text.
_AMOUNT: Final = "\ue001"
# The index of SQLite: its column of its own name is asked what it MATCHes.
_INDEX: Final = sa.table("document_texts", sa.column("rowid", sa.BigInteger), sa.column("document_texts")).c
# SQLite's index knows the cases of these letters as Python does, and of those that have none.
_CASES_ALIKE: Final = (("\x00", "\u024f"), ("\u0386", "\u03ce"), ("\u0400", "\u0527"))


def matches(organization_id: str, typed: str) -> sa.ColumnElement[bool]:
    """Build the condition that a document contains a text without case, or has an amount of either sign.

    One or two ASCII letters are in nearly every text, and are looked for in numbers, senders and names of files only.
    """
    is_long = len(typed) >= LEAST_PART
    found = [contains(text, typed) for text in (_TEXTS if is_long or not typed.isascii() else _SHORT)]
    for amount in (Document.net_minor, Document.tax_minor, Document.total_minor):
        found += is_amount(typed, Document.currency, amount)
    has_it = sa.or_(*found)
    wanted = [typed.lower(), *(f"{_AMOUNT}{size}{_AMOUNT}" for size in sizes_typed(typed))]
    may_have_it = _may_have(organization_id, wanted) if is_long else None
    return has_it if may_have_it is None else sa.and_(may_have_it, has_it)


def _may_have(organization_id: str, wanted: Sequence[str]) -> sa.ColumnElement[bool] | None:
    """Build the condition that the index knows a document to have all letters of one text of some; None for any."""
    if db.engine.dialect.name == "postgresql":
        return _may_have_on_postgresql(organization_id, wanted)
    asked = [[each for piece in _pieces(text) for each in triples(piece)] for text in wanted]
    if not all(asked):
        return None
    either = " OR ".join("(" + " AND ".join(map(_quoted, some)) + ")" for some in asked)
    return Document.id.in_(sa.select(_INDEX.rowid).where(_INDEX.document_texts.match(either)))


def _quoted(part: str) -> str:
    return '"{}"'.format(part.replace('"', '""'))


def _pieces(text: str) -> list[str]:
    """Split a text at what SQLite's index would not find in another case."""
    alike = "".join(each if _has_cases_alike(each) else "\0" for each in text.replace("i\u0307", "\0"))
    return alike.split("\0")


def _has_cases_alike(letter: str) -> bool:
    has_no_case = letter.lower() == letter.upper()
    return has_no_case or any(first <= letter <= last for first, last in _CASES_ALIKE)


def _may_have_on_postgresql(organization_id: str, wanted: Sequence[str]) -> sa.ColumnElement[bool]:
    if not is_bound(db.session()):
        keys = _keys(Document)
        return sa.or_(*(keys.bool_op("@>")(_keys_of_text(organization_id, text)) for text in wanted))
    # Row-level security lets no index answer what may tell of rows that it looks at in vain.
    asked = sa.select(sa.func.documents_with(sa.literal(list(wanted), ARRAY(sa.Text))))
    # On a node no function may ask within another question. As a list it is asked first: of a question the planner
    # thinks that every text is read as fast.
    ids = (
        sa.literal(list(db.session.scalars(asked)), ARRAY(sa.BigInteger))
        if has_nodes(db.session())
        else sa.func.array(asked.scalar_subquery())
    )
    return Document.id == sa.any_(ids)


def _keys(document: Any) -> sa.Function[Any]:
    """Build what PostgreSQL's index has of a document, given by its columns."""
    amounts = document.net_minor, document.tax_minor, document.total_minor
    return sa.func.keys_of_document(
        *(document.organization_id, document.number, document.sender, document.file_name, document.text),
        *amounts,
    )


def _keys_of_text(organization_id: str, text: str) -> sa.Function[Any]:
    return sa.func.keys_of_document(organization_id, text, *[sa.null()] * 6)
