"""Webhooks: addresses that are told what happens, as Standard Webhooks has it: signed, tried again, never changed."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from fnmatch import fnmatchcase
from typing import Any, Final
from urllib.parse import urlsplit

import sqlalchemy as sa

from webapp.database.sessions import begin_read, begin_write, db
from webapp.ledger.canonical import canonical_json, instant_text
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.models import AuditEvent, WebhookDelivery, WebhookEndpoint
from webapp.models.base import table_of
from webapp.queries.audit import events
from webapp.queries.audit.events import EventRecord
from webapp.queries.common import lookups
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.operating import jobs
from webapp.services.operating.outbound import Gate
from webapp.services.storage import vault
from webapp.services.storage.vault import Owner

DELIVER: Final = "WEBHOOK"
SIGNING, BEFORE = "signing", "signing_before"
PREFIX: Final = "whsec_"
SECRET_BYTES: Final = 32
OVERLAP: Final = timedelta(hours=24)
PAUSED_AFTER: Final = timedelta(days=5)
KEPT: Final = timedelta(days=30)
# Until the next try, after each that failed.
PAUSES: Final = tuple(
    timedelta(seconds=each)
    for each in (5, 300, 1800, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600)
)
PATIENCE_SECONDS: Final = 15
MOST_ANSWER: Final = 2000
MOST_READ: Final = 64 * 1024
MOST_TOLD: Final = 64 * 1024
AT_ONCE: Final = 200
GONE: Final = 410
# What is sent again by hand names the message before it.
REPLAYS: Final = "tieout-replays"
SUCCESS: Final = range(200, 300)
_ENDPOINTS: Final = table_of(WebhookEndpoint)


class WebhookAddressError(UnprocessableError):
    """This server does not call that address: write an https one on the Internet, or see OUTBOUND of the settings."""

    code = "webhook_address"


class WebhookEndedError(LedgerError):
    """This webhook has ended. Add another one."""

    code = "webhook_ended"


def create(
    url: str, types: Sequence[str], view: str, gate: Gate, *, actor: Actor, now: datetime
) -> tuple[WebhookEndpoint, str]:
    """Tell an address what happens from now on; answers with the secret that signs it, once."""
    host = _host(url, gate)
    with act(actor, now, "create_webhook", ("webhook", "new"), title=f"Added the webhook to {host}") as doing:
        head = events.end(actor.organization_id).head
        endpoint = WebhookEndpoint(
            organization_id=actor.organization_id,
            uid=vault.new_uid(),
            url=url,
            types=list(types),
            view=view,
            status="ACTIVE",
            # Its own event comes after that.
            after_sequence=head.sequence if head else 0,
            enabled_at=now,
            created_at=now,
        )
        db.session.add(endpoint)
        db.session.flush()
        doing.target_id, doing.after = str(endpoint.id), _facts(endpoint)
        return endpoint, _new_secret(endpoint, now)


def change(
    endpoint: WebhookEndpoint,
    *,
    url: str,
    types: Sequence[str],
    view: str,
    gate: Gate,
    actor: Actor,
    now: datetime,
) -> None:
    """Tell another address, of other types or in another view; what waits is sent there as it is."""
    title = f"Changed the webhook to {_host(url, gate)}"
    with act(actor, now, "change_webhook", ("webhook", endpoint.id), title=title) as doing:
        _refuse_ended(endpoint)
        doing.before = _facts(endpoint)
        endpoint.url, endpoint.types, endpoint.view = url, list(types), view
        doing.after = _facts(endpoint)
        if doing.after == doing.before:
            doing.nothing_to_do()


def rotate(endpoint: WebhookEndpoint, *, actor: Actor, now: datetime) -> str:
    """Sign with a new secret, and for a day with the one before too; answers with it, once."""
    title = f"Renewed the secret of the webhook to {_name(endpoint)}"
    with act(actor, now, "rotate_webhook", ("webhook", endpoint.id), title=title):
        _refuse_ended(endpoint)
        vault.put(_owner(endpoint), BEFORE, vault.get(_owner(endpoint), SIGNING), now=now)
        endpoint.rotated_at = now
        return _new_secret(endpoint, now)


def switch(endpoint: WebhookEndpoint, *, is_on: bool, actor: Actor, now: datetime) -> None:
    """Let a webhook pause, or go on with what waits; its failures count from then on."""
    title = f"{'Let the webhook go on to' if is_on else 'Paused the webhook to'} {_name(endpoint)}"
    with act(actor, now, "switch_webhook", ("webhook", endpoint.id), title=title) as doing:
        _refuse_ended(endpoint)
        if is_on == (endpoint.status == "ACTIVE"):
            doing.nothing_to_do()
            return
        endpoint.status = "ACTIVE" if is_on else "PAUSED"
        doing.after = {"isOn": is_on}
        if is_on:
            endpoint.failing_since, endpoint.enabled_at = None, now
            for each in db.session.scalars(_of(endpoint).where(WebhookDelivery.state == "WAITING")):
                _want(each, now, now)


def end(endpoint: WebhookEndpoint, *, actor: Actor, now: datetime) -> None:
    """Tell an address no more, for good."""
    title = f"Ended the webhook to {_name(endpoint)}"
    with act(actor, now, "end_webhook", ("webhook", endpoint.id), title=title) as doing:
        if endpoint.status == "ENDED":
            doing.nothing_to_do()
            return
        endpoint.status = "ENDED"
        vault.drop(_owner(endpoint))


def send_again(delivery: WebhookDelivery, *, now: datetime) -> WebhookDelivery:
    """Send the same body again under an id of its own, which names the one before."""
    endpoint = lookups.get(WebhookEndpoint, delivery.organization_id, delivery.endpoint_id)
    _refuse_ended(endpoint)
    message_id = f"msg_{secrets.token_hex(12)}"
    return _add(endpoint, message_id, delivery.type, delivery.body, now, replays=delivery.message_id)


def find(organization_id: str, endpoint_id: int) -> WebhookEndpoint:
    """Find a webhook of some books, or raise NotFoundError."""
    return lookups.get(WebhookEndpoint, organization_id, endpoint_id)


def find_delivery(organization_id: str, delivery_id: int) -> WebhookDelivery:
    """Find what was sent to a webhook, or raise NotFoundError."""
    return lookups.get(WebhookDelivery, organization_id, delivery_id)


def listed(organization_id: str) -> Sequence[WebhookEndpoint]:
    """List the webhooks of some books, the newest first."""
    own = sa.select(WebhookEndpoint).where(WebhookEndpoint.organization_id == organization_id)
    return db.session.scalars(own.order_by(WebhookEndpoint.id.desc())).all()


def deliveries(endpoint: WebhookEndpoint, most: int) -> Sequence[WebhookDelivery]:
    """List what was sent to an endpoint last, the newest first."""
    return db.session.scalars(_of(endpoint).order_by(WebhookDelivery.id.desc()).limit(most)).all()


def behind() -> list[str]:
    """List the organizations in which something happened that an endpoint was not told."""
    event = table_of(AuditEvent)
    newer = sa.select(event.c.sequence).where(
        event.c.organization_id == _ENDPOINTS.c.organization_id,
        event.c.sequence > _ENDPOINTS.c.after_sequence,
    )
    found = sa.select(_ENDPOINTS.c.organization_id).where(_ENDPOINTS.c.status == "ACTIVE", newer.exists())
    return list(db.session.scalars(found.distinct()))


def gather(organization_id: str, now: datetime) -> None:
    """Write a message for each event that an endpoint was not told and asks for, with the job that sends it."""
    active = WebhookEndpoint.organization_id == organization_id, WebhookEndpoint.status == "ACTIVE"
    for endpoint in db.session.scalars(sa.select(WebhookEndpoint).where(*active)).all():
        found = events.after(organization_id, endpoint.after_sequence, limit=AT_ONCE)
        claimed = db.session.execute(
            sa.update(_ENDPOINTS)
            .where(
                _ENDPOINTS.c.organization_id == organization_id,
                _ENDPOINTS.c.id == endpoint.id,
                _ENDPOINTS.c.after_sequence == endpoint.after_sequence,
            )
            .values(after_sequence=found.after)
        )
        if claimed.rowcount != 1:  # type: ignore[attr-defined]
            continue
        for event in found.events:
            if any(fnmatchcase(event.type, each) for each in endpoint.types):
                message_id = f"msg_{endpoint.uid[:16]}_{event.sequence}"
                _add(endpoint, message_id, event.type, _body(event, organization_id, endpoint.view), now)
        is_old = WebhookDelivery.state != "WAITING", WebhookDelivery.created_at < now - KEPT
        db.session.execute(
            sa.delete(WebhookDelivery).where(*_is_of(endpoint), *is_old),
            execution_options={"synchronize_session": False},
        )
        db.session.expire(endpoint)


def deliver(organization_id: str, delivery_id: int, gate: Gate, clock: Callable[[], datetime]) -> None:
    """Send a message outside any transaction, and write what came of it; the end of the job commits that."""
    begin_read(organization_id)
    delivery = lookups.get(WebhookDelivery, organization_id, delivery_id)
    endpoint = lookups.get(WebhookEndpoint, organization_id, delivery.endpoint_id)
    if delivery.state != "WAITING" or endpoint.status != "ACTIVE":
        db.session.rollback()
        return
    began, address, body = clock(), endpoint.url, delivery.body.encode()
    headers = signed(delivery.message_id, body, _secrets(endpoint, began), began)
    if delivery.replays is not None:
        headers[REPLAYS] = delivery.replays
    db.session.rollback()
    status, said, retry_after = _sent(address, body, headers, gate)
    begin_write(organization_id)
    delivery = lookups.get(WebhookDelivery, organization_id, delivery_id)
    delivery.attempts += 1
    delivery.status_code, delivery.answer, delivery.tried_at = status, said[:MOST_ANSWER], began
    _settle(delivery, status, retry_after, began, clock())


def signed(message_id: str, body: bytes, keys: Sequence[bytes], at: datetime) -> dict[str, str]:
    """Give the headers of a message, with a signature by each key.

    >>> from datetime import UTC
    >>> signed("msg_1", b"{}", [b"key"], datetime(2026, 1, 1, tzinfo=UTC))["webhook-signature"]
    'v1,0/Ipju/4VE3SwnSlNISH88dz4gvLVwAmi1an38hiC34='
    """
    stamp = str(int(at.timestamp()))
    content = b".".join((message_id.encode(), stamp.encode(), body))
    signatures = [base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode() for key in keys]
    return {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": stamp,
        "webhook-signature": " ".join(f"v1,{each}" for each in signatures),
    }


def _sent(address: str, body: bytes, headers: dict[str, str], gate: Gate) -> tuple[int | None, str, str]:
    """Send a message; answers the status, none where there was no answer, what it says, and when to try again."""
    try:
        answer = gate.ask(
            "POST",
            address,
            {urlsplit(address).hostname or ""},
            headers=headers,
            body=body,
            most_bytes=MOST_READ,
            seconds=PATIENCE_SECONDS,
        )
    except LedgerError as error:
        return None, str(error), ""
    return answer.status, answer.data.decode(errors="replace").replace("\x00", ""), answer.retry_after


def _settle(
    delivery: WebhookDelivery, status: int | None, retry_after: str, began: datetime, now: datetime
) -> None:
    """Say what a try means for the message and its endpoint.

    What was begun before somebody let the endpoint go on neither pauses nor ends it.
    """
    endpoint = lookups.get(WebhookEndpoint, delivery.organization_id, delivery.endpoint_id)
    is_late = began < endpoint.enabled_at
    if status is not None and status in SUCCESS:
        delivery.state, endpoint.failing_since = "DONE", None
        return
    if status == GONE and not is_late:
        delivery.state, endpoint.status = "FAILED", "ENDED"
        vault.drop(_owner(endpoint))
        return
    if not is_late:
        endpoint.failing_since = endpoint.failing_since or now
        if now - endpoint.failing_since >= PAUSED_AFTER and endpoint.status == "ACTIVE":
            endpoint.status = "PAUSED"
    if delivery.attempts > len(PAUSES):
        delivery.state = "FAILED"
        return
    pause = PAUSES[delivery.attempts - 1]
    pause = max(pause, min(_wished(retry_after, now), PAUSES[-1]))
    jitter = timedelta(milliseconds=secrets.randbelow(int(pause.total_seconds() * 100) + 1))
    _want(delivery, now + pause + jitter, now)


def _wished(retry_after: str, now: datetime) -> timedelta:
    """Read how long to wait as a header has it, in seconds or until a time (RFC 9110, 10.2.3).

    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> [_wished(each, now).seconds for each in ("9", "Thu, 01 Jan 2026 00:01:00 GMT", "soon")]
    [9, 60, 0]
    """
    if retry_after.isascii() and retry_after.isdigit():
        return timedelta(seconds=int(retry_after[:9]))
    try:
        until = parsedate_to_datetime(retry_after)
    except ValueError:
        return timedelta()
    return max(until.replace(tzinfo=until.tzinfo or UTC) - now, timedelta())


def _add(
    endpoint: WebhookEndpoint,
    message_id: str,
    type_: str,
    body: str,
    now: datetime,
    *,
    replays: str | None = None,
) -> WebhookDelivery:
    delivery = WebhookDelivery(
        organization_id=endpoint.organization_id,
        endpoint_id=endpoint.id,
        message_id=message_id,
        replays=replays,
        type=type_,
        body=body,
        state="WAITING",
        attempts=0,
        answer="",
        created_at=now,
    )
    db.session.add(delivery)
    db.session.flush()
    _want(delivery, now, now)
    return delivery


def _want(delivery: WebhookDelivery, at: datetime, now: datetime) -> None:
    occurrence = f"{delivery.attempts} {now.isoformat()}"
    jobs.want(delivery.organization_id, DELIVER, occurrence, subject=str(delivery.id), at=at, now=now)


def _body(event: EventRecord, organization_id: str, view: str) -> str:
    """Write what an endpoint is told of an event: ids alone, or all that the feed of events has, with its marks.

    A body that is too long for a message stays in the feed, at the address that is told.
    """
    data: dict[str, Any] = {
        "sequence": event.sequence,
        "organizationId": organization_id,
        "kind": event.kind,
        "target": event.target,
        "actor": {"kind": event.actor["kind"], "id": event.actor["id"]},
        "actionRequestId": event.action_request_id,
    }
    if event.digest is not None:
        data["digest"] = event.digest
    whole: dict[str, Any] = {"type": event.type, "timestamp": instant_text(event.at), "data": data}
    if view == "FULL":
        data |= {"actor": event.actor, "previousHash": event.previous_hash, "hash": event.hash}
        is_short = len(event.body) <= MOST_TOLD
        whole["untrusted"] = ["data.actor.name", *(["data.body"] if is_short else [])]
        place = f"/api/events?after={event.sequence - 1}&limit=1&include=body"
        data |= {"body": event.body} if is_short else {"bodyAt": place}
    return canonical_json(whole)


def _secrets(endpoint: WebhookEndpoint, now: datetime) -> list[bytes]:
    """Give the keys that sign now, the newest first."""
    is_new = endpoint.rotated_at is not None and now - endpoint.rotated_at < OVERLAP
    purposes = (SIGNING, BEFORE) if is_new else (SIGNING,)
    found = [vault.get(_owner(endpoint), each) for each in purposes]
    return [base64.b64decode(each.removeprefix(PREFIX)) for each in found]


def _new_secret(endpoint: WebhookEndpoint, now: datetime) -> str:
    secret = PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
    vault.put(_owner(endpoint), SIGNING, secret, now=now)
    return secret


def _host(url: str, gate: Gate) -> str:
    """Give the host of an address that may be called; raises WebhookAddressError."""
    try:
        return gate.require(url, {urlsplit(url).hostname or ""})
    except (LedgerError, ValueError):
        raise WebhookAddressError(fields={"url": [str(WebhookAddressError.__doc__)]}) from None


def _name(endpoint: WebhookEndpoint) -> str:
    return urlsplit(endpoint.url).hostname or ""


def _facts(endpoint: WebhookEndpoint) -> dict[str, object]:
    return {"url": endpoint.url, "types": endpoint.types, "view": endpoint.view}


def _refuse_ended(endpoint: WebhookEndpoint) -> None:
    if endpoint.status == "ENDED":
        raise WebhookEndedError


def _owner(endpoint: WebhookEndpoint) -> Owner:
    return Owner("webhook", endpoint.uid)


def _is_of(endpoint: WebhookEndpoint) -> tuple[sa.ColumnElement[bool], ...]:
    of_books = WebhookDelivery.organization_id == endpoint.organization_id
    return of_books, WebhookDelivery.endpoint_id == endpoint.id


def _of(endpoint: WebhookEndpoint) -> sa.Select[WebhookDelivery]:
    return sa.select(WebhookDelivery).where(*_is_of(endpoint))
