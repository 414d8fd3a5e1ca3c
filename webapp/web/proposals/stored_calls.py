"""Calls of the API as they were sent: stored while a person decides, and made again after that."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, parse_qsl, urlencode

from flask import current_app, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import HTTPException

from webapp.database.sessions import instance_folder
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.errors import UnprocessableError
from webapp.models import Proposal
from webapp.schemas.fields import SURROGATE
from webapp.services.storage import kept_files
from webapp.web.access import notes, requests
from webapp.web.access.notes import NOTE
from webapp.web.access.request_state import state
from webapp.web.proposals.sent_files import without_bytes

# A plan's key for the older one in whose place it comes.
REPLACES: Final = "replaces"
IF_MATCH: Final = "If-Match"


class NoTextError(UnprocessableError):
    """A text in this body is not valid Unicode: a character is incomplete."""

    code = "validation"


@dataclass(frozen=True, slots=True)
class Call:
    """A call: its body as JSON text, or a form as `{fields, file: {name, sha256, kept} or none}`, or neither.

    `if_match` is the version of the record that it is meant for, as it was sent.
    """

    method: str
    path: str
    query: str
    body: str | None
    form: Mapping[str, Any] | None
    if_match: str | None = None

    @property
    def fingerprint(self) -> str:
        """Give the SHA-256 of the call, the same however its JSON was written, whatever its note and If-Match say."""
        body = None if self.body is None else json.loads(self.body)
        if isinstance(body, dict):
            body = {key: value for key, value in body.items() if key not in {NOTE, REPLACES}}
        query = urlencode([(name, value) for name, value in parse_qsl(self.query) if name != NOTE])
        whole = {**self.as_columns(), "query": query, "body": body}
        return sha256_hex(canonical_json({key: value for key, value in whole.items() if key != "if_match"}))

    @property
    def payload(self) -> dict[str, Any]:
        """Give what the audit trail has of it, without the bytes of its file."""
        payload: dict[str, Any] = {"method": self.method, "path": self.path}
        if self.query:
            payload["query"] = self.query
        if self.if_match is not None:
            payload["ifMatch"] = self.if_match
        if self.body is not None:
            payload["body"] = without_bytes(json.loads(self.body))
        if self.form is not None:
            file = self.form["file"] or {"name": None, "sha256": None}
            payload |= {"fields": self.form["fields"], "fileName": file["name"], "sha256": file["sha256"]}
        return payload

    def as_columns(self) -> dict[str, Any]:
        """Give the columns that a proposal keeps it in."""
        return {key: getattr(self, key) for key in ("method", "path", "query", "body", "form", "if_match")}


def received() -> Call:
    """Take the request's own call, whose body was read; its file is kept by `with_file`."""
    data = request.get_data() if request.mimetype == "application/json" else b""
    call = Call(
        method=request.method,
        path=request.path,
        query=urlencode(
            [*request.args.items(multi=True), *([(NOTE, state().note)] if NOTE in _asked() else [])]
        ),
        body=data.decode() or None,
        form=_form(),
        if_match=request.headers.get(IF_MATCH),
    )
    if SURROGATE.search(json.dumps(call.payload, ensure_ascii=False)):
        raise NoTextError
    return call


def of(proposal: Proposal) -> Call:
    """Take the call of a proposal."""
    return Call(
        proposal.method, proposal.path, proposal.query, proposal.body, proposal.form, proposal.if_match
    )


def _asked() -> dict[str, list[str]]:
    """Give the query as it came: the guard takes parts of it for itself."""
    return parse_qs(request.query_string.decode())


def _form() -> dict[str, Any] | None:
    if request.mimetype != "multipart/form-data":
        return None
    fields = {key: request.form.getlist(key) for key in sorted(request.form)}
    file = request.files.get("file")
    if file is None:
        return {"fields": fields, "file": None}
    # The trial has read it to its end.
    file.stream.seek(0)
    digest = hashlib.file_digest(file.stream, "sha256").hexdigest()  # type: ignore[arg-type]
    file.stream.seek(0)
    return {"fields": fields, "file": {"name": file.filename, "sha256": digest, "kept": None}}


def with_file(call: Call) -> Call:
    """Keep the file that came with the request beside the books, and name it in its call."""
    if call.form is None or call.form["file"] is None:
        return call
    stream = request.files["file"].stream
    stream.seek(0)
    kept = {**call.form["file"], "kept": kept_files.keep(folder(), stream.read())}
    return replace(call, form={**call.form, "file": kept})


def folder() -> Path:
    """Give the folder in which the files of proposals are kept."""
    return instance_folder(kept_files.PROPOSALS)


def view_of(call: Call) -> Any:
    """Give the view that a call is for; none where this version has no such address."""
    try:
        endpoint, _ = current_app.url_map.bind("").match(call.path, call.method)
    except HTTPException:
        return None
    return current_app.view_functions[endpoint]


@contextmanager
def made_again(call: Call) -> Iterator[None]:
    """Be in the midst of a stored call; the books, the clock and who asks stay what they are."""
    options: dict[str, Any] = {}
    if call.body is not None:
        options = {"data": call.body.encode(), "content_type": "application/json"}
    elif call.form is not None:
        options = {"data": _parts(call.form), "content_type": "multipart/form-data"}
    context = current_app.test_request_context(
        call.path,
        base_url=request.host_url,
        method=call.method,
        query_string=call.query,
        headers={
            "Sec-Fetch-Site": "same-origin",
            **({} if call.if_match is None else {IF_MATCH: call.if_match}),
        },
        environ_base={"REMOTE_ADDR": request.remote_addr},
        **options,
    )
    with context:
        if request.routing_exception is not None:
            raise request.routing_exception
        view = current_app.view_functions[request.endpoint or ""]
        requests.limit_body(getattr(view, "body_limit", requests.BODY_LIMIT))
        before, state().note = state().note, ""
        notes.take_from_query(view)
        try:
            yield
        finally:
            state().note = before


def _parts(form: Mapping[str, Any]) -> MultiDict[str, Any]:
    file = form["file"]
    parts: MultiDict[str, Any] = MultiDict(
        [(key, value) for key, values in form["fields"].items() for value in values]
    )
    if file is not None:
        parts.add("file", (BytesIO(kept_files.read(folder(), file["kept"])), file["name"]))
    return parts
