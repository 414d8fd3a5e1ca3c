"""What one request carries from its first moment to its answer: one typed object, alone on `flask.g`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from flask import Response, current_app, g, has_request_context, request

from webapp.ledger.notation.locales import Notation
from webapp.queries.access.principals import Principal
from webapp.services.audit.idempotency_keys import Claim
from webapp.services.imports.planning.records import Reading
from webapp.web.access.buckets import Level

# The part of an address that names the books.
BOOKS = "books"


@dataclass(frozen=True, slots=True)
class Selection:
    """What the query asks of any answer of its kind: some keys of each record, a count, only what changed since.

    `included` are the words by which it asks for keys that are not sent unasked. `is_summary` asks for
    figures in the place of what a write does.
    """

    fields: frozenset[str] | None = None
    included: frozenset[str] = frozenset()
    is_counted: bool = False
    changed_since: datetime | None = None
    is_summary: bool = False


@dataclass(frozen=True, slots=True)
class HeldSlot:
    """The slot of a heavy call: its file descriptor, and the environment of the request that took it."""

    descriptor: int
    environ: Mapping[str, Any]


@dataclass(slots=True)
class RequestState:
    """The state of a request, under its own id and the one that the client has for it.

    `is_proposal` and `is_dry_run` mean that the call is only tried, `is_decided_on` that a person decides or has
    decided on what is done now, with a key whose caps it `counts_for`, `is_step` that it is a step of a plan,
    `lines_of_steps` how many lines of files its steps have brought so far, `readings` the files that it has read, by
    their digest and mapping, `note` why it is done, and `is_late` whether it may post to periods of which a tax return
    is filed. `keeps_writes` lets them be committed though the answer is an error. `of_write` is the selection of a
    write's answer, whatever calls it makes again. `key_claim` is the Idempotency-Key that the answer is to be kept
    under, `slot` what a heavy call holds until it ends. `version` is that of the record that a read answers a part of,
    `answer` a response with the body that was written into it. `books` is the organization that the address names.
    `tells_kept` is set where the page tells what the request that led to it warned of, `is_refused` where the answer
    refuses what was sent though its status does not say so. `language` and `notation` are those of its page, once
    they were asked for.
    """

    now: datetime
    id: str = ""
    id_of_client: str | None = None
    books: str | None = None
    principal: Principal | None = None
    is_proposal: bool = False
    is_dry_run: bool = False
    is_decided_on: bool = False
    counts_for: int | None = None
    is_step: bool = False
    lines_of_steps: int = 0
    readings: dict[tuple[str, str], Reading] = field(default_factory=dict)
    keeps_writes: bool = False
    note: str = ""
    is_late: bool = False
    selection: Selection = field(default_factory=Selection)
    of_write: Selection = field(default_factory=Selection)
    version: str | None = None
    key_claim: Claim | None = None
    rate_level: Level | None = None
    slot: HeldSlot | None = None
    answer: tuple[Response, Any] | None = None
    tells_kept: bool = False
    is_refused: bool = False
    language: str | None = None
    notation: Notation | None = None


def begin(request_id: str, id_of_client: str | None) -> None:
    """Give a request its state, and read the clock for it once."""
    books = (request.view_args or {}).pop(BOOKS, None)
    g.request_state = RequestState(datetime.now(UTC), request_id, id_of_client, books)


def state() -> RequestState:
    """Give the state of this request."""
    found: RequestState = g.request_state
    return found


def requested_view() -> Any:
    """Give the view that the request is for; None where there is none."""
    return current_app.view_functions.get(request.endpoint or "")


def begun() -> RequestState | None:
    """Give the state of a request that has one already; what is logged before has no id."""
    return g.get("request_state") if has_request_context() else None
