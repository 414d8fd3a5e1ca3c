"""Pushing what a provider of bank feeds sent, from a file."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import marshmallow as ma
import sqlalchemy as sa

from webapp.commands.books import JSON, answer, books, command_actor, require_organization
from webapp.db import begin_read, begin_write, db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.models import FeedAccount
from webapp.queries.accounts import feed_accounts
from webapp.schemas.pushes import PushSchema
from webapp.services.audit import action_requests
from webapp.services.feeds import pushes


@click.command("push")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--provider",
    type=click.Choice(pushes.FORMATS),
    default=pushes.OWN_FORMAT,
    help="Whose answer the file is; of tieout, the body of a push.",
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
    "--organization", "organization_id", metavar="ID", help="Whose books; else those that have the account."
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
    """Push a provider's answer, whole or not at all; the same file again changes nothing."""
    with books():
        feed_account = _feed_account(organization_id, fa_id)
        told: dict[str, Any] = {"batchId": None, "results": [], "warnings": [], "error": None}
        try:
            body, warnings = pushes.body_of(file.read_bytes(), provider, feed_account, provider_account)
            told["warnings"] = list(warnings)
            batch = _batch(body)
            told["batchId"] = batch["batch_id"]
            told["results"] = _push(feed_account, batch, provider)
        except LedgerError as error:
            action_requests.record_refusal(error)
            told["error"] = str(error)
            click.echo(f"{file.name}: refused. {error}", err=True)
        if as_json or not told["error"]:
            answer(told, _sentence(file.name, told), as_json=as_json)
    if told["error"]:
        context.exit(1)


def _feed_account(organization_id: str | None, fa_id: int) -> FeedAccount:
    """Find the feed account, or stop and say which ones there are."""
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
        there = ", ".join(f"{each.id} ({each.name})" for each in feed_accounts.active(organization_id))
        raise click.UsageError(
            f"There is no feed account {fa_id}; there are: {there or 'none yet'}."
        ) from error


def _batch(body: object) -> dict[str, Any]:
    """Read the body as the API does."""
    try:
        batch: dict[str, Any] = PushSchema().load(body)  # type: ignore[arg-type]
    except ma.ValidationError as error:
        faults = json.dumps(error.messages, ensure_ascii=False)
        raise UnprocessableError(f"This is no push: {faults}") from None
    return batch


def _push(feed_account: FeedAccount, batch: dict[str, Any], provider: str) -> list[dict[str, Any]]:
    organization_id, fa_id = feed_account.organization_id, feed_account.id
    db.session.rollback()
    begin_write(organization_id)
    told = pushes.push(
        feed_accounts.get(organization_id, fa_id),
        batch,
        actor=command_actor(organization_id),
        now=datetime.now(UTC),
        provider=pushes.PROVIDER if provider == pushes.OWN_FORMAT else provider,
    )
    db.session.commit()
    results: list[dict[str, Any]] = json.loads(told)["results"]
    return results


def _sentence(name: str, told: dict[str, Any]) -> str:
    verdicts = Counter(each["verdict"] for each in told["results"])
    counts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(verdicts.items()))
    return "\n".join([f"{name}: {counts or 'no lines'}", *(f"  Mind: {each}" for each in told["warnings"])])
