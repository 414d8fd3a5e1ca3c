"""Rate limits of API tokens: each request is counted in the token's bucket, and refused when it is empty."""

from typing import Final, cast

from flask import Flask, Response, current_app, request

from webapp.config import Settings
from webapp.ledger.errors import LedgerError
from webapp.queries.access.principals import Principal
from webapp.web.access.buckets import FILE_NAME, Buckets
from webapp.web.access.request_state import state

# Marks the environment of a call that another request makes: the two are counted once.
WITHIN: Final = "tieout.within"


class RateLimitedError(LedgerError):
    """This key sends too many requests; wait a little."""

    status = 429
    code = "rate_limited"


def register_rate_limits(app: Flask) -> None:
    """Set up the buckets, and the headers of answers to tokens."""
    settings: Settings = app.config["SETTINGS"]
    app.extensions["rate_limits"] = Buckets(settings.instance_path / FILE_NAME)
    app.after_request(add_headers)


def limit_of(principal: Principal, settings: Settings) -> int:
    """A principal's requests per minute: the installation's limit, or the token's lower one; 0 for no limit."""
    if principal.token_id is None:
        return 0
    own, most = principal.max_requests_a_minute, settings.rate_limit
    return min(own, most) if own and most else own or most


def count_request(principal: Principal) -> None:
    """Count a request of a token, or raise RateLimitedError; requests of signed-in people are not limited."""
    limit = limit_of(principal, current_app.config["SETTINGS"])
    if not limit or WITHIN in request.environ:
        return
    buckets = cast("Buckets", current_app.extensions["rate_limits"])
    level = state().rate_level = buckets.count(cast("int", principal.token_id), limit)
    if level.wait:
        raise RateLimitedError(
            f"This key may send {limit:,} requests a minute. Try again in {level.wait} s.",
            details={"limit": limit, "retryAfter": level.wait},
        )


def add_headers(response: Response) -> Response:
    """Add the level of a token's bucket as headers."""
    level = state().rate_level
    if level is not None:
        headers = response.headers
        headers.add("RateLimit-Limit", str(level.limit))
        headers.add("RateLimit-Remaining", str(level.remaining))
        headers.add("RateLimit-Reset", str(level.full_in))
    return response
