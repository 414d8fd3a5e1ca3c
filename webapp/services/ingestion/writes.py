"""Bank lines written in bulk: each booked one with its draft, as one import or one push brings them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database import measures
from webapp.database.sessions import db, next_ids
from webapp.ledger.matching.lines import BankLine
from webapp.models import FeedAccount, JournalEntry, Organization, Posting, Transaction
from webapp.models.base import table_of
from webapp.services.ingestion import rule_choices, staging
from webapp.services.ingestion.books_facts import BooksFacts, facts_for
from webapp.services.ingestion.new_lines import mirrors, staged_lines
from webapp.services.ingestion.rules import LineRules
from webapp.services.ingestion.staging import CHOICES, LEGS, LINES
from webapp.services.storage import line_words
from webapp.services.storage.savepoints import at_end


def write(
    organization: Organization,
    feed_account: FeedAccount,
    lines: Sequence[BankLine],
    *,
    now: datetime,
    import_id: int | None,
    rules: LineRules,
    act_id: str,
) -> Sequence[int]:
    """Write lines of an account, the booked ones each with its draft; answers their ids in the order of `lines`.

    A draft in a locked period is dated the first open day, a line before the account's opening is set aside.
    Raises LineTooLargeError.
    """
    if not lines:
        return ()
    days = [line.booked_on for line in lines]
    mirrored = mirrors(organization, feed_account.currency, days)
    account_rules = rules.for_account(feed_account.currency, feed_account.id, days)
    staged = staged_lines(lines, mirrored, rules=account_rules)
    connection = db.session.connection()
    staging.stage(connection, staged, rules.legs, rules.staged())
    run_id = rule_choices.begin_run(organization, rules, act_id=act_id, now=now)
    write_staged(organization, feed_account, portion=0, now=now, import_id=import_id, run_id=run_id)
    ids = connection.scalars(sa.select(LINES.c.transaction_id).order_by(LINES.c.number)).all()
    return [int(each) for each in ids]


def write_staged(
    organization: Organization,
    feed_account: FeedAccount,
    *,
    portion: int,
    now: datetime,
    import_id: int | None,
    run_id: int | None = None,
) -> BooksFacts:
    """Write a portion of staged lines, as `write` does; the staging table gets their ids.

    `run_id` is the run of the rules that chose for them. Answers the facts of the books that went into them.
    """
    connection = db.session.connection()
    facts = facts_for(organization, feed_account)
    if _number(connection, portion):
        values = {**facts._asdict(), "portion": portion, "import_id": import_id, "now": now}
        counted = {"preserve_rowcount": True}
        counts = [
            connection.execute(each, values, execution_options=counted).rowcount
            for each in (_ENTRIES, _TRANSACTIONS, _POSTINGS)
        ]
        if measures.is_on():
            at_end(committed=lambda: measures.count_lines(counts[1]))
        written = sa.select(LINES.c.transaction_id).where(LINES.c.portion == portion)
        line_words.index(connection, _LINE.c.id.in_(written))
        if run_id is not None:
            rule_choices.write_settings(connection, values | {"run_id": run_id})
    return facts


def _number(connection: sa.Connection, portion: int) -> bool:
    """Number each staged line of a portion, and each booked one's draft; answers whether there are lines."""
    of_portion = LINES.c.portion == portion
    first = connection.scalar(sa.select(sa.func.min(LINES.c.number)).where(of_portion))
    if first is None:
        return False
    # PostgreSQL finds rows in the order of their places in its pages, which need not be that of their numbers.
    lines = sa.select(LINES.c.number, LINES.c.state).where(of_portion).order_by(LINES.c.number).subquery()
    place = lines.c.number - first
    draft_ids = next_ids(connection, table_of(JournalEntry), place)
    ids = sa.select(
        lines.c.number,
        next_ids(connection, table_of(Transaction), place).label("line_id"),
        sa.case((lines.c.state == "BOOKED", draft_ids)).label("draft_id"),
    ).subquery()
    values = {"transaction_id": ids.c.line_id, "journal_entry_id": ids.c.draft_id}
    connection.execute(sa.update(LINES).where(LINES.c.number == ids.c.number).values(values))
    return True


def _fact(name: str, kind: Any) -> sa.BindParameter[Any]:
    return sa.bindparam(name, type_=kind)


def _insert(
    table: sa.Table,
    columns: dict[str, Any],
    source: sa.FromClause = LINES,
    position: sa.ColumnElement[int] | None = None,
    *,
    booked: bool = False,
) -> sa.Insert:
    """Copy every staged line of a portion, or every booked one, into a table, in the order of their numbers.

    `source` is the lines with what is joined to them; each of several rows of a line has its `position`.
    """
    of_portion = LINES.c.portion == sa.bindparam("portion")
    chosen = sa.select(*columns.values()).select_from(source).where(of_portion)
    if booked:
        chosen = chosen.where(LINES.c.state == "BOOKED")
    order = (LINES.c.number,) if position is None else (LINES.c.number, position)
    return sa.insert(table).from_select(list(columns), chosen.order_by(*order), include_defaults=False)


_LINE, _ENTRY, _POSTING = table_of(Transaction), table_of(JournalEntry), table_of(Posting)
_ORGANIZATION = _fact("organization_id", sa.String)
_NOW = _fact("now", _LINE.c.created_at.type)
_FIRST_OPEN = _fact("first_open", sa.Date)
_ENTRIES = _insert(
    _ENTRY,
    {
        "id": LINES.c.journal_entry_id,
        "organization_id": _ORGANIZATION,
        "effective_on": sa.case((LINES.c.booked_on < _FIRST_OPEN, _FIRST_OPEN), else_=LINES.c.booked_on),
        "description": LINES.c.description,
        "status": sa.literal("DRAFT"),
        "source": sa.literal("bank_feed"),
        "base_currency": _fact("base_currency", sa.String),
        "created_at": _NOW,
    },
    booked=True,
)
_TRANSACTIONS = _insert(
    _LINE,
    {
        "id": LINES.c.transaction_id,
        "organization_id": _ORGANIZATION,
        "feed_account_id": _fact("feed_account_id", sa.BigInteger),
        "status": sa.case(
            (LINES.c.state != "BOOKED", LINES.c.state),
            (LINES.c.booked_on <= _fact("opening_day", sa.Date), "SET_ASIDE"),
            else_="BOOKED",
        ),
        "currency": _fact("currency", sa.String),
        "import_id": _fact("import_id", sa.BigInteger),
        "created_at": _NOW,
        "updated_at": _NOW,
        **{
            name: LINES.c[name]
            for name in (
                "provider_transaction_id",
                "booked_on",
                "value_on",
                "amount_minor",
                "description",
                "counterparty",
                "reference",
                "iban",
                "line_key",
                "occurrence",
                "text_key",
                "journal_entry_id",
                "details",
            )
        },
    },
)
# A line has its bank's leg and the opposite, or in place of that the legs whose amounts rules decided.
_SIDES = sa.union_all(*(sa.select(sa.literal(side, sa.Integer).label("side")) for side in (0, 1))).subquery()
_SIDE = _SIDES.c.side
_POSITION = sa.func.coalesce(LEGS.c.position, _SIDE)
_IS_BANK_LEG, _IS_COUNTER_LEG = _SIDE == 0, _POSITION == 1
_SIGN = sa.literal(1) - 2 * _SIDE
# As in ledger/chart.py: an amount of 0.00 is uncategorised among the expenses.
_UNCATEGORISED = sa.case(
    (LINES.c.amount_minor > 0, _fact("income_id", sa.BigInteger)), else_=_fact("expenses_id", sa.BigInteger)
)
_HAS_CODE = CHOICES.c.tax_code_id.is_not(None)
_POSTINGS = _insert(
    _POSTING,
    {
        "organization_id": _ORGANIZATION,
        "journal_entry_id": LINES.c.journal_entry_id,
        "position": _POSITION,
        "account_id": sa.case(
            (_IS_BANK_LEG, _fact("account_id", sa.BigInteger)),
            else_=sa.func.coalesce(LEGS.c.account_id, CHOICES.c.account_id, _UNCATEGORISED),
        ),
        "amount_minor": sa.func.coalesce(LEGS.c.amount_minor, _SIGN * LINES.c.amount_minor),
        "currency": sa.func.coalesce(CHOICES.c.currency, _fact("currency", sa.String)),
        # Lines with a code are in the base currency.
        "amount_base_minor": sa.case(
            (_HAS_CODE, LEGS.c.amount_minor), else_=_SIGN * LINES.c.amount_base_minor
        ),
        "base_currency": _fact("base_currency", sa.String),
        "is_bank_leg": _IS_BANK_LEG,
        "org_merchant_id": sa.case((_IS_COUNTER_LEG, CHOICES.c.merchant_id)),
        "project_id": sa.case((_IS_COUNTER_LEG, CHOICES.c.project_id)),
        "tax_code_id": CHOICES.c.tax_code_id,
        "tax_point": sa.case((_HAS_CODE, LINES.c.booked_on)),
        "boxes": LEGS.c.boxes,
        "transaction_id": sa.case((_IS_BANK_LEG, LINES.c.transaction_id)),
    },
    LINES.join(_SIDES, sa.true())
    .outerjoin(LEGS, sa.and_(LEGS.c.number == LINES.c.number, sa.not_(_IS_BANK_LEG)))
    .outerjoin(CHOICES, sa.and_(CHOICES.c.number == LINES.c.choice, sa.not_(_IS_BANK_LEG))),
    _POSITION,
    booked=True,
)
