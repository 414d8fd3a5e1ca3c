"""A month by a client that a person connected: the official one, against a served instance behind nginx."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from urllib.parse import parse_qs, urlsplit

import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import OAuthClientMetadata
from playwright.sync_api import expect

from tests.fixtures.browsers import PATIENCE, another_page
from tests.fixtures.servers import Server
from tests.mcp.test_month import DAYS, SUMS
from tests.security.connections.conftest import BACK, CLAUDE
from tests.security.connections.test_judges import Kept
from tests.server.proxies import DOCUMENTED, Nginx
from webapp.mcp.messages import MODERN

MOST_CLICKS, PATIENCE_SECONDS = 6, 60
MONTH = [*zip(DAYS, SUMS, ["Hosting"] * 20, strict=True), ("2026-10-30", "800.00", "Client")]
STATEMENT = {"account": "Main account", "statementDate": "2026-10-31", "statementBalance": "587.90"}


@pytest.fixture
def served(house):
    """The public address of a server behind nginx."""
    house.leave()
    server = Server(house, 2)
    with Nginx(server.port, DOCUMENTED) as nginx:
        server.settings = {"PUBLIC_URL": nginx.address, "PROXY_HOPS": "1"}
        server.kill()
        server.start()
        yield nginx.address
    server.kill()


@pytest.fixture
def desk(chromium, served):
    """A person's browser that knows nothing yet, and counts clicks."""
    context = chromium.new_context(base_url=served)
    context.set_default_timeout(PATIENCE)
    desk = Desk(context.new_page())
    context.route(lambda address: urlsplit(address).path.endswith("/connect"), desk.go_back)
    yield desk
    context.close()


class Desk:
    """A person at a browser."""

    def __init__(self, page):
        self.page, self.clicks, self.back = page, 0, None

    def go_back(self, route):
        """Keep where the person is sent after the consent, which is on no machine of the test."""
        headers = {**route.request.headers, "Sec-Fetch-Site": "same-origin"}
        answer = route.fetch(max_redirects=0, headers=headers)
        if answer.headers.get("location", "").startswith(BACK):
            self.back = answer.headers["location"]
            route.fulfill(body="You are back.")
        else:
            route.fulfill(response=answer)

    def press(self, name):
        self.clicks += 1
        self.page.get_by_role("button", name=name, exact=True).click()

    def click(self, name):
        with another_page(self.page):
            self.press(name)

    def sign_in(self, person):
        self.page.get_by_label("Email").fill(person.email)
        self.page.get_by_label("Password").fill(person.password)
        self.click("Sign in")


class Chat:
    """A client in a thread of its own, which leads its person to a page and waits for the answer."""

    def __init__(self, address):
        self.address, self.told, self.answers = address, Queue(), Queue()

    async def lead(self, address):
        self.told.put(address)

    async def come_back(self):
        answer = await asyncio.to_thread(self.answers.get, timeout=PATIENCE_SECONDS)
        found = {name: value for name, (value,) in parse_qs(urlsplit(answer).query).items()}
        return AuthorizationCodeResult(code=found["code"], state=found["state"], iss=found["iss"])

    async def play(self, kept, task):
        provider = OAuthClientProvider(
            server_url=f"{self.address}/mcp",
            client_metadata=OAuthClientMetadata(client_name="Claude", redirect_uris=[BACK]),
            storage=kept,
            redirect_handler=self.lead,
            callback_handler=self.come_back,
            client_metadata_url=CLAUDE,
        )
        async with (
            create_mcp_http_client(auth=provider) as http,
            Client(streamable_http_client(f"{self.address}/mcp", http_client=http), mode=MODERN) as client,
        ):

            async def call(tool, **arguments):
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result.content[0].text
                return result.structured_content

            return await task(call)


async def close_october(call):
    found = await call("find_lines", account="Main account", state="uncategorised", limit=50)
    categories = [{"id": each["lineId"], "category": "Server rent"} for each in found["lines"]]
    return await call("reconcile", **STATEMENT, categories=categories, propose=True, why="October")


async def look_again(call):
    return await call("get_context")


@pytest.mark.rare
def test_a_person_connects_in_two_clicks_and_closes_a_month_with_one_approval(
    desk, served, ben, bank, figure
):
    bank.account("Server rent")
    bank.send_many(MONTH)
    chat, kept = Chat(served), Kept()
    with ThreadPoolExecutor(1) as thread:
        playing = thread.submit(asyncio.run, chat.play(kept, close_october))
        desk.page.goto(chat.told.get(timeout=PATIENCE_SECONDS))
        desk.sign_in(ben)
        expect(desk.page.get_by_text("claude.ai", exact=True).first).to_be_visible()
        desk.click("Connect")
        chat.answers.put(desk.back)
        clicks = desk.clicks
        proposed = playing.result(PATIENCE_SECONDS)
        assert (proposed["status"], proposed["difference"], proposed["blockers"]) == ("PENDING", "0.00", [])
        desk.page.goto(f"/b/{ben.organization_id}/proposals")
        desk.clicks = 0
        desk.press("Approve a")
        expect(desk.page.get_by_text("Nothing to approve")).to_be_visible()
        approvals = desk.clicks
        after = thread.submit(asyncio.run, chat.play(kept, look_again)).result(PATIENCE_SECONDS)
    assert after["accounts"][0]["provedTo"] == "2026-10-31"
    assert (clicks <= MOST_CLICKS, approvals) == (True, 1)
    (proof,) = ben.get(f"/api/reconciliations?faId={bank.fa_id}").json["reconciliations"]
    assert (proof["statementBalance"], proof["holds"]) == ("587.90", True)
    figure(
        "OAuth",
        f"behind nginx: connected in {clicks} clicks, {len(MONTH)} lines closed with {approvals} approval",
    )
