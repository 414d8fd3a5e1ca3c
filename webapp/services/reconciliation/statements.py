"""Statements as files: kept as documents, and attached to the open draft."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from webapp.models import Document, FeedAccount
from webapp.services.audit.act import Actor
from webapp.services.documents import attached_files
from webapp.services.documents.sent_files import SentFile
from webapp.services.reconciliation import drafts
from webapp.services.transactions import clearing


def attach_file(account: FeedAccount, file: SentFile, *, actor: Actor, now: datetime) -> Document:
    """Keep a file as a document, or take the one that has it, and make it the statement of the open draft.

    Raises what filing a document raises, and NoDraftError.
    """
    draft = clearing.require(account, None)
    document = attached_files.filed({}, file, actor=actor, now=now)
    statement = replace(drafts.inputs_of(draft), document_id=document.id, keeps_document=False)
    drafts.put_draft(account, statement, version=draft.version, actor=actor, now=now)
    return document
