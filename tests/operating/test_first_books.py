"""The first books of an installation, started by the link that the server shows: once, and by nobody else."""

import threading
from concurrent.futures import ThreadPoolExecutor
from html import unescape

import pytest
import sqlalchemy as sa

from tests.operating.newcomers import BOOKS, PASSWORD
from webapp import create_app
from webapp.config import Settings
from webapp.database.sessions import db
from webapp.database.tenancy import maintenance
from webapp.models import Membership, Organization, User
from webapp.queries import checks

pytestmark = pytest.mark.operates
LINK = "/start/the-secret"
FORM = BOOKS | {"password": f" {PASSWORD} ", "timeZone": "Asia/Tokyo", "chart": "de_skr03"}
# What is changed in the form, and what its page says of it.
REFUSED = [
    ({"password": "short"}, "Choose 12 to 1000 characters."),
    ({"password": ""}, "Choose 12 to 1000 characters."),
    ({"email": "nobody"}, "Write an email address"),
    ({"ownName": " "}, "field-ownName-note"),
    ({"baseCurrency": "XYZ"}, "field-baseCurrency-note"),
    ({"chart": "mars"}, "field-chart-note"),
    ({"timeZone": "Mars/Base"}, "There is no such zone"),
]


@pytest.fixture
def empty(migrated_database_url, tmp_path):
    """An application whose books nobody has started, as its server made it."""
    app = create_app(Settings(migrated_database_url, tmp_path))
    app.extensions["first_link"] = "the-secret"
    yield app
    with app.app_context():
        db.engine.dispose()


def people(app):
    with app.app_context(), maintenance():
        of_owner = sa.select(
            User.name, User.email, Organization.name, Organization.time_zone, Membership.role
        )
        joined = of_owner.join(Membership, Membership.user_id == User.id).join(
            Organization, Organization.id == Membership.organization_id
        )
        found = [tuple(row) for row in db.session.execute(joined)]
        assert [each.message for each in checks.violations()] == []
    return found


def test_the_first_books_are_started_once_and_by_their_link_only(empty):
    browser = empty.test_client()
    assert "Nobody has books here yet" in browser.get("/sign-in").text
    for wrong in ("/start/another", "/start/thé-secret"):
        assert (browser.get(wrong).status_code, browser.post(wrong, data=FORM).status_code) == (404, 404)
    assert 'name="password"' in browser.get(LINK).text
    assert people(empty) == []
    answer = browser.post(LINK, data=FORM)
    assert (answer.status_code, answer.location) == (303, "/")
    assert "Lantern Studio" in browser.get("/", follow_redirects=True).text
    assert people(empty) == [("Ada", "ada@example.org", "Lantern Studio", "Asia/Tokyo", "owner")]
    assert (browser.get(LINK).status_code, browser.post(LINK, data=FORM).status_code) == (404, 404)
    stranger = empty.test_client()
    assert "Nobody has books here yet" not in stranger.get("/sign-in").text
    for password, status in ((PASSWORD, 401), (FORM["password"], 303)):
        answer = stranger.post("/sign-in", data={"email": "ada@example.org", "password": password})
        assert answer.status_code == status


def test_a_refused_form_starts_nothing_and_keeps_what_was_typed(empty):
    for changed, sentence in REFUSED:
        refused = empty.test_client().post(LINK, data=FORM | changed)
        assert (refused.status_code, sentence in unescape(refused.text)) == (422, True), changed
        assert ('value="Lantern Studio"' in refused.text, PASSWORD in refused.text) == (True, False)
    assert people(empty) == []


def test_plain_http_from_elsewhere_starts_nothing(empty):
    browser, elsewhere = empty.test_client(), {"REMOTE_ADDR": "10.0.0.8"}
    for answer in (
        browser.get(LINK, environ_base=elsewhere),
        browser.post(LINK, data=FORM, environ_base=elsewhere),
    ):
        assert (answer.status_code, "Over plain HTTP" in answer.text) == (403, True)
    assert people(empty) == []


def test_of_two_at_the_same_moment_one_starts_the_books(empty):
    barrier = threading.Barrier(2)

    def start(name):
        barrier.wait(30)
        return empty.test_client().post(LINK, data=FORM | {"email": f"{name}@example.org"}).status_code

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(start, ("ada", "ben"))) == [303, 404]
    assert len(people(empty)) == 1
