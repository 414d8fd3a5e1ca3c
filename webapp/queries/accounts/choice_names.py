"""The names of where lines went: of accounts, and of the merchants and projects beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from webapp.models import Account, Merchant, Project
from webapp.queries.common import lookups


class Chosen(Protocol):
    """An account, and perhaps a merchant and a project."""

    @property
    def account_id(self) -> int: ...  # noqa: D102
    @property
    def merchant_id(self) -> int | None: ...  # noqa: D102
    @property
    def project_id(self) -> int | None: ...  # noqa: D102


class ChoiceNames:
    """What some choices are called, read in three statements however many they are."""

    def __init__(self, organization_id: str, choices: Sequence[Chosen]) -> None:
        """Read the names."""
        self._accounts = lookups.by_id(Account, organization_id, [each.account_id for each in choices])
        self._merchants = lookups.by_id(Merchant, organization_id, [each.merchant_id for each in choices])
        self._projects = lookups.by_id(Project, organization_id, [each.project_id for each in choices])

    def of(self, chosen: Chosen) -> dict[str, Any]:
        """Give a choice's ids and names as records have them."""
        merchant, project = self._merchants.get(chosen.merchant_id), self._projects.get(chosen.project_id)
        return {
            "account_id": chosen.account_id,
            "account_name": self._accounts[chosen.account_id].name,
            "org_merchant_id": chosen.merchant_id,
            "merchant_name": merchant and merchant.name,
            "project_id": chosen.project_id,
            "project_name": project and project.name,
        }
