"""Calls of the API: as they were sent, as they are stored while a person decides, made again, and tried."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs, parse_qsl, urlencode

from flask import current_app, request
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import HTTPException

from webapp.database.places import PROPOSALS
from webapp.database.sessions import instance_folder
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.errors import NotFoundError, UnprocessableError
from webapp.ledger.scopes import scopes_of_role
from webapp.ledger.texts.legible import masked
from webapp.models import Proposal
from webapp.queries.access.principals import Principal
from webapp.queries.effects.books import BalanceChange, ProofChange
from webapp.queries.journal.entry_records import EntryRecord
from webapp.schemas.audit.effects import BalanceChangeSchema, ProofChangeSchema
from webapp.schemas.bookkeeping.journal_entries import JournalEntrySchema
from webapp.schemas.fields import SURROGATE
from webapp.schemas.files import bytes_of
from webapp.schemas.plans import referring
from webapp.services.audit import trials
from webapp.services.audit.trials import CallResult, Json, Trial
from webapp.services.storage import kept_files
from webapp.web.access import notes, requests, selections
from webapp.web.access.auth import organization_id
from webapp.web.access.notes import NOTE
from webapp.web.access.request_state import state
from webapp.web.access.selections import REPLACES

View = TypeVar("View", bound=Callable[..., Any])

IF_MATCH: Final = "If-Match"
FAILED: Final = "FAILED"
FILE_NAME: Final = "fileName"
CONTENT: Final = "content"


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
    query: str = ""
    body: str | None = None
    form: Mapping[str, Any] | None = None
    if_match: str | None = None

    @property
    def fingerprint(self) -> str:
        """Give the SHA-256 of the call, the same however its JSON was written, whatever its note and If-Match say."""
        body = None if self.body is None else json.loads(self.body)
        if isinstance(body, dict):
            body = {key: value for key, value in body.items() if key not in {NOTE, REPLACES}}
        query = urlencode(
            [(name, value) for name, value in parse_qsl(self.query) if name not in {NOTE, REPLACES}]
        )
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
            payload |= {"fields": self.form["fields"], FILE_NAME: file["name"], "sha256": file["sha256"]}
        return payload

    @property
    def view(self) -> Any:
        """Give the view that it is for; none where this version has no such address."""
        try:
            endpoint, _ = current_app.url_map.bind("").match(self.path, self.method)
        except HTTPException:
            return None
        return current_app.view_functions[endpoint]

    def as_columns(self) -> dict[str, Any]:
        """Give the columns that a proposal keeps it in."""
        return {key: getattr(self, key) for key in ("method", "path", "query", "body", "form", "if_match")}


def without_bytes(value: Any) -> Any:
    """Give a JSON value with `size` and `sha256` of each file in the place of its content; null for what is no base64.

    >>> without_bytes({"steps": [{"body": {"fileName": "a.txt", "content": "aGVsbG8="}}]})["steps"][0]["body"]["size"]
    5
    """
    if isinstance(value, list):
        return [without_bytes(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    if not {FILE_NAME, CONTENT} <= value.keys() or not isinstance(value[CONTENT], str):
        return {key: without_bytes(inner) for key, inner in value.items()}
    content = bytes_of(value[CONTENT])
    facts = {
        "size": None if content is None else len(content),
        "sha256": None if content is None else hashlib.sha256(content).hexdigest(),
    }
    return {**{key: inner for key, inner in value.items() if key != CONTENT}, **facts}


def received() -> Call:
    """Take the request's own call, whose body was read; its file is kept by `with_file`."""
    data = request.get_data() if request.mimetype == "application/json" else b""
    # The guard has taken parts of the query for itself.
    sent = parse_qs(request.query_string.decode())
    call = Call(
        method=request.method,
        path=request.path,
        query=urlencode([*_own_query(), *([(NOTE, state().note)] if NOTE in sent else [])]),
        body=masked(data.decode()) or None,
        form=_form(),
        if_match=request.headers.get(IF_MATCH),
    )
    if SURROGATE.search(json.dumps(call.payload, ensure_ascii=False)):
        raise NoTextError
    return call


def _own_query() -> list[tuple[str, str]]:
    """List what the address says of the call itself, which is made again without what came before it."""
    return [(name, value) for name, value in request.args.items(multi=True) if name != REPLACES]


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


def of_proposal(proposal: Proposal) -> Call:
    """Take the call of a proposal."""
    return Call(
        proposal.method, proposal.path, proposal.query, proposal.body, proposal.form, proposal.if_match
    )


def folder() -> Path:
    """Give the folder in which the files of proposals are kept."""
    return instance_folder(PROPOSALS)


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
        requests.limit_body(getattr(view(), "body_limit", requests.BODY_LIMIT))
        before, state().note = (state().note, state().is_late), ""
        state().is_late = False
        notes.take_from_query(view())
        try:
            yield
        finally:
            state().note, state().is_late = before


def _parts(form: Mapping[str, Any]) -> MultiDict[str, Any]:
    file = form["file"]
    parts: MultiDict[str, Any] = MultiDict(
        [(key, value) for key, values in form["fields"].items() for value in values]
    )
    if file is not None:
        parts.add("file", (BytesIO(kept_files.read(folder(), file["kept"])), file["name"]))
    return parts


@contextmanager
def acting_as(who: Principal, counts_for: int | None = None) -> Iterator[None]:
    """Let somebody else be the one who asks, for what a person decides on; only the caps of one token hold, if any."""
    asked = state()
    before = asked.principal
    asked.principal, asked.is_decided_on, asked.counts_for = who, True, counts_for
    try:
        yield
    finally:
        asked.principal, asked.is_decided_on, asked.counts_for = before, False, None


def with_role(found: Principal) -> Principal:
    """Give a token all that its owner may: what it may not do itself is only tried in this name."""
    return replace(found, scopes=scopes_of_role(found.role))


def view() -> Any:
    """Give the view that the request is for."""
    return current_app.view_functions[request.endpoint or ""]


def scope() -> str:
    """Give the scope that the request's call needs, or several with spaces between."""
    own = getattr(view(), "own_scope", None)
    return str(view().scope) if own is None else str(own())


def kind() -> str:
    """Name what is done at an address, for a call that comes to no act or to several kinds."""
    return (request.endpoint or "").removeprefix("api_").replace(".", "_")


def make() -> CallResult:
    """Call the view that the request is for, and read its answer with its schema."""
    response = current_app.make_response(view()(**(request.view_args or {})))
    body, schema = response.get_json(silent=True), selections.answer_schema(view())
    if schema is not None:
        body = referring(schema, body)
    for each in _failed(body):
        if each.get("code") == NotFoundError.code:
            # Of what is not there only the number that was sent is known: it is no row that the call would make.
            each["id"] = int(each["id"])
    failures = [
        {"id": each.get("id"), "code": each.get("code"), "message": each["error"]} for each in _failed(body)
    ]
    return CallResult(response.status_code, body, failures)


def _failed(body: Any) -> list[Json]:
    """List what a bulk call refuses of what it was asked for."""
    return [each for each in _results(body) if each.get("status") == FAILED]


def _results(body: Any) -> list[Json]:
    results = body.get("results") if isinstance(body, dict) else None
    return [each for each in results if isinstance(each, dict)] if isinstance(results, list) else []


def without_refused(result: CallResult | None) -> Call | None:
    """Give the request's own call without the items that it refuses; None where its body does not list them."""
    call, results = received(), _results(result.body if result is not None else None)
    body = json.loads(call.body) if call.body is not None else None
    if not isinstance(body, dict):
        return None
    lists = {key: each for key, each in body.items() if isinstance(each, list)}
    # Results are in the order of the items; of several lists each result has its path.
    whole = next((key for key, each in lists.items() if len(each) == len(results)), None)
    paths = [each.get("path") or f"{whole}.{place}" for place, each in enumerate(results)]
    refused = {path for path, each in zip(paths, results, strict=True) if each.get("status") == FAILED}
    if not refused <= {f"{key}.{place}" for key, each in lists.items() for place in range(len(each))}:
        return None
    kept = {
        key: [item for place, item in enumerate(each) if f"{key}.{place}" not in refused]
        for key, each in lists.items()
    }
    return replace(call, body=json.dumps({**body, **kept}))


def tried() -> Trial:
    """Try the call that the request is for, in the way that its view declares, if it does."""
    own: Callable[[], Trial] | None = getattr(view(), "own_trial", None)
    return trials.run(organization_id(), make, InterfaceShapes()) if own is None else own()


def has_own_trial(view_: Any) -> bool:
    """Return whether a view declares how its call is tried."""
    return getattr(view_, "own_trial", None) is not None


def with_own_trial(tried: Callable[[], Trial], needed: Callable[[], str]) -> Callable[[View], View]:
    """Declare how a view's call is tried, and which scopes it needs, where both depend on what is sent."""

    def declare(view_: View) -> View:
        view_.own_trial, view_.own_scope = tried, needed  # type: ignore[attr-defined]
        return view_

    return declare


class InterfaceShapes:
    """What a trial finds, in the shapes of the API."""

    def __init__(self) -> None:
        self._entry = JournalEntrySchema()
        self._balances, self._proofs = BalanceChangeSchema(many=True), ProofChangeSchema(many=True)

    def entry(self, record: EntryRecord) -> Json:
        """Write a journal entry."""
        found: Json = referring(self._entry, self._entry.dump(record))
        return found

    def balances(self, changes: Sequence[BalanceChange]) -> list[Json]:
        """Write what accounts hold before and after."""
        found: list[Json] = referring(self._balances, self._balances.dump(changes))
        return found

    def proofs(self, changes: Sequence[ProofChange]) -> list[Json]:
        """Write proofs that break or hold again."""
        found: list[Json] = referring(self._proofs, self._proofs.dump(changes))
        return found
