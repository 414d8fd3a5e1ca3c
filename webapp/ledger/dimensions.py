"""What a posting is for beside its account: a project, the group of that, a merchant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Dimension(StrEnum):
    """What reports can be grouped by."""

    PROJECT = "project"
    PROJECT_GROUP = "project_group"
    MERCHANT = "merchant"


@dataclass(frozen=True, slots=True)
class DimensionSelection:
    """The postings that a report counts: those of a project, of a group's projects and of a merchant; or all.

    >>> bool(DimensionSelection()), bool(DimensionSelection(project_id=1))
    (False, True)
    """

    project_id: int | None = None
    project_group_id: int | None = None
    org_merchant_id: int | None = None

    def __bool__(self) -> bool:
        return self != EVERYTHING


EVERYTHING = DimensionSelection()
