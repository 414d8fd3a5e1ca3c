"""Files of any kind that a request sends, each taken by itself, and those that wait for a person."""

from collections.abc import Sequence
from functools import partial

from flask import Response

from webapp.database import failures
from webapp.database.sessions import db
from webapp.models import InboxFile
from webapp.queries.documents import inbox_files
from webapp.queries.imports.imports import ImportRecord
from webapp.services.documents.sent_files import SentFile
from webapp.services.imports.uploads import Upload
from webapp.services.inbox import arrivals
from webapp.services.inbox.arrivals import Arrival
from webapp.services.storage import stored_files
from webapp.web import downloads, uploads
from webapp.web.access.auth import acting, organization_id


def take_each(received: Sequence[Upload]) -> list[Arrival]:
    """Take the new documents among files together, and each other one by itself, so that a refused one stops none.

    In the transaction of a dry run, a proposal, an approval or a plan all are part of that one.
    """
    files = [arrivals.read(SentFile(each.file_name, each.data)) for each in received]
    if uploads.is_in_transaction():
        take = partial(arrivals.take, keeps_refused=False, import_at_once=uploads.import_at_once)
        return [take(file, **acting()) for file in files]
    taken = arrivals.take_new(files, **acting()) if files[1:] else {}
    failures.commit(db.session())
    for place, file in enumerate(files):
        if place not in taken:
            taken[place] = arrivals.take(file, keeps_refused=False, **acting())
            failures.commit(db.session())
    return [taken[place] for place in range(len(files))]


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
    return uploads.preview(upload, asks=True)
