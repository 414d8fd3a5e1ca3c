"""The dimensions of a posting besides its account: project, project group, merchant."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Dimension(StrEnum):
    """A dimension to group reports by."""

    PROJECT = "project"
    PROJECT_GROUP = "project_group"
    MERCHANT = "merchant"


@dataclass(frozen=True, slots=True)
class DimensionSelection:
    """The postings that a report counts: of a project, a group's projects and a merchant, or all.

    >>> bool(DimensionSelection()), bool(DimensionSelection(project_id=1))
    (False, True)
    """

    project_id: int | None = None
    project_group_id: int | None = None
    org_merchant_id: int | None = None

    def __bool__(self) -> bool:
        return self != EVERYTHING


EVERYTHING = DimensionSelection()

# The merchants that are merged, each with the one that it counts as.
MergedMerchants = Mapping[int, int]


def counting(merchant_id: int | None, merged: MergedMerchants) -> int | None:
    """Return the merchant that counts: the target of a merge, or itself.

    >>> counting(3, {3: 5}), counting(5, {3: 5}), counting(None, {3: 5})
    (5, 5, None)
    """
    return None if merchant_id is None else merged.get(merchant_id, merchant_id)


def count_alike(one: int | None, other: int | None, merged: MergedMerchants) -> bool:
    """Return whether two merchants count as the same, so that setting either changes nothing.

    >>> count_alike(3, 5, {3: 5}), count_alike(3, None, {3: 5})
    (True, False)
    """
    return counting(one, merged) == counting(other, merged)
