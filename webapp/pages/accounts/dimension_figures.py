"""What the pages of projects, groups and merchants show: results of twelve months, newest postings, open drafts."""

from collections.abc import Collection
from typing import Any

from webapp import queries
from webapp.ledger.dimensions import Dimension, DimensionSelection
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import ReportColumns, side_by_side
from webapp.queries.access import organizations
from webapp.queries.reports.dimension_results import DimensionResult
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, principal

NEWEST, MONTHS = 20, 12


def results(dimension: Dimension, ids: Collection[int]) -> dict[int, DimensionResult]:
    """Give what some merchants or projects brought and cost in the last twelve months."""
    period = Period.months_to(organizations.today(organization_id(), requests.now()), MONTHS)
    base_currency = principal().base_currency
    return queries.reports.dimension_results.results(organization_id(), dimension, ids, period, base_currency)


def figures(selection: DimensionSelection) -> dict[str, Any]:
    """Give the results of the last twelve months side by side, the newest postings, and the newest drafts.

    Of a group of projects, each figure has parts by project.
    """
    today = organizations.today(organization_id(), requests.now())
    period = Period.months_to(today, MONTHS)
    by = Dimension.PROJECT if selection.project_group_id else None
    columns = ReportColumns(period, None, side_by_side(period), selection, by)
    return {
        "columns": columns,
        "report": queries.reports.statements.profit_and_loss(organization_id(), columns),
        "postings": queries.reports.dimensions.newest(organization_id(), selection, limit=NEWEST),
        "drafts": queries.reports.dimensions.newest(
            organization_id(), selection, limit=NEWEST, statuses=("DRAFT",)
        ),
    }
