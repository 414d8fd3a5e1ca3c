"""Readers of the JSON of bank feed providers, one module per provider, each with a function `read`."""

from collections.abc import Callable, Mapping
from typing import Final

from webapp.importers.providers import enablebanking, gocardless, plaid, simplefin
from webapp.importers.providers.payloads import parsed
from webapp.importers.providers.pushes import AccountSelector, PayloadRefusedError, ProviderFailedError, Push

__all__ = [
    "PROVIDERS",
    "AccountSelector",
    "PayloadRefusedError",
    "ProviderFailedError",
    "Push",
    "parsed",
    "read",
]

PROVIDERS: Final[Mapping[str, Callable[[object, AccountSelector], Push]]] = {
    "plaid": plaid.read,
    "simplefin": simplefin.read,
    "gocardless": gocardless.read,
    "enablebanking": enablebanking.read,
}


def read(provider: str, data: bytes, selector: AccountSelector) -> Push:
    """Turn a provider's response into a push for one account; raises PayloadRefusedError with a sentence."""
    return PROVIDERS[provider](parsed(data), selector)
