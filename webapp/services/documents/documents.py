"""Documents: filed with or without their file, changed and deleted; whenever their fields are set, the rules run."""

from datetime import datetime
from hashlib import sha256

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.files.file_kinds import ALL_KINDS, cleaned, kind_of
from webapp.ledger.references import Kind, Ref
from webapp.ledger.rules.effects import EffectKind
from webapp.models import DeclinedRelation, Document, DocumentRelation, DocumentSetting, refers_to
from webapp.queries.access import organizations
from webapp.queries.documents import deletion_blockers, documents
from webapp.queries.journal import attachments
from webapp.services.audit import titles
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import NothingToChangeError
from webapp.services.documents import fields, further_files, invoices, parties, payments, same_invoices
from webapp.services.documents.fields import DocumentInput
from webapp.services.documents.invoices import FileContents
from webapp.services.documents.sent_files import EmptyFileError, SentFile, refuse_duplicate
from webapp.services.ingestion.rules import LineRules
from webapp.services.rules import document_rules
from webapp.services.storage import stored_files
from webapp.services.storage.stored_files import NewFile


class EmptyDocumentError(UnprocessableError):
    """Send a file, or at least one field of the document."""

    code = "validation"


class SeveralInvoicesError(UnprocessableError):
    """The file has several invoices; send it without fields, and each becomes a document."""

    code = "several_invoices"


class DocumentInUseError(LedgerError):
    """The books use this document; detach it there first."""

    code = "in_use"


def create(
    content: DocumentInput,
    file: SentFile | None,
    *,
    actor: Actor,
    now: datetime,
    force: bool = False,
    note: str = "",
    has_place: bool = False,
) -> Document:
    """File a document, and read its file; where it is read or has fields beside the file, the rules run on it.

    It is attached to the line that certainly pays it, unless it `has_place` already. The file of an invoice that is
    there already is added to that document, which is answered. Each invoice of a file with several becomes a document.

    Raises EmptyDocumentError, FileKindError, AlreadyThereError, what `document_fields.write` raises, and, without
    `force` and a note, SameInvoiceError; SeveralInvoicesError for several invoices and fields, or one place.
    """
    parts = _parts(file)
    if len(parts) > 1:
        return _create_each(content, parts, actor=actor, now=now, force=force, note=note, has_place=has_place)
    file = parts[0] if parts else file
    document, same = _create(content, file, actor=actor, now=now, force=force, note=note)
    if same is not None and file is not None:
        further_files.add(same, file, actor=actor, now=now)
        return same
    if not has_place:
        payments.attach(actor.organization_id, [document], now=now)
    return document


def _parts(file: SentFile | None) -> list[SentFile]:
    """Give a file once for each of its invoices."""
    if file is None or not file.data:
        return []
    contents = file.contents or invoices.contents(file.data)
    return [SentFile(file.name, file.data, each) for each in contents.each()]


def _create_each(
    content: DocumentInput,
    parts: list[SentFile],
    *,
    actor: Actor,
    now: datetime,
    force: bool,
    note: str,
    has_place: bool,
) -> Document:
    """File a document for each invoice of a file; answers the first new one, or the first that is there.

    Raises SeveralInvoicesError where fields were sent, which may be of any of them, or one document is wanted.
    """
    if has_place or content.keys() - {"file_name"}:
        raise SeveralInvoicesError(
            f"The file has {len(parts)} invoices. Send it without fields, and each becomes a document."
        )
    refuse_duplicate(actor.organization_id, sha256(parts[0].data).hexdigest())
    new: list[Document] = []
    there: list[Document] = []
    for part in parts:
        document, same = _create(content, part, actor=actor, now=now, force=force, note=note, is_new=True)
        (new if same is None else there).append(same or document)
    if not new:
        whole = SentFile(parts[0].name, parts[0].data)
        further_files.add(there[0], whole, actor=actor, now=now)
        return there[0]
    payments.attach(actor.organization_id, new, now=now)
    return new[0]


def _create(
    content: DocumentInput,
    file: SentFile | None,
    *,
    actor: Actor,
    now: datetime,
    force: bool,
    note: str,
    is_new: bool = False,
) -> tuple[Document, Document | None]:
    """File one document, unless another one is the same invoice; answers both.

    The file `is_new` where that was asked before.
    """
    payload = fields.as_json(content) | _insisted(force=force)
    with act(actor, now, "create_document", ("document", "new"), note=note, payload=payload) as doing:
        if not content and file is None:
            raise EmptyDocumentError
        document = begun(actor.organization_id, now)
        if file is not None:
            _keep_file(document, file, doing, content, is_new=is_new)
        fields.write(document, _named(document, content))
        if "org_merchant_id" not in content:
            parties.recognise(actor.organization_id, [document])
        same = None if file is None or force else same_invoices.same(document, content)
        if same is not None:
            doing.nothing_to_do()
        else:
            same_invoices.ask(document, force=force, note=note)
            db.session.add(document)
            db.session.flush()
            filed(document, content, doing)
    return document, same


def begun(organization_id: str, now: datetime) -> Document:
    """Make a document that nothing is known of yet."""
    return Document(organization_id=organization_id, document_type="OTHER", set_by_hand=[], created_at=now)


def filed(document: Document, content: DocumentInput, doing: Act, rules: LineRules | None = None) -> None:
    """Say what the act did that filed a new document, and run the rules on what is known of it."""
    doing.target_id, doing.title = str(document.id), f"Filed {titles.of_document(document)}"
    if fields.OWN_FIELDS & content.keys() or document.invoice is not None or document.text is not None:
        document_rules.run_on(document, act_id=doing.id, now=doing.now, rules=rules)
    doing.after = fields.facts(document)


def update(
    document: Document,
    changes: DocumentInput,
    *,
    actor: Actor,
    now: datetime,
    force: bool = False,
    note: str = "",
    learns: bool = True,
) -> Document:
    """Change what was sent of a document; where any of its own fields changes, the rules run on it again.

    Where it `learns`, a merchant that is chosen is known by what the invoice states from then on.
    Raises SameInvoiceError where it gets the sender and number of another one, without `force` and a note.
    """
    target, payload = ("document", document.id), fields.as_json(changes) | _insisted(force=force)
    before = fields.facts(document)
    title = titles.changed("the document", document.label, before, payload, document.organization_id)
    with act(actor, now, "update_document", target, title=title, note=note, payload=payload) as doing:
        if not changes:
            raise NothingToChangeError
        by_hand = fields.write(document, _named(document, changes))
        if fields.facts(document) == before:
            doing.nothing_to_do()
            return document
        if {"sender", "number"} & changes.keys():
            same_invoices.ask(document, force=force, note=note)
        learnt = parties.learn(document) if learns and EffectKind.SET_MERCHANT in by_hand else {}
        document_rules.supersede(document, by_hand, doing.id)
        is_read_anew = fields.own_facts(fields.facts(document)) != fields.own_facts(before)
        if is_read_anew:
            document_rules.run_on(document, act_id=doing.id, now=now)
        after = fields.facts(document)
        doing.before = {key: value for key, value in before.items() if value != after[key]}
        doing.after = {key: value for key, value in after.items() if value != before[key]} | learnt
    if is_read_anew:
        payments.attach(actor.organization_id, [document], now=now)
    return document


def make_merchant(document: Document, *, actor: Actor, now: datetime) -> Document:
    """Make the merchant of a document, known by what its e-invoice states, and choose it; raises NoPartyError."""
    merchant = parties.make(document, actor=actor, now=now)
    return update(document, {"org_merchant_id": merchant.id}, actor=actor, now=now)


def delete(document: Document, *, actor: Actor, now: datetime) -> None:
    """Delete a document that nothing in the books holds, and with the commit its file; raises DocumentInUseError.

    Its fields and its attachments stay in the audit trail; its file is deleted.
    """
    target, title = ("document", document.id), f"Deleted {titles.of_document(document)}"
    with act(actor, now, "delete_document", target, title=title) as doing:
        blocker = deletion_blockers.blocker(document)
        if blocker is not None:
            raise DocumentInUseError(blocker.sentence, details=dict(blocker.details))
        relations = attachments.of_documents(document.organization_id, [document.id])[document.id]
        doing.before = {
            **fields.facts(document),
            "transactionIds": [
                Ref(Kind.TRANSACTION, each.transaction_id) for each in relations if each.transaction_id
            ],
            "journalEntryIds": [
                Ref(Kind.JOURNAL_ENTRY, each.journal_entry_id) for each in relations if each.journal_entry_id
            ],
        }
        file = stored_files.find(document.organization_id, document.sha256)
        further_files.delete_rows(document, documents.further_files(document), now=now)
        for model in (DocumentRelation, DeclinedRelation, DocumentSetting):
            of_it = refers_to(model.document_id, document)
            db.session.execute(sa.delete(model).where(of_it))
        db.session.delete(document)
        db.session.flush()
        if file is not None:
            stored_files.release(file, now=now)


def _insisted(*, force: bool) -> dict[str, object]:
    return {"force": True} if force else {}


def _named(document: Document, content: DocumentInput) -> DocumentInput:
    """Give the fields with a file name that fits the document's file, or is safe at least."""
    name = content.get("file_name")
    if not name:
        return content
    endings = ALL_KINDS[document.file_type].endings if document.file_type else ()
    return {**content, "file_name": cleaned(name, endings)}


def with_file(
    document: Document, file: SentFile, read: FileContents, digest: str, content: DocumentInput
) -> NewFile:
    """Give a new document its file with what that states, in place of nothing that was sent; answers what to keep.

    Raises FileKindError.
    """
    kind = read.kind or kind_of(file.data)
    document.file_name, document.file_type = cleaned(file.name, kind.endings), kind.type
    document.file_size, document.sha256, document.file_part = len(file.data), digest, read.part
    invoices.write(document, read, content, organizations.get(document.organization_id))
    return NewFile(stored_files.pack(file.data), document.file_name, kind.type)


def _keep_file(
    document: Document, file: SentFile, doing: Act, content: DocumentInput, *, is_new: bool
) -> None:
    if not file.data:
        raise EmptyFileError(fields={"file": [str(EmptyFileError())]})
    read, digest = file.contents or invoices.contents(file.data), sha256(file.data).hexdigest()
    new = with_file(document, file, read, digest, content)
    if not is_new:
        refuse_duplicate(document.organization_id, digest)
    stored_files.keep(document.organization_id, new.packed, new.name, new.file_type, now=doing.now)
