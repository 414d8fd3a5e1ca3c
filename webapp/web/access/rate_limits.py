"""How often a token may ask: each request takes from the token's bucket, and an empty one refuses it."""

from __future__ import annotations

from typing import cast

from flask import Flask, Response, current_app

from webapp.config import Settings
from webapp.ledger.errors import LedgerError
from webapp.queries.access.principals import Principal
from webapp.web.access.buckets import FILE_NAME, Buckets
from webapp.web.access.request_state import state


class RateLimitedError(LedgerError):
    """This key asks too often; wait a little."""

    status = 429
    code = "rate_limited"


def register_rate_limits(app: Flask) -> None:
    """Give the application its buckets, and every answer to a token its headers."""
    settings: Settings = app.config["SETTINGS"]
    app.extensions["rate_limits"] = Buckets(settings.instance_path / FILE_NAME)
    app.after_request(add_headers)


def limit_of(principal: Principal, settings: Settings) -> int:
    """Tell how many requests a minute a principal has: the installation's, or less where the token says so; 0: any."""
    if principal.token_id is None:
        return 0
    own, most = principal.max_requests_a_minute, settings.rate_limit
    return min(own, most) if own and most else own or most


def take(principal: Principal) -> None:
    """Count a request of a token's, or raise RateLimitedError; people who are signed in are not counted."""
    limit = limit_of(principal, current_app.config["SETTINGS"])
    if not limit:
        return
    buckets = cast("Buckets", current_app.extensions["rate_limits"])
    level = state().rate_level = buckets.take(cast("int", principal.token_id), limit)
    if level.wait:
        raise RateLimitedError(
            f"This key may ask {limit:,} times a minute. Ask again in {level.wait} s.",
            details={"limit": limit, "retryAfter": level.wait},
        )


def add_headers(response: Response) -> Response:
    """Tell a token how much of its minute is left."""
    level = state().rate_level
    if level is not None:
        response.headers["RateLimit-Limit"] = str(level.limit)
        response.headers["RateLimit-Remaining"] = str(level.remaining)
        response.headers["RateLimit-Reset"] = str(level.full_in)
    return response
