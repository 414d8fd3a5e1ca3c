"""Browser tests look at pages, not at databases: they run on SQLite alone."""

import pytest


@pytest.fixture
def database_kind():
    """Keep to the database that a newcomer has."""
    return "sqlite"
