"""The pages of what connects and of ways to sign in, in each language: nothing is cut, and they do what they say."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pyotp
import pytest
from playwright.sync_api import expect

from tests.browser.test_screens import too_narrow
from tests.fixtures.browsers import another_page
from tests.security.connections.conftest import Client
from tests.security.signing_in.test_second_factors import passkey_of
from tests.tree import UNPLAIN
from webapp.database.sessions import db
from webapp.models import Identity, User, WebhookDelivery
from webapp.services.access import second_factors
from webapp.services.access.own_sign_in import NEW_ADDRESS, WAITS_FOR
from webapp.services.operating import webhooks
from webapp.services.operating.outbound import Gate

LANGUAGES = ("en", "de")
BODY = '{"data":{"kind":"confirm_transaction","sequence":41},"type":"transaction.executed"}'
ISSUER = "https://id.example.org/realms/office"


@pytest.fixture
def site(app, live_server, monkeypatch):
    """Let the server have a name, and another one to sign in with."""
    address = f"http://localhost:{urlsplit(live_server).port}"
    facts = {"public_url": address, "oidc_issuer": ISSUER, "oidc_client_id": "tieout"}
    monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], **facts, calls_others=True))
    return address


@pytest.fixture
def places(ada, ben, bank, site):
    """The addresses of the pages, with one of each thing on them."""
    client, now = Client(ada), datetime.now(UTC)
    resource = {"resource": f"{site}/mcp"}
    client.redeem(client.code(**resource), **resource)
    gate = Gate(is_open=True)

    def settle():
        hook, _ = webhooks.create(
            "https://hooks.example.org/services/T024/books",
            ["*.pending", "transaction.*"],
            "THIN",
            gate,
            actor=ada.actor,
            now=now,
        )
        states = [("DONE", 200, "ok"), ("WAITING", 503, "The service is starting."), ("FAILED", None, "")]
        for number, (state, status, said) in enumerate(states):
            db.session.add(
                WebhookDelivery(
                    organization_id=ada.organization_id,
                    endpoint_id=hook.id,
                    message_id=f"msg_{hook.uid[:16]}_{number}",
                    type="transaction.executed",
                    body=BODY,
                    state=state,
                    attempts=3,
                    status_code=status,
                    answer=said,
                    tried_at=now - timedelta(minutes=number),
                    created_at=now,
                )
            )
        db.session.add(passkey_of(ada))
        db.session.add(Identity(issuer=ISSUER, subject="ada-1", user_id=ada.user_id, created_at=now))
        asked = {"email": "benjamin.of.the.office@example.com", "organizationId": ben.organization_id}
        second_factors.begin(NEW_ADDRESS, now, WAITS_FOR, user_id=ben.user_id, **asked)
        return hook.id

    hook = bank.ask(settle)
    at = f"/b/{ada.organization_id}"
    return {
        "consent": f"{at}/connect?{client.asked(**resource)}",
        "connections": f"{at}/settings/connections",
        "members": f"{at}/settings/members",
        "ways-in": "/settings/sign-in",
        "webhooks": f"{at}/settings/webhooks",
        "deliveries": f"{at}/settings/webhooks/{hook}",
        "door": "/sign-in",
    }


@pytest.mark.rare
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_are_whole_in_each_mode(browse, ada, bank, places, modes, picture, language):
    bank.ask(lambda: setattr(db.session.get_one(User, ada.user_id), "language", language))
    sideways, unplain = [], []
    for mode, options in modes.items():
        signed_in, visitor = browse(ada, **options), browse(**options, locale=language)
        for name, address in places.items():
            page = visitor if name == "door" else signed_in
            assert page.goto(address).status == 200, address
            for each in page.locator("details.grow").all():
                each.evaluate("details => details.open = true")
            picture(page, f"{name}-{language}-{mode}", full_page=True)
            sideways += [(name, mode, width) for width in too_narrow(page)]
            if name != "deliveries" and (found := UNPLAIN.findall(page.inner_text("main"))):
                unplain.append((name, found))
    assert (sideways, unplain) == ([], [])


def test_an_app_is_added_by_hand_and_the_next_sign_in_asks_for_it(browse, ada, site, modes, picture):
    for mode, options in modes.items():
        page = browse(ada, **options)
        page.goto("/settings/sign-in")
        if mode == next(iter(modes)):
            page.locator("#app-current").fill(ada.password)
            with another_page(page):
                page.get_by_role("button", name="Add an authenticator app").click()
            secret = page.locator("#second-factor .hint code").first.inner_text()
            picture(page, f"app-offered-{mode}", full_page=True)
            page.get_by_label("Code", exact=True).fill(pyotp.TOTP(secret).now())
            with another_page(page):
                page.get_by_role("button", name="Use this app").click()
            expect(page.locator("#recovery-codes")).to_be_visible()
            picture(page, f"recovery-codes-{mode}", full_page=True)
        visitor = browse(**options)
        visitor.goto("/sign-in")
        visitor.get_by_label("Email").fill(ada.email)
        visitor.get_by_label("Password").fill(ada.password)
        with another_page(visitor):
            visitor.get_by_role("button", name="Sign in", exact=True).click()
        expect(visitor.get_by_label("Code")).to_be_visible()
        picture(visitor, f"code-{mode}")
        assert too_narrow(visitor) == []


def test_a_delivery_is_sent_again_and_a_client_disconnected_by_hand(browse, ada, places):
    page = browse(ada)
    page.goto(places["deliveries"])
    expect(page.get_by_text("arrived")).to_have_count(1)
    page.locator("summary", has_text="arrived").click()
    with another_page(page):
        page.get_by_role("button", name="Send again").first.click()
    expect(page.get_by_text("Sent again from")).to_have_count(1)
    page.goto(places["connections"])
    expect(page.get_by_role("link", name="Claude")).to_be_visible()
    with another_page(page):
        page.get_by_role("button", name="Disconnect").first.click()
    expect(page.get_by_role("button", name="Disconnect")).to_have_count(0)
