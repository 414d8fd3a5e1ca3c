"""Settings, System, and the hub's sentence about old backups: for owners, and hidden for a week where one says so."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from webapp.config import version
from webapp.services.backups import records

OLD = datetime.now(UTC) - timedelta(days=8)
SENTENCE = "The newest backup is of"


@pytest.fixture
def instance(app):
    file = Path(app.instance_path) / records.FILE_NAME
    file.unlink(missing_ok=True)
    yield file.parent
    file.unlink(missing_ok=True)


def test_an_owner_sees_what_will_hurt_and_nobody_else(ada, cleo, instance):
    page = ada.browser().get("/settings/system")
    assert (page.status_code, f"Tieout {version()}" in page.text) == (200, True)
    assert "No backup was made on this machine yet." in page.text
    assert cleo.browser().get("/settings/system").status_code == 403


def test_the_hub_says_that_backups_are_old_until_an_owner_hides_it(ada, cleo, instance):
    browser = ada.browser()
    assert SENTENCE not in browser.get("/").text
    records.note(instance, made=OLD, verified=OLD)
    assert SENTENCE in browser.get("/").text
    assert SENTENCE not in cleo.browser().get("/").text
    assert browser.post("/settings/system/backups/dismiss").status_code == 303
    assert SENTENCE not in browser.get("/").text
    records.note(instance, dismissed=OLD)
    assert SENTENCE in browser.get("/").text
