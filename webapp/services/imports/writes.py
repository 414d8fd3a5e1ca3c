"""An import written in two steps: its lines and verdicts, then everything that locks rows which others need."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import (
    BulkTurn,
    FeedAccount,
    Import,
    ImportLine,
    Organization,
    ProviderBalance,
    Transaction,
)
from webapp.models.base import table_of
from webapp.queries.matching import existing_lines
from webapp.services.imports.planning import feed_duplicates
from webapp.services.imports.planning.accounts import begin_missing, finish_missing
from webapp.services.imports.prepared import ReadyAccount, ReadyImport
from webapp.services.ingestion import rule_choices, staging, writes
from webapp.services.ingestion.books_facts import BooksFacts, facts_for
from webapp.services.ingestion.staging import LINES, VERDICTS
from webapp.services.rules import writes as rule_writes

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Writing:
    """The import that is written, in whose books, and when."""

    organization: Organization
    imported: Import
    now: datetime

    def row(self, **facts: Any) -> Row:
        """Give a row with the organization's id."""
        return {"organization_id": self.organization.id, **facts}


@dataclass(frozen=True, slots=True)
class WrittenLines:
    """The facts of the books that went into the written lines of each account, and the run of the rules."""

    facts: list[BooksFacts]
    run_id: int | None


def write_lines(writing: Writing, ready: ReadyImport) -> WrittenLines:
    """Write the staged lines and the verdict on each row; answers the facts that went into them.

    This is the long part. Until `complete` the kept sums do not include it, so that nobody waits for a row of them.
    """
    targets = [account.target for account in ready.accounts]
    begin_missing(targets, writing.organization.id, ready.format, now=writing.now)
    connection = db.session.connection()
    turn = writing.row(import_id=writing.imported.id)
    connection.execute(sa.insert(table_of(BulkTurn)), {**turn, "no_import_id": 0})
    run_id = rule_choices.record_run(writing.organization, ready.rules, now=writing.now)
    facts = [
        writes.write_staged(
            writing.organization,
            _feed(account),
            portion=portion,
            now=writing.now,
            import_id=writing.imported.id,
            run_id=run_id,
        )
        for portion, account in enumerate(ready.accounts)
    ]
    connection.execute(_VERDICTS, turn)
    return WrittenLines(facts, run_id)


def is_still_true(writing: Writing, ready: ReadyImport, written: WrittenLines) -> bool:
    """Return whether the books still have the facts that went into the lines."""
    feeds = [_feed(account) for account in ready.accounts]
    return [facts_for(writing.organization, feed) for feed in feeds] == written.facts


def complete(
    writing: Writing, ready: ReadyImport, written: WrittenLines, *, act_id: str
) -> list[FeedAccount]:
    """Include the written lines in the sums, and write the rest of the file; answers the accounts that it opened."""
    opened = finish_missing([account.target for account in ready.accounts], now=writing.now)
    connection = db.session.connection()
    turns = table_of(BulkTurn)
    of_import = (turns.c.organization_id == writing.organization.id, turns.c.import_id == writing.imported.id)
    connection.execute(sa.delete(turns).where(*of_import))
    rule_choices.finish_run(writing.organization, ready.rules, written.run_id, act_id=act_id, now=writing.now)
    _run_on_stored(writing, ready, act_id)
    for portion, account in enumerate(ready.accounts):
        feed_account = _feed(account)
        feed_duplicates.store_joins(feed_account, account.duplicates, portion=portion, now=writing.now)
        _replace_pending(writing, account, existing_lines.pending_ids(feed_account, but=writing.imported.id))
        _write_balances(writing, account)
        feed_account.last_feed_at = writing.now
    staging.clear(connection)
    db.session.flush()
    return opened


def _run_on_stored(writing: Writing, ready: ReadyImport, act_id: str) -> None:
    """Run rules that staged lines wait for: others may want the same items, and foreign taxes have their own rates."""
    if ready.rules.waiting:
        numbered = sa.select(LINES.c.number, LINES.c.transaction_id)
        ids = {row.number: row.transaction_id for row in db.session.connection().execute(numbered)}
        rule_writes.run_on_stored(writing.organization, ready.rules, ids, act_id=act_id, now=writing.now)


def _feed(account: ReadyAccount) -> FeedAccount:
    feed_account = account.target.feed_account
    if feed_account is None:
        raise RuntimeError("The account was not opened before its lines were written.")
    return feed_account


def _replace_pending(writing: Writing, account: ReadyAccount, earlier: set[int]) -> None:
    """Make the pending lines of this file the only ones of their account, in place of the `earlier` ones."""
    joined = existing_lines.joined_among(writing.organization.id, account.still_pending | earlier)
    _set_pending(writing, sorted(account.still_pending - earlier - joined), "PENDING", None)
    _set_pending(writing, sorted(earlier - account.still_pending - joined), "REMOVED", writing.imported.id)


def _set_pending(writing: Writing, ids: Sequence[int], status: str, removed_by: int | None) -> None:
    if not ids:
        return
    line = table_of(Transaction)
    db.session.execute(
        sa.update(line)
        .where(line.c.organization_id == writing.organization.id, line.c.id == sa.bindparam("line_id"))
        .values(status=status, removed_by_import_id=removed_by),
        [{"line_id": line_id} for line_id in ids],
    )


def _write_balances(writing: Writing, account: ReadyAccount) -> None:
    """Keep the closing balances that the file states for a day.

    The same balance of an earlier file keeps that file's place in the order of receipt:
    reading a file once more must not make an old balance the last one of its day.
    """
    feed_account = _feed(account)
    for amount, balance in account.closings:
        if balance.day is None:
            continue
        first = db.session.scalar(
            sa.select(sa.func.min(ProviderBalance.received_at)).where(
                ProviderBalance.organization_id == writing.organization.id,
                ProviderBalance.feed_account_id == feed_account.id,
                ProviderBalance.day == balance.day,
                ProviderBalance.amount_minor == amount.minor,
                ProviderBalance.stated_at.is_not_distinct_from(balance.stated_at),
            )
        )
        facts = writing.row(
            feed_account_id=feed_account.id,
            day=balance.day,
            amount_minor=amount.minor,
            currency=amount.currency,
            stated_at=balance.stated_at,
            received_at=first or writing.now,
            import_id=writing.imported.id,
        )
        db.session.execute(sa.insert(ProviderBalance), [facts])


_VERDICTS = sa.insert(table_of(ImportLine)).from_select(
    [
        "organization_id",
        "import_id",
        "position",
        "row",
        "verdict",
        "reason",
        "text",
        "transaction_id",
    ],
    sa.select(
        sa.bindparam("organization_id", type_=sa.String),
        sa.bindparam("import_id", type_=sa.BigInteger),
        VERDICTS.c.position,
        VERDICTS.c.row,
        VERDICTS.c.verdict,
        VERDICTS.c.reason,
        VERDICTS.c.text,
        sa.func.coalesce(VERDICTS.c.transaction_id, LINES.c.transaction_id),
    )
    .select_from(VERDICTS.outerjoin(LINES, LINES.c.number == VERDICTS.c.number))
    .order_by(VERDICTS.c.position),
    include_defaults=False,
)
