"""Choices of an account, a merchant and a project, with their names."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from webapp.models import Account, Project
from webapp.queries.common import lookups, merchants


class ChoiceIds(Protocol):
    """An account, and perhaps a merchant and a project."""

    @property
    def account_id(self) -> int: ...  # noqa: D102
    @property
    def merchant_id(self) -> int | None: ...  # noqa: D102
    @property
    def project_id(self) -> int | None: ...  # noqa: D102


class NamedChoice(NamedTuple):
    """A choice with its names."""

    account_id: int
    account_name: str
    org_merchant_id: int | None
    merchant_name: str | None
    project_id: int | None
    project_name: str | None


class ChoiceNames:
    """The names of choices, read in three statements however many they are."""

    def __init__(self, organization_id: str, choices: Sequence[ChoiceIds]) -> None:
        self._accounts = lookups.by_id(Account, organization_id, [each.account_id for each in choices])
        self._merchants = merchants.counting(organization_id, [each.merchant_id for each in choices])
        self._projects = lookups.by_id(Project, organization_id, [each.project_id for each in choices])

    def of(self, choice: ChoiceIds) -> NamedChoice:
        """Give a choice with its names."""
        merchant, project = self._merchants.get(choice.merchant_id), self._projects.get(choice.project_id)
        return NamedChoice(
            choice.account_id,
            self._accounts[choice.account_id].name,
            choice.merchant_id,
            None if merchant is None else merchant.name,
            choice.project_id,
            None if project is None else project.name,
        )
