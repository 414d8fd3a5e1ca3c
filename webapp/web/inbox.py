"""Files of any kind that a request sends, each taken by itself, and those that wait for a person."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response

from webapp import failures
from webapp.db import db
from webapp.models import InboxFile
from webapp.queries.imports.imports import ImportRecord
from webapp.queries.inbox import inbox_files
from webapp.services.documents.sent_files import SentFile
from webapp.services.imports.uploads import Upload
from webapp.services.inbox import arrivals
from webapp.services.inbox.arrivals import Arrival
from webapp.services.storage import stored_files
from webapp.web import downloads, uploads
from webapp.web.access.auth import acting, organization_id


def take_each(received: Sequence[Upload]) -> list[Arrival]:
    """Take files one after the other, each in transactions of its own, so that a refused one stops none."""
    taken = []
    for each in received:
        sent = SentFile(each.file_name, each.data)
        taken.append(arrivals.take(sent, keeps_refused=False, **acting()))
        failures.commit(db.session())
    return taken


def get(inbox_file_id: int) -> InboxFile:
    """Find a file that waits in the books of the request, or raise NotFoundError."""
    return inbox_files.get(organization_id(), inbox_file_id)


def sent(inbox_file_id: int) -> Response:
    """Send a file that waits, as it came."""
    waiting = get(inbox_file_id)
    return downloads.attachment(inbox_files.file_of(waiting), waiting.file_type, waiting.file_name)


def preview(inbox_file_id: int, fa_id: int | None) -> ImportRecord:
    """Preview a waiting file as a bank's, for the account that it is of where the file names none."""
    waiting = get(inbox_file_id)
    data = stored_files.read(inbox_files.file_of(waiting))
    upload = Upload(waiting.file_name, data, None, fa_id)
    # The file is read while the books are closed.
    db.session.rollback()
    return uploads.preview(upload)
