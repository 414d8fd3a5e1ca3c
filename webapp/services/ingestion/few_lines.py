"""A few new lines, written row by row: to stage them takes longer than to write them.

What is written is what the statements of writes.py would copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import FeedAccount, JournalEntry, Organization, Posting, RuleSetting, Transaction
from webapp.models.base import table_of
from webapp.queries.accounts import new_lines
from webapp.queries.accounts.new_lines import NewIds
from webapp.services.ingestion.books_facts import BooksFacts, facts_for
from webapp.services.ingestion.rules import KINDS, LineRules
from webapp.services.ingestion.staging import StagedChoice, StagedLine
from webapp.services.storage import line_words

# More are staged.
MOST: Final = 40

COPIED: Final = (
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
)
_ENTRIES, _LINES = sa.insert(table_of(JournalEntry)), sa.insert(table_of(Transaction))
_POSTINGS, _SETTINGS = sa.insert(table_of(Posting)), sa.insert(table_of(RuleSetting))
_NO_CHOICE: Final = StagedChoice(-1, *[None] * 9)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Writing:
    """New lines with their ids, what rules chose for some of them, and what else goes into their rows."""

    facts: BooksFacts
    lines: Sequence[tuple[StagedLine, NewIds]]
    choices: dict[int, StagedChoice]
    now: datetime
    import_id: int | None

    @property
    def booked(self) -> Iterator[tuple[StagedLine, NewIds]]:
        """Give the lines that have drafts."""
        return ((line, ids) for line, ids in self.lines if line.state == "BOOKED")

    def entries(self) -> Iterator[Row]:
        """Give the drafts; in a locked period they are dated the first open day."""
        facts = self.facts
        for line, ids in self.booked:
            yield {
                "id": ids.entry_id,
                "organization_id": facts.organization_id,
                "created_at": self.now,
                "effective_on": max(line.booked_on, facts.first_open),
                "description": line.description,
                "status": "DRAFT",
                "source": "bank_feed",
                "base_currency": facts.base_currency,
            }

    def transactions(self) -> Iterator[Row]:
        """Give the lines themselves; those from before the account's opening are set aside."""
        facts = self.facts
        for line, ids in self.lines:
            is_booked = line.state == "BOOKED"
            is_before = is_booked and line.booked_on <= facts.opening_day
            yield {name: getattr(line, name, None) for name in COPIED} | {
                "id": ids.line_id,
                "organization_id": facts.organization_id,
                "created_at": self.now,
                "updated_at": self.now,
                "feed_account_id": facts.feed_account_id,
                "status": "SET_ASIDE" if is_before else line.state,
                "currency": facts.currency,
                "import_id": self.import_id,
                "journal_entry_id": ids.entry_id if is_booked else None,
            }

    def postings(self) -> Iterator[Row]:
        """Give the legs of the drafts: that of the bank, and its opposite."""
        facts = self.facts
        for line, ids in self.booked:
            chosen = self.choices.get(line.number, _NO_CHOICE)
            is_foreign = chosen.currency is not None
            base_minor = line.amount_base_minor
            both = {
                "organization_id": facts.organization_id,
                "journal_entry_id": ids.entry_id,
                "base_currency": facts.base_currency,
            }
            yield both | {
                "position": 0,
                "account_id": facts.account_id,
                "amount_minor": line.amount_minor,
                "currency": facts.currency,
                "amount_base_minor": base_minor,
                "is_bank_leg": True,
                "org_merchant_id": None,
                "project_id": None,
                "transaction_id": ids.line_id,
            }
            yield both | {
                "position": 1,
                "account_id": _uncategorised(line, facts) if chosen.account_id is None else chosen.account_id,
                "amount_minor": chosen.amount_minor if is_foreign else -line.amount_minor,
                "currency": chosen.currency if is_foreign else facts.currency,
                "amount_base_minor": None if base_minor is None else -base_minor,
                "is_bank_leg": False,
                "org_merchant_id": chosen.merchant_id,
                "project_id": chosen.project_id,
                "transaction_id": None,
            }

    def settings(self, rules: LineRules, run_id: int) -> Iterator[Row]:
        """Give what rules set, kind by kind, each in the version of its rule."""
        for place, kind in enumerate(KINDS):
            for line, ids in self.lines:
                chosen = self.choices.get(line.number, _NO_CHOICE)
                rule_id, value, before = _set_by(chosen, line, self.facts)[place]
                if rule_id is not None:
                    yield {
                        "organization_id": self.facts.organization_id,
                        "transaction_id": ids.line_id,
                        "run_id": run_id,
                        "kind": kind.value,
                        "rule_id": rule_id,
                        "rule_version": rules.names[rule_id][0],
                        "value": str(value),
                        "before": before,
                    }


def write(
    organization: Organization,
    feed_account: FeedAccount,
    lines: Sequence[StagedLine],
    rules: LineRules,
    *,
    now: datetime,
    import_id: int | None,
    run_id: int | None,
) -> list[int]:
    """Write new lines of an account, and give their ids; `run_id` is the run of the rules that chose for them."""
    found, ids = new_lines.facts_and_ids(organization.id, feed_account.id, len(lines))
    facts = facts_for(organization, feed_account, found)
    choices = {each.number: each for each in rules.choices}
    writing = _Writing(facts, list(zip(lines, ids, strict=True)), choices, now, import_id)
    connection = db.session.connection()
    entries = list(writing.entries())
    if entries:
        connection.execute(_ENTRIES, entries)
    connection.execute(_LINES, list(writing.transactions()))
    if entries:
        connection.execute(_POSTINGS, list(writing.postings()))
    line_words.index_between(connection, organization.id, ids[0].line_id, ids[-1].line_id)
    settings = [] if run_id is None else list(writing.settings(rules, run_id))
    if settings:
        connection.execute(_SETTINGS, settings)
    return [each.line_id for each in ids]


def _uncategorised(line: StagedLine, facts: BooksFacts) -> int:
    # As in ledger/chart.py: an amount of 0.00 is uncategorised among the expenses.
    return facts.income_id if line.amount_minor > 0 else facts.expenses_id


def _set_by(
    chosen: StagedChoice, line: StagedLine, facts: BooksFacts
) -> Sequence[tuple[int | None, object, str | None]]:
    """Give of each of KINDS the rule that set it, with the value and the one before."""
    return (
        (chosen.account_rule_id, chosen.account_id, str(_uncategorised(line, facts))),
        (chosen.merchant_rule_id, chosen.merchant_id, None),
        (chosen.project_rule_id, chosen.project_id, None),
        (chosen.currency_rule_id, chosen.currency, facts.currency),
    )
