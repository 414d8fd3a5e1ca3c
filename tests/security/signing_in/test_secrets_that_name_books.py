"""Tokens and sessions name their organization, so that only its node is asked; older ones that name none go on."""

import secrets

import pytest

from tests.fixtures.helpers.tenancy import shape, unnamed
from webapp.database.sessions import own_transaction
from webapp.ledger.scopes import organization_of, token_text
from webapp.models import ApiToken
from webapp.queries.access.principals import digest_of


@pytest.fixture
def rewritten(ada, app):
    def rewrite(text):
        with app.app_context(), own_transaction() as session:
            session.get_one(ApiToken, (ada.organization_id, ada.token_id)).token_hash = digest_of(text)
        return {"Authorization": f"Bearer {text}"}

    return rewrite


@pytest.mark.filtered
@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_who_asks_is_looked_for_in_the_books_that_the_secret_names(ada, statements):
    for asked in (ada.get, ada.browser().get):
        with statements() as seen:
            assert asked("/api/projects").status_code == 200
        assert [each for each in seen if unnamed(shape(each))] == []


def test_an_older_token_goes_on_and_one_that_names_other_books_is_none(app, ada, dan, rewritten):
    random = secrets.token_bytes(32)
    older = token_text(random, "of another form")
    assert organization_of(older) is None
    assert app.test_client().get("/api/projects", headers=rewritten(older)).status_code == 200
    assert organization_of(ada.token) == ada.organization_id
    elsewhere = token_text(random, dan.organization_id)
    assert app.test_client().get("/api/projects", headers=rewritten(elsewhere)).status_code == 401
