"""The reversal of an entry that the books themselves wrote, and that nobody corrects."""

from datetime import date

from webapp.ledger.journal.corrections import reversal
from webapp.models import JournalEntry
from webapp.queries.access import organizations
from webapp.queries.journal import entries
from webapp.services.audit import updates
from webapp.services.journal import entries as journal_entries


def cancel(entry: JournalEntry, on: date | None = None) -> JournalEntry:
    """Post the reversal of an entry on its day or a later one, or the first open one after it, and mark it voided."""
    doing = updates.open_act()
    organization = organizations.get(entry.organization_id)
    cancelling = journal_entries.add_draft(
        organization,
        organizations.first_open_day(organization.id, max(entry.effective_on, on or entry.effective_on)),
        reversal(entries.legs_of(entry)),
        source="void",
        description=entry.description,
        now=doing.now,
        voids_id=entry.id,
    )
    fact = journal_entries.fact_of(cancelling, entry.effective_on)
    journal_entries.post(cancelling, doing, fact=fact)
    journal_entries.mark_voided([entry], cancelling)
    return cancelling
