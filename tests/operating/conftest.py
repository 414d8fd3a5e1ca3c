"""The books of releases, brought once for a run into each kind of database, and copied for each test."""

import pytest

from tests.operating.releases import Books, bring_back


@pytest.fixture(scope="session")
def _brought():
    return set()


@pytest.fixture
def released(_stores, _brought, database_kind, empty_database_url, tmp_path):
    """Give the books of a release in a database and a folder of their own."""
    store, instance = _stores(database_kind), tmp_path / "instance"
    instance.mkdir(mode=0o700)

    def books(release):
        kept = f"released_{release.name.removesuffix('.sqlite.xz').replace('.', '_')}"
        if (store, kept) not in _brought:
            store.make(kept)
            bring_back(release, Books(store.url(kept), instance))
            _brought.add((store, kept))
        store.copy(kept, "empty")
        return Books(empty_database_url, instance)

    return books
