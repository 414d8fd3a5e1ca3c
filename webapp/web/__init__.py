"""The web layer under pages and API: requests, access, headers, forms, paging."""

from flask import Flask


def register(app: Flask) -> None:
    """Register converters, template names, and the functions before and after every request."""
    # A worker, which writes letters in the language of their readers, needs none of these.
    from webapp.web.access import books, selections, versions
    from webapp.web.access.auth import register_auth
    from webapp.web.access.heavy_calls import register_heavy_calls
    from webapp.web.access.last_uses import note_last_use
    from webapp.web.access.rate_limits import register_rate_limits
    from webapp.web.access.requests import register_commit, register_requests
    from webapp.web.advice import register_advice
    from webapp.web.converters import ActIdConverter, BooksConverter, IdConverter
    from webapp.web.headers import add_headers, compress_page
    from webapp.web.logs import note_request
    from webapp.web.proposals.proposing import register_proposing
    from webapp.web.rendering.context import add_context
    from webapp.web.rendering.languages import register_languages
    from webapp.web.rendering.told_warnings import register_warnings
    from webapp.web.rendering.typed import register_typed
    from webapp.web.static_files import register_static_files

    app.url_map.converters |= {"id": IdConverter, "act": ActIdConverter, "books": BooksConverter}
    add_context(app)
    register_languages(app)
    register_static_files(app)
    # The function that is registered first runs last, so that the log has the final answer.
    app.after_request(note_request)
    app.after_request(compress_page)
    register_requests(app)
    register_auth(app)
    books.register_books(app)
    register_rate_limits(app)
    register_heavy_calls(app)
    register_proposing(app)
    register_typed(app)
    register_advice(app)
    app.after_request(add_headers)
    app.after_request(note_last_use)
    app.after_request(versions.add_tag)
    app.after_request(selections.name_untrusted)
    register_warnings(app)
    register_commit(app)
