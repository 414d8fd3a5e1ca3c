"""Who may ask what: every address by every person and every token (behaviour.md 5)."""

from dataclasses import replace

import pytest

from scripts import permissions
from tests.security.addresses import ENDING, addresses_of, refusal_of, written
from tests.tree import ROOT
from webapp.database.sessions import db
from webapp.ledger.scopes import ACT_SCOPES, CLOSE, SCOPES
from webapp.models import ApiToken, Membership

ROUTES = ROOT / "tests/routes.txt"
REFUSED = {401, 403}
# What waits for a setting that opens it.
# What answers 401 to whoever has not signed in, and is for those.
SIGNING_IN = {"POST /sign-in", "POST /sign-in/code"}
HIDDEN = ("/metrics", "/oauth/", "/.well-known/", "/sign-in/forgotten", "/sign-in/oidc", "/sign-in/passkey")
# Waits for a person, would change nothing, or is refused before anybody is asked.
ASKED = {202, 200, 404, 415, 422}


@pytest.fixture
def addresses(app):
    """Every address but the one that a password is given to."""
    return [address for address in addresses_of(app) if address.name not in SIGNING_IN]


def test_every_address_is_in_the_readable_list(app):
    """A new address belongs into tests/routes.txt, with what it needs, for a reader to judge."""
    listed = [line for line in ROUTES.read_text().splitlines() if line and not line.startswith("#")]
    there = written(addresses_of(app))
    missing = "\n".join(line for line in there if line not in listed)
    gone = "\n".join(line for line in listed if line not in there)
    assert not missing, f"Add to tests/routes.txt:\n{missing}"
    assert not gone, f"Take out of tests/routes.txt:\n{gone}"
    assert listed == there, "Keep tests/routes.txt in the order of its addresses."


def test_every_address_declares_a_known_scope(addresses):
    assert [address.name for address in addresses if address.scope not in (*SCOPES, CLOSE, "public")] == []


def test_an_address_without_a_scope_answers_nobody(app, ada, monkeypatch):
    monkeypatch.delattr(app.view_functions["api_transactions.listed"], "scope")
    answer = ada.get("/api/transactions")
    assert (answer.status_code, answer.json["code"]) == (500, "internal")


def test_what_reads_needs_no_more_than_read(addresses):
    assert [a.name for a in addresses if a.is_safe and a.is_api and a.scope != "read"] == []


def test_nobody_is_let_in(app, addresses):
    for address in addresses:
        answer = app.test_client().open(address.path(), method=address.method, **address.options())
        if address.scope == "public":
            is_hidden = address.parameters or address.path().startswith(HIDDEN)
            assert answer.status_code == (404 if is_hidden else 200), address.name
        elif address.is_api:
            assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (
                401,
                'Bearer realm="Tieout"',
            ), address.name
            assert refusal_of(answer)[0] == "unauthenticated"
        else:
            assert answer.status_code == 303, address.name
            assert answer.headers["Location"].startswith("/sign-in"), address.name


def test_the_published_table_has_every_address(app):
    """A new address belongs into docs/permissions.md: python -m scripts.permissions writes it."""
    assert permissions.PAGE.read_text() == permissions.page(app)


def test_an_address_that_declares_nothing_cannot_be_published(app, monkeypatch):
    monkeypatch.delattr(app.view_functions["api_transactions.listed"], "scope")
    with pytest.raises(LookupError, match="GET /api/transactions declares no scope"):
        permissions.page(app)


@pytest.fixture
def published():
    rows = [
        line.strip("| ").split(" | ") for line in permissions.PAGE.read_text().splitlines() if "| `" in line
    ]
    return {cells[0].strip("`"): dict(zip(permissions.COLUMNS, cells[2:], strict=True)) for cells in rows}


@pytest.mark.rare
@pytest.mark.parametrize(
    ("name", "role"), [("ada", "owner"), ("ben", "bookkeeper"), ("cleo", "accountant"), ("cleo", "viewer")]
)
def test_a_persons_session_may_what_is_published(people, addresses, published, bank, figure, name, role):
    """Signed in once, and once more for each address that signs out; nothing else ends a session."""
    person = people[name]

    def be():
        db.session.get_one(Membership, (person.organization_id, person.user_id)).role = role

    bank.ask(be)
    people["ada"].put("/api/close-steps/policy", json={"letsAccountants": True})
    browser, leaving = people[name].browser(), []
    for address in addresses:
        if address.endpoint in ENDING:
            leaving.append(address)
            continue
        answer = browser._ask(address.method, address.path(), address.options())  # noqa: SLF001
        assert_judged(address, answer, published[permissions.name_of(address)][role])
    assert browser.get("/").status_code == 200
    for address in leaving:
        browser = people[name].browser()
        assert_judged(address, browser.post(address.path()), published[permissions.name_of(address)][role])
        assert browser.get("/").status_code == 303
    assert len(leaving) == len(ENDING)
    figure("P38", f"{len(addresses)} of {len(addresses)} cells of a session of the {role} hold")


@pytest.mark.parametrize("scope", SCOPES)
def test_a_token_with_one_scope_may_what_is_published(
    ada, bank, addresses, published, figure, scope, portion
):
    bank.allow_approving()
    limited, asked = ada.with_scopes(scope), portion(3, addresses, SCOPES.index(scope))
    for address in asked:
        answer = limited.ask(address.method, address.path(), **address.options())
        assert_judged(address, answer, published[permissions.name_of(address)][scope])
    figure("P38", f"{len(asked)} of {len(asked)} cells of a token with {scope} hold")


@pytest.mark.rare
@pytest.mark.parametrize(("name", "role"), [("ben", "bookkeeper"), ("cleo", "viewer")])
def test_a_token_of_a_lesser_role_may_what_both_may(people, addresses, published, bank, name, role):
    """Also where it was given more: the member's role is now less than it was."""
    person = people[name]

    def give():
        db.session.get_one(ApiToken, (person.organization_id, person.token_id)).scopes = list(ACT_SCOPES)

    bank.ask(give)
    for address in addresses:
        cells = published[permissions.name_of(address)]
        answer = person.ask(address.method, address.path(), **address.options())
        # What only keys may ask, a role may as far as its key may.
        of_role = permissions.cell(replace(address, token_only=False), role)
        may = of_role if any(cells[scope] == permissions.YES for scope in ACT_SCOPES) else permissions.NO
        assert_judged(address, answer, may)


def test_a_token_is_no_stronger_than_its_owner_is_now(people, bank):
    """Ben made a token with all that he may; then he became a viewer."""
    ben = people["ben"]

    def demote():
        db.session.get_one(Membership, (ben.organization_id, ben.user_id)).role = "viewer"

    bank.ask(demote)
    assert ben.get("/api/transactions").status_code == 200
    assert ben.post("/api/transactions/1/confirm").status_code == 403


def assert_judged(address, answer, cell):
    """Hold that an answer lets through or refuses, as a cell of the table says."""
    if cell == permissions.NO:
        assert answer.status_code == 403, (address.name, answer.status_code)
        if address.is_api:
            code, sentence = refusal_of(answer)
            is_close = address.session_only and address.rule.startswith("/api/closes")
            own = "person_needed" if is_close and sentence.startswith("Sign in") else "forbidden"
            assert code == own, address.name
            kinds = {"Sign in": address.session_only, "API key": address.token_only, address.scope: True}
            kinds["secret"] = address.is_secret
            assert any(holds and why in sentence for why, holds in kinds.items())
        return
    if cell == permissions.ASKS:
        assert answer.status_code in ASKED, (address.name, answer.status_code, answer.json)
        return
    assert answer.status_code not in REFUSED, (address.name, answer.status_code)
    assert answer.status_code < 500, (address.name, answer.status_code)
