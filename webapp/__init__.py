"""Tieout: takes what the bank says, turns it into a correct double-entry ledger, and proves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from webapp.config import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from _typeshed.wsgi import WSGIApplication

# How many statements a connection to SQLite keeps compiled, most in 8 KiB. By default it is 128: once that many are
# kept, the driver drops the newest for each other one, and each act compiled half of its statements again.
COMPILED_STATEMENTS: Final = 500


class PlainFlask(Flask):
    """Flask for plain functions: it looks at each one, each time that it calls it, whether it is a coroutine."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Give the function as it is."""
        return func


def create_app(settings: Settings | None = None) -> Flask:
    """Build the application: settings, books, guards, the two doors, errors."""
    from webapp import api, mcp, pages, web  # noqa: PLC0415  (the rooms import this package)
    from webapp.database import measures  # noqa: PLC0415
    from webapp.errors import register_errors  # noqa: PLC0415

    settings = settings or Settings.from_environment()
    if settings.is_measured:
        measures.start()
    app = books_alone(settings)
    web.register(app)
    api.register(app)
    mcp.register(app)
    pages.register(app)
    register_errors(app)
    app.wsgi_app = behind_proxies(app.wsgi_app, settings.proxy_hops)  # type: ignore[assignment, method-assign]
    return app


def books_alone(settings: Settings) -> Flask:
    """Build the application without its doors, in less memory: for a program that nobody visits."""
    from webapp.database.sessions import db, prepare_engine  # noqa: PLC0415  (the rooms import this package)
    from webapp.web.logs import write_logs  # noqa: PLC0415

    app = PlainFlask("webapp", instance_path=str(settings.instance_path))
    app.config.from_mapping(flask_settings(settings))
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    app.json.sort_keys = False  # type: ignore[attr-defined]
    db.init_app(app)
    with app.app_context():
        prepare_engine(db.engine)
    write_logs()
    return app


def behind_proxies(application: WSGIApplication, hops: int) -> WSGIApplication:
    """Believe of visitors what so many proxies say; what else arrives in their fields is the visitors' own."""
    return ProxyFix(application, x_for=hops, x_proto=hops, x_host=hops) if hops else application


def flask_settings(settings: Settings) -> Mapping[str, Any]:
    """Translate our settings into Flask's."""
    engine_options: dict[str, Any] = {
        "pool_size": settings.pool_size,
        # The connection that was used last: its pages, plans and answers are at hand.
        "pool_use_lifo": True,
        "max_overflow": settings.threads,
        # An error that is logged names the statement, and not what was to be written.
        "hide_parameters": True,
    }
    if settings.is_sqlite:
        import pysqlite3  # noqa: PLC0415  (needed for SQLite only)

        engine_options |= {"module": pysqlite3, "connect_args": {"cached_statements": COMPILED_STATEMENTS}}
    else:
        # Its connections are looked at and rolled back where they have to be (webapp/database/pooling.py).
        engine_options |= {"pool_reset_on_return": None}
    return {
        "SETTINGS": settings,
        "SQLALCHEMY_DATABASE_URI": settings.database_url,
        "SQLALCHEMY_ENGINE_OPTIONS": engine_options,
        "MAX_CONTENT_LENGTH": 1024 * 1024,
        "MAX_FORM_MEMORY_SIZE": 1024 * 1024,
        "PROPAGATE_EXCEPTIONS": False,
        "API_TITLE": "Tieout",
        "API_VERSION": "1.0.0",
        "OPENAPI_VERSION": "3.1.0",
    }
