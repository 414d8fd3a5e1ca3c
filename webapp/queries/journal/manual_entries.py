"""Manual drafts: the legs that a person wrote, and the version of a draft."""

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.chart import RESTS
from webapp.ledger.codes import MANUAL_SOURCES
from webapp.ledger.journal.entries import Leg, keeps_base
from webapp.ledger.journal.mirrors import without_rest
from webapp.models import ActionRequest, JournalEntry, of_same_organization
from webapp.queries.accounts import accounts
from webapp.queries.journal import entries

LETTERS = 16


def written_legs(entry: JournalEntry) -> list[Leg]:
    """Give the legs that a person wrote, without the one that mirroring added."""
    legs = entries.legs_of(entry)
    if not legs:
        return []
    return without_rest(legs, entry.base_currency, accounts.ids_by_role(entry.organization_id, RESTS))


def is_manual(entry: JournalEntry) -> bool:
    """Return whether a person writes this entry as a whole; every other draft is of a bank line."""
    return entry.source in MANUAL_SOURCES and entry.tax_reason is None


def version(entry: JournalEntry) -> str | None:
    """Give the version of a draft that may be changed; None for every other entry.

    It is a digest of the content of the entry, without the mirrors of rates: a rate that arrives changes nothing
    that a person could overwrite.
    """
    if entry.status != "DRAFT" or not is_manual(entry):
        return None
    content = {
        "effectiveAt": entry.effective_on.isoformat(),
        "description": entry.description,
        "postings": [
            [
                *(leg.account_id, leg.amount_minor, leg.currency, leg.merchant_id, leg.project_id),
                *([leg.amount_base_minor] if keeps_base(leg) else []),
            ]
            for leg in written_legs(entry)
        ],
    }
    return sha256_hex(canonical_json(content))[:LETTERS]


def last_writer(entry: JournalEntry) -> str | None:
    """Give the name of the last writer of an entry."""
    actor = db.session.scalar(
        sa.select(ActionRequest.actor)
        .where(
            of_same_organization(ActionRequest, entry),
            ActionRequest.target_kind == "journal_entry",
            ActionRequest.target_id == str(entry.id),
            ActionRequest.status == "EXECUTED",
        )
        .order_by(ActionRequest.id.desc())
        .limit(1)
    )
    return actor["name"] if actor else None
