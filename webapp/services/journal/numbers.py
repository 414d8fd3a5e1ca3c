"""Numbers of entries: posting a draft gives it the next one."""

from __future__ import annotations

from webapp.ledger.journal.entries import Draft
from webapp.models.direct_writes import DirectChange
from webapp.services.audit.act import Act

# Whoever posts holds the books' lock, so that two never take one number, and none is lost when an act fails. It is sent
# past the session, which would compare it with every entry that it holds in a bulk act.
_POST = DirectChange("""
    UPDATE journal_entries SET status = 'POSTED', posted_at = :at, action_request_id = :act,
        number = coalesce(
            (SELECT max(n.number) FROM journal_entries n WHERE n.organization_id = :organization_id), 0) + 1
    WHERE organization_id = :organization_id AND id = :entry_id AND status = 'DRAFT'
    RETURNING number""")
# The columns that it writes.
WRITTEN = ("status", "posted_at", "action_request_id", "number")


def post(draft: Draft, doing: Act) -> bool:
    """Post a draft under the next number by one conditional update; answers whether it was still a draft."""
    of = {"organization_id": draft.organization_id, "entry_id": draft.id}
    return bool(_POST.make(**of, at=doing.now, act=doing.id))
