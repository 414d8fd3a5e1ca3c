"""A push of a feed: taken whole or not at all, and once however often it is sent."""

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm.attributes import set_committed_value

from webapp.database.sessions import db
from webapp.importers import providers
from webapp.importers.providers import AccountSelector
from webapp.ledger import titles
from webapp.ledger.canonical import sha256_hex
from webapp.ledger.errors import LedgerError
from webapp.ledger.files.file_kinds import JSON, cleaned
from webapp.ledger.matching.pushed_lines import NonsenseError
from webapp.ledger.money import AmountTooLargeError, Money
from webapp.models import FeedAccount, FeedPush, ProviderBalance
from webapp.models.base import table_of
from webapp.queries.access import organizations
from webapp.queries.accounts import balances
from webapp.queries.matching import feed_lines
from webapp.queries.matching import pushes as push_questions
from webapp.queries.transactions import doubts
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.documents import payments
from webapp.services.feeds import lines as pushed_lines
from webapp.services.feeds import removed_lines
from webapp.services.feeds.incoming_lines import IncomingLine, PushBody, PushContext
from webapp.services.feeds.sensible_pushes import incoming, stated_balance
from webapp.services.ingestion import closed_days
from webapp.services.ingestion.new_lines import LineTooLargeError
from webapp.services.storage import stored_files

PAUSED_AFTER = 3
# A stated balance so many times what the books have is looked at once more.
FAR_TIMES = 100
FAR_BALANCE = "far_balance"
PROVIDER = "push"
# The verdicts on lines that come into the books, as far as the bank has booked them.
BOOKED = frozenset({"NEW", "POSSIBLY_THERE"})
# A file holds a push in the shape of our own API, or what one of the providers answered.
OWN_FORMAT = "tieout"
FORMATS = (OWN_FORMAT, *providers.PROVIDERS)
_FEED = table_of(FeedAccount)
_NEW = sa.insert(table_of(FeedPush))
_KEYS = ("providerTransactionId", "verdict", "transactionId", "reason")


class PushReusedError(LedgerError):
    """A batch with this id was accepted with other content; send the new lines under another id."""

    code = "batch_reused"


class FeedPausedError(LedgerError):
    """This feed is paused until a person resumes it."""

    code = "feed_paused"
    untrusted = ("error",)


def push(
    feed_account: FeedAccount,
    body: PushBody,
    *,
    actor: Actor,
    now: datetime,
    provider: str = PROVIDER,
    sent: bytes = b"",
) -> str:
    """Take a push and answer its results as JSON, one for each line: added, modified, then removed.

    The same push again changes nothing and answers the same. `body` is what PushSchema loads, `sent` the bytes that it
    came as, which are kept; without them the body is.
    Raises FeedPausedError, PushReusedError, or NonsenseError; three of these in a row pause the feed.
    """
    counts = {
        "added": len(body["added"]),
        "modified": len(body["modified"]),
        "removed": len(body["removed"]),
    }
    digest = digest_of(body)
    payload = {"batchId": body["batch_id"], "sha256": digest, **counts}
    total = sum(counts.values())
    title = f"Pushed {titles.counted(total, 'line')} to {feed_account.name}"
    with act(
        actor, now, "push_feed", ("feed_account", feed_account.id), title=title, payload=payload
    ) as doing:
        if feed_account.paused_at is not None:
            raise FeedPausedError(
                f"This feed is paused: {feed_account.paused_reason} A person can resume it."
            )
        earlier, has_documents = push_questions.before(feed_account, body["batch_id"])
        if earlier is not None:
            if earlier.digest != digest:
                raise PushReusedError
            doing.nothing_to_do()
            return zlib.decompress(earlier.answer).decode()
        doing.when_refused = lambda error: count_refused(feed_account, error, now)
        results = _take(feed_account, body, doing, provider)
        answer = store_push(feed_account, body, digest, results, sent=sent, now=now)
    if has_documents:
        line_ids = {each[2] for each in results if isinstance(each[2], int)}
        payments.attach_to_lines(feed_account.organization_id, line_ids, now=now)
    return answer


def _take(feed_account: FeedAccount, body: PushBody, doing: Act, provider: str) -> list[Sequence[object]]:
    now = doing.now
    organization = organizations.get(feed_account.organization_id)
    today = organizations.today(organization.id, now)
    brought = {line.provider_transaction_id for line in (*body["added"], *body["modified"])}
    removed_ids = frozenset(body["removed"])
    context = PushContext(
        organization, feed_account, now, doing.id, frozenset(brought) - removed_ids, removed_ids
    )
    added = incoming(body["added"], feed_account, today, "added")
    modified = incoming(body["modified"], feed_account, today, "modified")
    balance = stated_balance(body["balance"], feed_account, today)
    for lines in _in_order(feed_account, added, modified):
        if lines:
            _take_lines(context, lines)
    removed = removed_lines.remove(feed_account, body["removed"], now=now)
    if body["pending_until"] is not None:
        brought |= {each.line.provider_transaction_id for each in (*added, *modified)}
        ended = feed_lines.pending_until(feed_account, body["pending_until"])
        removed += removed_lines.remove(feed_account, sorted(ended - brought), now=now)
    if balance is not None:
        _store_balance(feed_account, *balance, now)
        _warn_of_balance(feed_account, *balance[:2], doing)
    _note_taken(feed_account, provider, now)
    results: list[Sequence[object]] = [
        *((each.sent_id, each.verdict, each.line_id, each.reason) for each in (*added, *modified)),
        *removed,
    ]
    new = [each for each in (*added, *modified) if each.verdict in BOOKED]
    dated = [(each.line.booked_on, each.amount_minor) for each in new]
    name, currency = feed_account.name, feed_account.currency
    for code, sentence in (
        *closed_days.warnings(organization, feed_account, name, currency, dated),
        *doubts.of_runs(organization.id, context.run_ids),
    ):
        doing.warn(code, sentence)
    doing.after = {"verdicts": dict(Counter(verdict for _, verdict, _, _ in results))}
    return results


def _note_taken(feed_account: FeedAccount, provider: str, now: datetime) -> None:
    """Say of an account who sent its last push, and when; past the session, which would flush it."""
    values = {"provider": provider, "last_feed_at": now, "refused_pushes": 0, "updated_at": now}
    of_account = _FEED.c.organization_id == feed_account.organization_id, _FEED.c.id == feed_account.id
    db.session.execute(sa.update(_FEED).where(*of_account).values(values))
    for name, value in values.items():
        set_committed_value(feed_account, name, value)


def _in_order(
    feed_account: FeedAccount, added: Sequence[IncomingLine], modified: Sequence[IncomingLine]
) -> Iterable[Sequence[IncomingLine]]:
    """Give the lines of a push in the order to take them: known lines change before new ones are compared with them."""
    added_ids = {each.line.provider_transaction_id for each in added}
    known = feed_lines.last_events(
        feed_account, {each.line.provider_transaction_id for each in modified} - added_ids
    )
    changes = [each for each in modified if each.line.provider_transaction_id in known]
    rest = [each for each in modified if each.line.provider_transaction_id not in known]
    return changes, added, rest


def _take_lines(context: PushContext, lines: Sequence[IncomingLine]) -> None:
    try:
        pushed_lines.take(context, lines)
    except LineTooLargeError as error:
        raise NonsenseError(
            f"A line of this batch is too large in {context.organization.base_currency}: {error}",
            code=AmountTooLargeError.code,
        ) from None


def _store_balance(
    feed_account: FeedAccount, amount: Money, day: date, stated_at: datetime | None, now: datetime
) -> None:
    """Store a stated balance as a snapshot; one that is stored already keeps its place."""
    facts = {
        "organization_id": feed_account.organization_id,
        "feed_account_id": feed_account.id,
        "day": day,
        "amount_minor": amount.minor,
        "stated_at": stated_at,
        "import_id": None,
    }
    is_stored = sa.and_(
        *(getattr(ProviderBalance, name).is_not_distinct_from(value) for name, value in facts.items())
    )
    if db.session.scalar(sa.select(ProviderBalance.id).where(is_stored).limit(1)) is None:
        row = {**facts, "currency": amount.currency, "received_at": now}
        db.session.execute(sa.insert(ProviderBalance), [row])


def _warn_of_balance(feed_account: FeedAccount, stated: Money, day: date, doing: Act) -> None:
    """Warn of a stated balance that is a hundred times what the books have, as one in the smallest unit is."""
    of = feed_account.organization_id
    posted = balances.of_accounts(of, [feed_account.account_id], through=day).values()
    there = (
        *(each.amount_minor for each in posted),
        balances.lines_until(of, feed_account.id, day),
    )
    books = Money(max(there, key=abs), stated.currency)
    if books and abs(stated.minor) >= FAR_TIMES * abs(books.minor):
        doing.warn(
            FAR_BALANCE,
            f"{feed_account.name}: the balance of {day:%-d %b %Y}, {stated.formatted}, is a hundred times what the"
            f" books have, {books.formatted}, or more. If it is in the smallest unit, send it in {stated.currency}.",
        )


def count_refused(feed_account: FeedAccount, error: LedgerError, now: datetime) -> None:
    """Count a push that was refused as nonsense, and pause the feed at the third in a row; after the rollback."""
    if not isinstance(error, NonsenseError):
        return
    key = feed_account.organization_id, feed_account.id
    feed = db.session.get_one(FeedAccount, key, populate_existing=True)
    feed.refused_pushes += 1
    if feed.refused_pushes >= PAUSED_AFTER and feed.paused_at is None:
        feed.paused_at = now
        feed.paused_reason = f"{PAUSED_AFTER} batches in a row were unusable. The last: {error}"
    db.session.flush()


def resume(feed_account: FeedAccount, *, actor: Actor, now: datetime) -> FeedAccount:
    """Resume a paused feed; one that is not paused stays as it is."""
    title = f"Resumed the bank connection of {feed_account.name}"
    with act(actor, now, "resume_feed", ("feed_account", feed_account.id), title=title) as doing:
        if feed_account.paused_at is None:
            doing.nothing_to_do()
            return feed_account
        doing.before = {"pausedReason": feed_account.paused_reason}
        feed_account.paused_at = feed_account.paused_reason = None
        feed_account.refused_pushes = 0
        doing.after = {"pausedReason": None}
        db.session.flush()
    return feed_account


def body_of(
    data: bytes,
    file_format: str,
    feed_account: FeedAccount,
    provider_account: str | None,
    *,
    now: datetime,
) -> tuple[object, Sequence[str]]:
    """Read the body of a push for a feed account from a file of one of FORMATS, and its warnings.

    `provider_account` is the provider's own id of the account, where its answer has several. Raises
    PayloadRefusedError with a sentence for the user.
    """
    if file_format == OWN_FORMAT:
        return providers.parsed(data), ()
    selector = AccountSelector(provider_account, feed_account.external_id, feed_account.currency)
    today = organizations.today(feed_account.organization_id, now)
    found = providers.read(file_format, data, selector).without_nonsense(today)
    return found.body(), (*found.left_out, *found.warnings)


def digest_of(body: PushBody) -> str:
    """Give the SHA-256 of the content of a push, however its JSON was written."""
    return sha256_hex(_written(body))


def _written(body: PushBody) -> str:
    # Lines are written as in earlier versions, so that a push that is sent again is still the same one.
    written = {key: value for key, value in body.items() if key != "pending_until"}
    for name in ("added", "modified"):
        written[name] = [line[:-1] for line in body[name]]
    return json.dumps(written, default=str, separators=(",", ":"), sort_keys=True)


def store_push(
    feed_account: FeedAccount,
    body: PushBody,
    digest: str,
    results: Iterable[Sequence[object]],
    *,
    sent: bytes,
    now: datetime,
) -> str:
    """Store a push with its body as its provider sent it, as evidence; answers its results as JSON."""
    answer = json.dumps({"results": [dict(zip(_KEYS, result, strict=True)) for result in results]})
    of = feed_account.organization_id
    packed = stored_files.pack(sent or _written(body).encode())
    name = cleaned(body["batch_id"], JSON.endings)
    row = {
        "organization_id": of,
        "feed_account_id": feed_account.id,
        "batch_id": body["batch_id"],
        "digest": digest,
        "answer": zlib.compress(answer.encode(), 1),
        "received_at": now,
        "file_id": stored_files.keep_body(of, packed, name, JSON.type, now=now),
    }
    db.session.execute(_NEW, [row])
    return answer
