"""What a provider sent, as a push for one of our feed accounts."""

from __future__ import annotations

from webapp.importers import providers
from webapp.importers.providers import PROVIDERS, Push, Wanted, parsed
from webapp.models import FeedAccount

__all__ = ["PROVIDERS", "parsed", "read"]


def read(provider: str, data: bytes, feed_account: FeedAccount, asked: str | None) -> Push:
    """Read a provider's answer for a feed account, `asked` for by the provider's own id where it has several.

    Raises PayloadRefusedError with a sentence for the user.
    """
    wanted = Wanted(asked, feed_account.external_id, feed_account.currency)
    return providers.read(provider, data, wanted)
