"""Exchange rates: fetched from the European Central Bank, and used to revalue balances."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path

import click

from webapp.commands.books import JSON, ORGANIZATION, answer, books, command_actor, require_organization
from webapp.config import Settings
from webapp.database.sessions import begin_write, db
from webapp.services.bookkeeping import exchange_rates, revaluations
from webapp.services.operating.outbound import Gate, OutboundFailedError

HOST = "www.ecb.europa.eu"
ADDRESS = f"https://{HOST}/stats/eurofxref/"
DAILY, HISTORY = "eurofxref-daily.xml", "eurofxref-hist.xml"
PATIENCE_SECONDS = 60


@click.command("fetch-rates")
@ORGANIZATION
@click.option("--history", is_flag=True, help="Every day since 1999, not only the last one.")
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A file of reference rates, where there is no network.",
)
@click.option("--why", default="", metavar="TEXT", help="Why a rate of a locked day changes.")
@JSON
def fetch_rates(organization_id: str, path: Path | None, why: str, *, history: bool, as_json: bool) -> None:
    """Store the European Central Bank's reference rates; drafts that wait for a rate get one."""
    with books() as settings:
        require_organization(organization_id)
        db.session.rollback()
        data = path.read_bytes() if path else fetched(settings, HISTORY if history else DAILY)
        days = exchange_rates.read_file(data)
        begin_write(organization_id)
        changed = exchange_rates.take_file(
            days,
            sha256=sha256(data).hexdigest(),
            actor=replace(command_actor(organization_id), note=why),
            now=datetime.now(UTC),
        )
        db.session.commit()
    value = {"days": len(days), "lastDay": days[-1].day.isoformat(), "changed": changed}
    answer(value, f"{changed:,} new rates, up to {days[-1].day:%-d %b %Y}.", as_json=as_json)


def fetched(settings: Settings, name: str) -> bytes:
    """Read the bank's file through the gate; raises a LedgerError."""
    try:
        return Gate(*settings.outbound).get(
            ADDRESS + name, {HOST}, most_bytes=exchange_rates.MOST_FILE_BYTES, seconds=PATIENCE_SECONDS
        )
    except OutboundFailedError as error:
        raise OutboundFailedError(
            f"The European Central Bank does not answer: {error} Download {ADDRESS}{name} elsewhere, and give it "
            "with --file."
        ) from error


@click.command()
@ORGANIZATION
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    required=True,
    metavar="YYYY-MM-DD",
    help="Day of the rates; the reversal is dated the next day.",
)
@JSON
def revalue(organization_id: str, as_of: datetime, *, as_json: bool) -> None:
    """Revalue balances in other currencies at the rates of a day, on accounts marked as revalued."""
    day: date = as_of.date()
    with books():
        begin_write(organization_id)
        require_organization(organization_id)
        done = revaluations.revalue(day, actor=command_actor(organization_id), now=datetime.now(UTC))
        ids = list(done.result.journal_entry_ids)
        db.session.commit()
    sentence = _sentence(ids, changed=done.changed)
    answer({"journalEntryIds": ids}, sentence, as_json=as_json)


def _sentence(ids: Sequence[int], *, changed: bool) -> str:
    if not changed:
        return "All balances are up to date; nothing was posted."
    if not ids:
        return "The revaluation of that day was taken back, as no balance differs any more."
    return f"Entries {ids[0]} and {ids[1]}."
