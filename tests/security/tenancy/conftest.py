"""Being the application, for whom PostgreSQL's policies hold, in a test's own session."""

from contextvars import ContextVar

import pytest

from webapp.database import tenancy
from webapp.database.sessions import db


@pytest.fixture
def asked(app, monkeypatch):
    """Be in a request's place, whose transactions are the application's and no operator's."""
    monkeypatch.setattr(tenancy, "_maintains", ContextVar("maintains", default=False))
    with app.app_context():
        yield db.session
        db.session.rollback()
