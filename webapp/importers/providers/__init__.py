"""Readers of what the providers of bank feeds send, one module per provider, all answering to the same function."""

from collections.abc import Callable, Mapping
from typing import Final

from webapp.importers.providers import enablebanking, gocardless, plaid, simplefin
from webapp.importers.providers.payloads import parsed
from webapp.importers.providers.pushes import PayloadRefusedError, ProviderFailedError, Push, Wanted

__all__ = ["PROVIDERS", "PayloadRefusedError", "ProviderFailedError", "Push", "Wanted", "parsed", "read"]

PROVIDERS: Final[Mapping[str, Callable[[object, Wanted], Push]]] = {
    "plaid": plaid.read,
    "simplefin": simplefin.read,
    "gocardless": gocardless.read,
    "enablebanking": enablebanking.read,
}


def read(provider: str, data: bytes, wanted: Wanted) -> Push:
    """Turn one answer of a provider into a push for one account; raises PayloadRefusedError with a sentence."""
    return PROVIDERS[provider](parsed(data), wanted)
