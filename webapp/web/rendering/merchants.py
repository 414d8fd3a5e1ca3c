"""The merchant that an address asks for, which may be merged since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.queries.common import merchants
from webapp.web.access.auth import organization_id


def with_counting_merchant(query: Mapping[str, Any]) -> dict[str, Any]:
    """Give a query with the merchant that counts for the one that it asks for, which may be merged since."""
    merchant_id = merchants.counting_id(organization_id(), query["org_merchant_id"])
    return {**query, "org_merchant_id": merchant_id}
