"""Marks that several tests share."""

import pytest

# For what never reaches the data layer, or is the same code there on both.
on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"])
