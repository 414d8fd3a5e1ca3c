"""The inverses of what comes in: documents with their relations, open items, imports and pushes."""

import json
import zlib
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, cast

from webapp.ledger.canonical import camel
from webapp.models import ActionRequest, Document, FeedAccount, Import, Merchant
from webapp.queries.common import lookups
from webapp.queries.documents import documents as queried
from webapp.queries.items import items
from webapp.queries.journal import attachments
from webapp.queries.matching import feed_lines
from webapp.queries.transactions import transactions
from webapp.services.audit.field_changes import facts
from webapp.services.documents import declines, documents, fields, further_files, parties, relations
from webapp.services.documents.fields import DocumentInput
from webapp.services.imports.removal import removals
from webapp.services.items import due_days
from webapp.services.transactions import lifecycle
from webapp.services.undo.reasons import ChangedSinceError, Undoing, require_same, stay

NAMES = {"transaction_id": "transaction", "journal_entry_id": "journal_entry"}
ITEM_NAMES = {"dueOn": "due_on", "reference": "reference"}


def unfile(undoing: Undoing, request: ActionRequest) -> str:
    """Delete a document that was filed, and that nothing in the books holds."""
    document = lookups.get(Document, undoing.actor.organization_id, undoing.target_id(request))
    require_same(fields.facts(document), request.after)
    of_it = attachments.of_documents(document.organization_id, [document.id])[document.id]
    for each in of_it:
        if each.is_automatic and each.transaction_id is not None:
            relations.unrelate(document, "transaction_id", each.transaction_id, **undoing.by)
    documents.delete(document, **undoing.by)
    return f"Delete {document.label}, with its file." if document.sha256 else f"Delete {document.label}."


def unchange(undoing: Undoing, request: ActionRequest) -> str:
    """Give a document its earlier fields, and let its merchant forget what it learnt by them."""
    organization_id, after = undoing.actor.organization_id, request.after or {}
    document = lookups.get(Document, organization_id, undoing.target_id(request))
    require_same(
        fields.facts(document), {key: value for key, value in after.items() if key not in parties.LEARNT}
    )
    learnt = {key: value for key, value in after.items() if key in parties.LEARNT}
    if learnt and document.org_merchant_id is not None:
        merchant = lookups.get(Merchant, organization_id, document.org_merchant_id)
        parties.forget(merchant, learnt, **undoing.by)
    earlier = _content(undoing, request.before or {})
    documents.update(document, earlier, force=True, note=undoing.reason, learns=False, **undoing.by)
    return f"Restore {document.label} as it was before."


def _content(undoing: Undoing, before: Mapping[str, object]) -> DocumentInput:
    """Read the fields of a document out of the audit trail."""
    text = before.get("text")
    if isinstance(text, str) and len(text) > fields.LONGEST_TEXT:
        stay("Its earlier text is too long for the activity; correct it by hand.")
    content: dict[str, object] = {}
    for name in (*fields.PLAIN, *fields.AMOUNTS, "currency", *fields.CHOICES):
        value = before.get(camel(name))
        if camel(name) not in before:
            continue
        if value is not None and name in fields.AMOUNTS:
            value = Decimal(str(value))
        elif value is not None and name in {"issued_on", "due_on", "received_on"}:
            value = date.fromisoformat(str(value))
        elif name in fields.KINDS and isinstance(value, int):
            value = undoing.present_id(fields.KINDS[name], value)
        content[name] = value
    return cast("DocumentInput", content)


def remove_file(undoing: Undoing, request: ActionRequest) -> str:
    """Delete a file that was added to a document."""
    document = lookups.get(Document, undoing.actor.organization_id, int(request.target_id))
    digest = str((request.payload or {})["sha256"])
    if digest not in {each.sha256 for each in queried.further_files(document)}:
        raise ChangedSinceError
    further_files.remove(document, digest, **undoing.by)
    return f"Delete a file of {document.label}."


def detach(undoing: Undoing, request: ActionRequest) -> str:
    """Detach a document that was attached."""
    document, name, other_id = _related(undoing, request)
    if attachments.between(document, name, other_id) is None:
        raise ChangedSinceError
    declines = bool((request.before or {}).get("isDeclined"))
    relations.unrelate(document, name, other_id, declines=declines, **undoing.by)
    return f"Detach {document.label} again."


def attach_again(undoing: Undoing, request: ActionRequest) -> str:
    """Attach a document again that was detached."""
    document, name, other_id = _related(undoing, request)
    if not relations.relate(document, name, other_id, **undoing.by).is_new:
        raise ChangedSinceError
    return f"Attach {document.label} again."


def offer_again(undoing: Undoing, request: ActionRequest) -> str:
    """Let a document be offered again where it was declined."""
    document, name, other_id = _related(undoing, request)
    if attachments.declined(document, name, other_id) is None:
        raise ChangedSinceError
    declines.withdraw(document, name, other_id, **undoing.by)
    return f"Offer {document.label} again."


def decline_again(undoing: Undoing, request: ActionRequest) -> str:
    """Decline a document again that was offered again."""
    document, name, other_id = _related(undoing, request)
    if attachments.declined(document, name, other_id) is not None:
        raise ChangedSinceError
    declines.decline(document, name, other_id, **undoing.by)
    return f"Decline {document.label} again."


def _related(undoing: Undoing, request: ActionRequest) -> tuple[Document, str, int]:
    document = lookups.get(Document, undoing.actor.organization_id, int(request.target_id))
    name = next(name for name in NAMES if camel(name) in request.payload)
    return document, name, undoing.present_id(NAMES[name], request.payload[camel(name)])


def unedit_item(undoing: Undoing, request: ActionRequest) -> str:
    """Give an item the due day and the reference back that it had."""
    item = items.get(undoing.by["actor"].organization_id, undoing.target_id(request))
    before = {ITEM_NAMES[name]: value for name, value in (request.before or {}).items() if name in ITEM_NAMES}
    after = {name: value for name, value in (request.after or {}).items() if name in ITEM_NAMES}
    require_same(facts(item, before), after)
    due_days.edit(item, _changes(before), **undoing.by)
    return f"Put back {' and '.join(sorted(before)).replace('due_on', 'the due day')} of item {item.id}."


def _changes(before: dict[str, Any]) -> due_days.ItemChanges:
    changes: due_days.ItemChanges = {}
    if "due_on" in before:
        changes["due_on"] = date.fromisoformat(before["due_on"]) if before["due_on"] else None
    if "reference" in before:
        changes["reference"] = before["reference"]
    return changes


def take_import_back(undoing: Undoing, request: ActionRequest) -> str:
    """Take an import back, as if it had never been."""
    imported = lookups.get(Import, undoing.actor.organization_id, int(request.target_id))
    removals.take_back(imported, undoing.folder, **undoing.by)
    return "Remove the import, with its lines and drafts."


def delete_pushed_lines(undoing: Undoing, request: ActionRequest) -> str:
    """Delete the lines that a push brought, where it brought nothing else."""
    payload = request.payload
    if payload["modified"] or payload["removed"]:
        stay("The push changed or removed lines of the bank; each line shows what changed.")
    feed = lookups.get(FeedAccount, undoing.actor.organization_id, int(request.target_id))
    push = feed_lines.push(feed, payload["batchId"])
    results: list[dict[str, Any]] = json.loads(zlib.decompress(push.answer))["results"] if push else []
    ids = [each["transactionId"] for each in results if each["verdict"] == "NEW"]
    if not ids:
        stay("The push brought no new line.")
    for line_id in ids:
        line = transactions.get(feed.organization_id, line_id)
        if line.status == "DELETED":
            raise ChangedSinceError
        lifecycle.delete(line, **undoing.by)
    return f"Delete the {len(ids)} line{'' if len(ids) == 1 else 's'} that it brought."
