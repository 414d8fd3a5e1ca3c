"""The order of the general ledger: by account, within it by part where it is grouped, then by day and entry.

A key names a line by its place: three values of the account, three of the part if there are parts, then day, entry and
posting. Accounts and parts stand as reports have them, what belongs to no part behind all parts.
"""

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.ledger.dimensions import Dimension
from webapp.models import (
    Account,
    Merchant,
    Posting,
    Project,
    ProjectGroup,
    RegisterLine,
    of_same_organization,
    refers_to,
)
from webapp.queries.accounts.accounts import BY_CODE
from webapp.queries.common import merchants
from webapp.queries.common.paging import Order
from webapp.queries.common.selections import of_merchant
from webapp.queries.reports.books import ReportBooks

Key = tuple[Any, ...]
# The places of what earlier years left on personal accounts, and of what belongs to no part; neither has an id.
BEHIND_ACCOUNTS, BEHIND_PARTS, NO_ID = (2, "", 0), (1, "", 0), 0
# Entry and posting of a computed line's key, so that it comes first on its day.
BEFORE_POSTINGS = (0, 0)
ID_OF_ACCOUNT, ID_OF_PART, DAY = 2, 5, -3
NAMED: dict[Dimension, Any] = {
    Dimension.PROJECT: Project,
    Dimension.PROJECT_GROUP: ProjectGroup,
    Dimension.MERCHANT: Merchant,
}


@dataclass(frozen=True, slots=True)
class Section:
    """An account, and a part of it where the ledger is grouped; without an id what is computed or belongs to none."""

    account_id: int | None
    part_id: int | None


def kinds_of_key(by: Dimension | None) -> str:
    """Name the kinds of a key's values, for cursors: see web/paging.py."""
    return "isidii" if by is None else "isiisidii"


@dataclass(frozen=True)
class LedgerOrder:
    """The order of a ledger that is grouped by a dimension, or by none."""

    organization_id: str
    by: Dimension | None

    @property
    def columns(self) -> Order:
        """The columns of a key."""
        of_line: tuple[Any, ...] = (RegisterLine.day, RegisterLine.journal_entry_id, RegisterLine.posting_id)
        of_part = () if self.by is None else _place_of(NAMED[self.by])
        return Order((*BY_CODE.columns, *of_part, *of_line), ascends=True)

    def joined(self, rows: sa.Select[Any]) -> sa.Select[Any]:
        """Join postings to the names that they are ordered by."""
        if self.by is None:
            return rows
        if self.by is Dimension.MERCHANT:
            return self._joined_to_merchants(rows)
        rows = rows.outerjoin(Project, refers_to(Posting.project_id, Project))
        is_by_group = self.by is Dimension.PROJECT_GROUP
        return (
            rows.outerjoin(ProjectGroup, refers_to(Project.group_id, ProjectGroup)) if is_by_group else rows
        )

    def _joined_to_merchants(self, rows: sa.Select[Any]) -> sa.Select[Any]:
        """Join postings to the merchants that count; where none is merged, to those that they name."""
        if not merchants.merged(self.organization_id):
            return rows.outerjoin(Merchant, refers_to(Posting.org_merchant_id, Merchant))
        named = orm.aliased(Merchant)
        counts = sa.and_(
            of_same_organization(Merchant, named),
            Merchant.id == sa.func.coalesce(named.merged_into_id, named.id),
        )
        return rows.outerjoin(named, refers_to(Posting.org_merchant_id, named)).outerjoin(Merchant, counts)

    def of_part(self, part_id: int | None) -> list[sa.ColumnElement[bool]]:
        """Build the condition that a posting belongs to a part."""
        if self.by is None:
            return []
        if self.by is Dimension.PROJECT_GROUP:
            projects = sa.select(Project.id).where(
                Project.organization_id == self.organization_id,
                Project.group_id.is_not_distinct_from(part_id),
            )
            within = Posting.project_id.in_(projects)
            return [within if part_id else sa.or_(Posting.project_id.is_(None), within)]
        if self.by is Dimension.MERCHANT and part_id:
            return [of_merchant(self.organization_id, part_id)]
        column = Posting.project_id if self.by is Dimension.PROJECT else Posting.org_merchant_id
        return [column == part_id if part_id else column.is_(None)]

    def section(self, key: Key) -> Section:
        """Read the section that a key lies in."""
        part_id = None if self.by is None else key[ID_OF_PART] or None
        return Section(key[ID_OF_ACCOUNT] or None, part_id)

    def key(self, section: Section, day: date) -> Key:
        """Give the key of a computed line, which comes before the postings of its day."""
        account = self._accounts.get(section.account_id, BEHIND_ACCOUNTS)
        part = () if self.by is None else self._parts.get(section.part_id, BEHIND_PARTS)
        return (*account, *part, day, *BEFORE_POSTINGS)

    def ranks(self, books: ReportBooks) -> tuple[dict[int | None, int], dict[int | None, int]]:
        """Rank accounts and parts, for the database has its own order of texts."""
        return (
            {each.id: rank for rank, each in enumerate(books.accounts)},
            {part.id: rank for rank, part in enumerate(books.parts)},
        )

    @cached_property
    def _accounts(self) -> dict[int | None, Key]:
        return self._places(Account, BY_CODE.columns)

    @cached_property
    def _parts(self) -> dict[int | None, Key]:
        return {} if self.by is None else self._places(NAMED[self.by], _place_of(NAMED[self.by]))

    def _places(self, model: Any, columns: tuple[Any, ...]) -> dict[int | None, Key]:
        rows = db.session.execute(sa.select(*columns).where(model.organization_id == self.organization_id))
        return {row[-1]: tuple(row) for row in rows}


def _place_of(named: Any) -> tuple[Any, ...]:
    return (
        sa.case((named.id.is_(None), 1), else_=0),
        sa.func.coalesce(fold(named.name), ""),
        sa.func.coalesce(named.id, NO_ID),
    )
