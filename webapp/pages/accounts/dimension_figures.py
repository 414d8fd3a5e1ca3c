"""What the pages of projects, groups and merchants show: the results of twelve months, and the newest postings."""

from __future__ import annotations

from typing import Any

from webapp import queries
from webapp.ledger.dimensions import Dimension, DimensionSelection
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import ReportColumns, side_by_side
from webapp.queries.access import organizations
from webapp.web.access import requests
from webapp.web.access.auth import organization_id

NEWEST, MONTHS = 20, 12


def figures(selection: DimensionSelection) -> dict[str, Any]:
    """Give the results of the last twelve months side by side, and the newest postings.

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
    }
