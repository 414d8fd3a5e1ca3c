"""Pushes of a feed provider's responses, from files."""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import marshmallow as ma
import sqlalchemy as sa

from webapp.commands.books import JSON, answer, books, command_actor, require_organization
from webapp.database.sessions import begin_read, begin_write, db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.models import FeedAccount
from webapp.queries.accounts import feed_accounts
from webapp.queries.imports import bank_connections
from webapp.schemas.pushes import PushSchema
from webapp.services.audit import action_requests
from webapp.services.banks import syncs
from webapp.services.banks.answers import Application, Way
from webapp.services.feeds import pushes
from webapp.services.feeds.incoming_lines import PushBody
from webapp.services.operating.outbound import Gate
from webapp.services.storage import vault


@click.command("push")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--provider",
    type=click.Choice(pushes.FORMATS),
    default=pushes.OWN_FORMAT,
    help="Provider of the file; for tieout, the body of a push.",
)
@click.option(
    "--account",
    "fa_id",
    type=click.IntRange(1, 2**63 - 1),
    required=True,
    metavar="FAID",
    help="The feed account.",
)
@click.option("--provider-account", metavar="ID", help="The provider's id for it, where a file has several.")
@click.option(
    "--organization", "organization_id", metavar="ID", help="Organization; default: the one with the account."
)
@JSON
@click.pass_context
def push(
    context: click.Context,
    *,
    file: Path,
    provider: str,
    fa_id: int,
    provider_account: str | None,
    organization_id: str | None,
    as_json: bool,
) -> None:
    """Push a provider's response, completely or not at all; the same file again changes nothing."""
    with books():
        feed_account = _feed_account(organization_id, fa_id)
        result: dict[str, Any] = {"batchId": None, "results": [], "warnings": [], "error": None}
        try:
            sent = file.read_bytes()
            content, warnings = pushes.body_of(
                sent, provider, feed_account, provider_account, now=datetime.now(UTC)
            )
            result["warnings"] = list(warnings)
            body = _body(content)
            result["batchId"] = body["batch_id"]
            result["results"] = _push(feed_account, body, provider, sent)
            result["warnings"] += [sentence for _, sentence in action_requests.untold()]
        except LedgerError as error:
            action_requests.record_refusal(error)
            result["error"] = str(error)
            click.echo(f"{file.name}: refused. {error}", err=True)
        if as_json or not result["error"]:
            answer(result, _sentence(file.name, result), as_json=as_json)
    if result["error"]:
        context.exit(1)


@click.group("feeds")
def feeds_group() -> None:
    """Look at what providers of bank lines answer."""


@feeds_group.command("record")
@click.argument("connection_id", metavar="CONNECTION", type=click.IntRange(1, 2**63 - 1))
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--organization", "organization_id", required=True, metavar="ID", help="Organization.")
def record(connection_id: int, file: Path, organization_id: str) -> None:
    """Ask a bank connection once, and write its answer to FILE with every letter and digit replaced, to send to us."""
    with books() as settings:
        begin_read()
        require_organization(organization_id)
        connection = bank_connections.get(organization_id, connection_id)
        access = vault.get(syncs.owner(connection), syncs.ACCESS)
        provider = syncs.PROVIDERS[connection.provider]
        db.session.rollback()
        way = Way(Gate(*settings.outbound), Application(*settings.enablebanking), datetime.now(UTC))
        data = provider.recorded(way, access)
    text = json.dumps(redacted(json.loads(data)), indent=2, ensure_ascii=False)
    file.write_text(f"{text}\n", encoding="utf-8")
    click.echo(f"{file}: look at it before you send it. Each letter is an a now, each digit a 9.")


def redacted(value: Any) -> Any:
    """Replace what an answer says, and keep its shape: keys, kinds, lengths, signs, instants since 1970 that are zero.

    >>> redacted({"id": "TRN-12", "amount": "-45.20", "posted": 1772236800, "pending": True, "none": None})
    {'id': 'AAA-99', 'amount': '-99.99', 'posted': 9999999999, 'pending': True, 'none': None}
    """
    if isinstance(value, dict):
        return {key: redacted(each) for key, each in value.items()}
    if isinstance(value, list):
        return [redacted(each) for each in value]
    if isinstance(value, bool) or not value:
        return value
    replaced = "".join(
        "9" if each.isdigit() else "A" if each.isupper() else "a" if each.isalpha() else each
        for each in str(value)
    )
    return replaced if isinstance(value, str) else json.loads(replaced)


def _feed_account(organization_id: str | None, fa_id: int) -> FeedAccount:
    """Find the feed account, or stop and list the existing ones."""
    begin_read()
    if organization_id is None:
        organization_id = db.session.scalar(
            sa.select(FeedAccount.organization_id).where(FeedAccount.id == fa_id)
        )
    if organization_id is None:
        raise click.UsageError(
            f"There is no feed account {fa_id} in any books; name them with --organization."
        )
    require_organization(organization_id)
    try:
        return feed_accounts.get(organization_id, fa_id)
    except LedgerError as error:
        existing = ", ".join(f"{each.id} ({each.name})" for each in feed_accounts.active(organization_id))
        raise click.UsageError(
            f"There is no feed account {fa_id}; there are: {existing or 'none yet'}."
        ) from error


def _body(content: object) -> PushBody:
    """Load the body of a push like the API."""
    try:
        body: PushBody = PushSchema().load(content)  # type: ignore[arg-type]
    except ma.ValidationError as error:
        faults = json.dumps(error.messages, ensure_ascii=False)
        raise UnprocessableError(f"This is not a push: {faults}") from None
    return body


def _push(feed_account: FeedAccount, body: PushBody, provider: str, sent: bytes) -> list[dict[str, Any]]:
    organization_id, fa_id = feed_account.organization_id, feed_account.id
    db.session.rollback()
    begin_write(organization_id)
    stored = pushes.push(
        feed_accounts.get(organization_id, fa_id),
        body,
        actor=command_actor(organization_id),
        now=datetime.now(UTC),
        provider=pushes.PROVIDER if provider == pushes.OWN_FORMAT else provider,
        sent=sent,
    )
    db.session.commit()
    results: list[dict[str, Any]] = json.loads(stored)["results"]
    return results


def _sentence(name: str, result: dict[str, Any]) -> str:
    verdicts = Counter(each["verdict"] for each in result["results"])
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(verdicts.items()))
    return "\n".join([f"{name}: {counts or 'no lines'}", *(f"  Mind: {each}" for each in result["warnings"])])
