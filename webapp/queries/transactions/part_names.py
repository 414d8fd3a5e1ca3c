"""The names of what the parts of lines post to."""

from collections.abc import Sequence

from webapp.ledger.chart import UNCATEGORISED
from webapp.models import Account, Project
from webapp.queries.common import lookups, merchants


class PartNames:
    """Accounts, merchants and projects of parts by id, in a statement each; None for one that is gone or not set."""

    def __init__(
        self, organization_id: str, parts: Sequence[tuple[int | None, int | None, int | None]]
    ) -> None:
        self._accounts = lookups.by_id(Account, organization_id, [each[0] for each in parts])
        self._merchants = merchants.counting(organization_id, [each[1] for each in parts])
        self._projects = lookups.by_id(Project, organization_id, [each[2] for each in parts])

    def account(self, account_id: int | None) -> str | None:
        """Give the name of an account."""
        found = self._accounts.get(account_id)
        return None if found is None else found.name

    def is_uncategorised(self, account_id: int | None) -> bool:
        """Return whether an account is one of those for uncategorised lines."""
        found = self._accounts.get(account_id)
        return found is not None and found.role in UNCATEGORISED

    def merchant(self, merchant_id: int | None) -> str | None:
        """Give the name of a merchant."""
        found = self._merchants.get(merchant_id)
        return None if found is None else found.name

    def project(self, project_id: int | None) -> str | None:
        """Give the name of a project."""
        found = self._projects.get(project_id)
        return None if found is None else found.name
