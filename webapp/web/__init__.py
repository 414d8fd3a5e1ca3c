"""Small tools of the web side: requests, guards, headers, forms, paging."""

from flask import Flask

from webapp.web import selections
from webapp.web.auth import register_auth
from webapp.web.context import add_context
from webapp.web.converters import ActIdConverter, IdConverter
from webapp.web.headers import add_headers
from webapp.web.last_uses import note_last_use
from webapp.web.logs import register_logs
from webapp.web.proposals.proposing import register_proposing
from webapp.web.rate_limits import register_rate_limits
from webapp.web.requests import register_requests


def register(app: Flask) -> None:
    """Put these tools around every request."""
    app.url_map.converters |= {"id": IdConverter, "act": ActIdConverter}
    add_context(app)
    # What is registered first runs last after a request: the log knows the answer as it leaves.
    register_logs(app)
    register_requests(app)
    register_auth(app)
    register_rate_limits(app)
    register_proposing(app)
    app.after_request(add_headers)
    app.after_request(note_last_use)
    app.after_request(selections.dress)
