"""Bank lines by the beginnings of their words or by their amount: an index of words finds them."""

import re
from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.dialects.postgresql import TSQUERY

from webapp.database.sessions import db
from webapp.database.tenancy import has_nodes, is_bound
from webapp.ledger.texts.finding import LEAST_PART, folded, words
from webapp.models import Transaction
from webapp.queries.common.search import is_amount, sizes_typed
from webapp.queries.transactions.line_filters import shown

# SQLite's index knows the order in which lines came, not their days: of so many that came last the newest are shown.
# Of so many lines of PostgreSQL's, the newest ones, what is not listed is left out.
LATEST: Final = 400
# So many of the newest lines are looked at first on PostgreSQL: what is in very many lines is in enough of these.
NEWEST: Final = 300
# Marks an amount in minor units among words, which have letters and digits only.
AMOUNT: Final = "$"
IBAN: Final = re.compile(r"[a-z]{2}[0-9]{2}[a-z0-9]{2,30}")
# The index of SQLite: its column of its own name is asked what it MATCHes.
_WORDS: Final = sa.table("line_words", sa.column("rowid", sa.BigInteger), sa.column("line_words")).c


def lines(organization_id: str, typed: str, *, limit: int) -> list[Transaction]:
    """Find lines of all bank accounts that have every typed word's beginning, or the typed amount; the newest first."""
    newest = _on_postgresql if db.engine.dialect.name == "postgresql" else _on_sqlite
    words_wanted, sizes = _wanted(typed), [[f"{AMOUNT}{size}"] for size in sizes_typed(typed)]
    ids = newest(organization_id, words_wanted, limit) if words_wanted else []
    if sizes:
        # The same minor units are another amount in a currency of other digits.
        in_currency = sa.or_(*is_amount(typed, Transaction.currency, Transaction.amount_minor))
        ids += newest(organization_id, sizes, limit, in_currency)
    if not ids:
        return []
    statement = (
        sa.select(Transaction)
        .options(orm.joinedload(Transaction.feed_account))
        .where(Transaction.organization_id == organization_id, Transaction.id.in_(ids))
    )
    found = sorted(db.session.scalars(statement), key=lambda line: (line.booked_on, line.id), reverse=True)
    return found[:limit]


def _wanted(typed: str) -> list[list[str]]:
    """Read what was typed as alternatives, each a list of words."""
    found, joined = [], folded(typed).replace(" ", "")
    parts = words(typed)
    if any(len(part) >= LEAST_PART for part in parts):
        found.append(parts)
    if len(parts) > 1 and IBAN.fullmatch(joined):
        found.append([joined])
    return found


def _on_sqlite(
    organization_id: str, wanted: Sequence[Sequence[str]], limit: int, *conditions: sa.ColumnElement[bool]
) -> list[int]:
    def word(part: str) -> str:
        return f'"\ue001{part[1:]}"' if part[0] == AMOUNT else f'"{part}"*'

    books = "\ue000" + organization_id.replace("_", "")
    either = " OR ".join("(" + " AND ".join(map(word, parts)) + ")" for parts in wanted)
    found = sa.select(_WORDS.rowid).where(_WORDS.line_words.match(f'"{books}" AND ({either})'))
    latest = found.order_by(_WORDS.rowid.desc()).limit(LATEST).subquery()
    rows = db.session.scalars(
        sa.select(Transaction.id)
        .where(*_is_listed(organization_id), *conditions, Transaction.id.in_(sa.select(latest.c.rowid)))
        .order_by(Transaction.booked_on.desc(), Transaction.id.desc())
        .limit(limit)
    )
    return list(rows)


def _on_postgresql(
    organization_id: str, wanted: Sequence[Sequence[str]], limit: int, *conditions: sa.ColumnElement[bool]
) -> list[int]:
    def word(part: str) -> str:
        return f"'{part}'" if part[0] == AMOUNT else f"'{part}':*"

    either = " | ".join("(" + " & ".join(map(word, parts)) + ")" for parts in wanted)
    wanted_words = sa.cast(f"'#{organization_id}' & ({either})", TSQUERY)
    is_listed = (*_is_listed(organization_id), *conditions)
    ids = _among_newest(wanted_words, limit, is_listed)
    if len(ids) == limit:
        return ids
    has_words = _words(Transaction).bool_op("@@")(wanted_words)
    if is_bound(db.session()):
        # Row-level security lets no index answer @@, which may tell of rows that it looks at in vain.
        asked = sa.select(sa.func.lines_with_words(wanted_words, LATEST))
        # On a node no function may ask within another question.
        found_ids = db.session.scalars(asked).all() if has_nodes(db.session()) else asked
        has_words = Transaction.id.in_(found_ids)
    listed = sa.select(Transaction.id).where(*is_listed, has_words).order_by(*_newest(Transaction))
    return list(db.session.scalars(listed.limit(limit)))


def _among_newest(
    wanted_words: sa.ColumnElement[Any], limit: int, is_listed: Sequence[sa.ColumnElement[bool]]
) -> list[int]:
    """Find the lines with some words among the newest ones alone, for which no index is asked."""
    newest = sa.select(Transaction).where(*is_listed).order_by(*_newest(Transaction)).limit(NEWEST).subquery()
    found = sa.select(newest.c.id).where(_words(newest.c).bool_op("@@")(wanted_words))
    return list(db.session.scalars(found.order_by(*_newest(newest.c)).limit(limit)))


def _newest(line: Any) -> tuple[sa.UnaryExpression[Any], ...]:
    return line.booked_on.desc(), line.id.desc()


def _words(line: Any) -> sa.Function[Any]:
    """Build what PostgreSQL's index has of a line, given by its columns."""
    return sa.func.words_of_line(
        line.organization_id,
        line.description,
        line.counterparty,
        line.reference,
        line.iban,
        line.amount_minor,
    )


def _is_listed(organization_id: str) -> tuple[sa.ColumnElement[bool], ...]:
    """Build the conditions of the lines that stand in a workspace."""
    of_books = Transaction.organization_id == organization_id
    return of_books, Transaction.status != "DELETED", shown("all", None)
