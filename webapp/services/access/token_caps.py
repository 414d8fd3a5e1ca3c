"""What a token may post in a day: counted with each entry that it posts, in the transaction that posts it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.database.tenancy import has_nodes
from webapp.ledger.canonical import instant_text
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.entries import Draft
from webapp.ledger.money import Money
from webapp.models import ApiToken
from webapp.models.direct_writes import DirectChange
from webapp.queries.access import organizations
from webapp.services.audit.act import Act

MOST_MINOR = 2**63 - 1

# One statement, so that the database itself decides who of those that post at once comes first.
_COUNT = """
    INSERT INTO token_days (organization_id, token_id, day, entry_count, amount_base_minor)
    VALUES (:organization_id, :token_id, :day, 1, CAST(:amount AS bigint))
    ON CONFLICT (organization_id, token_id, day) DO UPDATE SET
        entry_count = token_days.entry_count + 1,
        amount_base_minor = CASE WHEN token_days.amount_base_minor > :room THEN :most
            ELSE token_days.amount_base_minor + CAST(:amount AS bigint) END
    RETURNING entry_count, amount_base_minor"""
_CAPS = """,
        (SELECT max_entries_a_day FROM api_tokens
            WHERE organization_id = token_days.organization_id AND id = token_days.token_id),
        (SELECT max_amount_a_day_minor FROM api_tokens
            WHERE organization_id = token_days.organization_id AND id = token_days.token_id)"""
COUNT, COUNT_WITH_CAPS = DirectChange(_COUNT), DirectChange(_COUNT + _CAPS)


class CapReachedError(LedgerError):
    """This key has posted as much today as it may in a day."""

    status = 403
    code = "cap_reached"


def count(draft: Draft, doing: Act) -> None:
    """Count an entry that is being posted with what its token posted today, or raise CapReachedError.

    Every entry counts, whatever posts it: a void and a correction as much as a confirmation. Its amount is its
    debits in the base currency. What is rolled back is not counted.
    """
    if doing.actor.kind != "TOKEN" or doing.actor.is_uncapped:
        return
    amount = sum(max(leg.amount_base_minor or 0, 0) for leg in draft.legs)
    today = organizations.today(draft.organization_id, doing.now)
    entries, total, most_entries, most_amount = _counted(
        {
            "organization_id": draft.organization_id,
            "token_id": doing.actor.id,
            "day": today,
            "amount": amount,
            "room": MOST_MINOR - amount,
            "most": MOST_MINOR,
        }
    )
    if most_entries is not None and entries > most_entries:
        raise _reached("entries", _entries(most_entries), str(entries), doing)
    if most_amount is not None and total > most_amount:
        base = draft.base_currency
        most, whole = (f"{Money(minor, base)} {base}" for minor in (most_amount, total))
        raise _reached("amount", most, whole, doing)


def _counted(posted: dict[str, Any]) -> Sequence[Any]:
    """Count, and give the day's entries and amount with the caps of both, for which nodes are asked by themselves."""
    if not has_nodes(db.session()):
        counted: Sequence[Any] = COUNT_WITH_CAPS.make(**posted)[0]
        return counted
    counts = COUNT.make(**posted)[0]
    caps = db.session.execute(
        sa.select(ApiToken.max_entries_a_day, ApiToken.max_amount_a_day_minor).where(
            ApiToken.organization_id == posted["organization_id"], ApiToken.id == posted["token_id"]
        )
    ).one()
    return (*counts, *caps)


def _entries(number: int) -> str:
    return f"{number} {'entry' if number == 1 else 'entries'}"


def _reached(cap: str, most: str, whole: str, doing: Act) -> CapReachedError:
    organization = organizations.get(doing.actor.organization_id)
    resets_at = organizations.end_of_day(organization.id, organizations.today(organization.id, doing.now))
    return CapReachedError(
        f"This key posts at most {most} a day; with this call it would be {whole} or more. Propose it: sent with a key"
        " that has the scope propose, the whole call waits until a person approves it. The day starts again at midnight"
        f" ({organization.time_zone}), and a person may raise the cap in the settings.",
        details={
            "cap": cap,
            "resetsAt": instant_text(resets_at),
            "resetsInSeconds": max(0, int((resets_at - doing.now).total_seconds())),
        },
    )
