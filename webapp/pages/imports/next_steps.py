"""What to do after a file is imported: go through its lines, and reconcile the statement that it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webapp import queries
from webapp.pages.transactions.workspace_facts import next_statement
from webapp.queries.imports.imports import ImportRecord
from webapp.queries.reconciliation.hub import HubRecord
from webapp.queries.reconciliation.next_statements import NextStatement
from webapp.web.access.auth import organization_id


@dataclass(frozen=True, slots=True)
class NextStep:
    """What an imported account waits for; `statement` is None while a reconciliation is open."""

    account: HubRecord
    statement: NextStatement | None


def next_steps(imported: ImportRecord) -> Mapping[int, NextStep]:
    """The next step of each account of an imported file, by feed account; none of another file."""
    if imported.status != "IMPORTED":
        return {}
    ids = (each.fa_id for each in imported.accounts if each.fa_id is not None)
    return {fa_id: _next_step(fa_id) for fa_id in ids}


def _next_step(fa_id: int) -> NextStep:
    account = queries.reconciliation.hub.account(organization_id(), fa_id)
    feed_account = queries.accounts.feed_accounts.get(organization_id(), fa_id)
    return NextStep(account, None if account.draft else next_statement(feed_account))
