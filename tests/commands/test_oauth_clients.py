"""An operator adds the clients that people may connect, and asks whether one could connect at all."""

import json
from dataclasses import replace

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.servers import Server, free_port
from tests.server.proxies import DOCUMENTED, Nginx
from webapp.commands import connector
from webapp.queries.access import clients
from webapp.queries.access.clients import find

GEMINI = "https://gemini.example/client.json"
BACK = "https://gemini.example/back"
OWN = "http://localhost:7777/back"
# What is added to the documented settings of nginx, and what the doctor names; nothing is wrong with the first ones.
PROXIES = {
    "": [],
    "proxy_pass_request_headers on;": [],
    "proxy_buffering off;": [],
    'proxy_set_header Authorization "";': ["no_authorization"],
    "proxy_hide_header WWW-Authenticate;": ["no_metadata"],
    "if ($uri ~ ^/.well-known/) { return 404; }": ["no_document"],
    "if ($uri ~ ^/oauth/authorize) { return 404; }": ["no_sign_in"],
    "if ($uri ~ ^/oauth/token) { return 404; }": ["no_tokens"],
    "if ($uri = /mcp) { return 301 /mcp/; }": ["redirected"],
    "if ($uri ~ ^/mcp) { return 404; }": ["not_reached"],
    "auth_basic books; auth_basic_user_file /dev/null;": ["another_sign_in"],
}


@pytest.fixture
def add(command, house):
    yield lambda *redirects, name="Gemini": command(
        "oauth-client",
        "add",
        GEMINI,
        "--name",
        name,
        *[w for each in redirects for w in ("--redirect", each)],
    )
    (house.settings.instance_path / clients.ADDED).unlink(missing_ok=True)


@on_sqlite
def test_a_client_is_added_changed_and_removed(add, command, house):
    folder = house.settings.instance_path
    assert find(GEMINI, folder, None) is None
    add(BACK, name="Another")
    assert add(BACK, OWN).exit_code == 0
    found = find(GEMINI, folder, None)
    assert (found.name, found.host, found.redirects) == ("Gemini", "gemini.example", (BACK, OWN))
    assert (folder / clients.ADDED).stat().st_mode & 0o777 == 0o600
    assert found.takes("http://localhost:81/back")
    assert not found.takes("http://localhost:81/other")
    assert not found.takes("http://127.0.0.1:81/back")
    assert not found.takes(BACK.replace("example", "example:444"))
    (listed,) = json.loads(command("oauth-client", "list", "--json").stdout)
    assert listed["clientId"] == GEMINI
    assert command("oauth-client", "remove", GEMINI).exit_code == 0
    assert command("oauth-client", "remove", GEMINI).exit_code == 2
    assert find(GEMINI, folder, None) is None


@on_sqlite
@pytest.mark.parametrize(
    "address",
    [
        "http://gemini.example/back",
        "https://gemini.example/back#x",
        "https://ada@gemini.example/",
        "gemini://back",
        "https://gemini.example/ back",
        "https://gemini.example;script-src *",
    ],
)
def test_an_address_that_may_leak_a_code_is_wrong_use(add, address):
    assert add(address).exit_code == 2


def test_what_is_shipped_leads_to_https_alone(tmp_path):
    shipped = json.loads(clients.SHIPPED.read_text())
    assert {each["name"] for each in shipped} == {"Claude", "ChatGPT"}
    assert all(each["source"] and each["readOn"] for each in shipped)
    assert all(address.startswith("https://") for each in shipped for address in each["redirects"])
    one = find("https://chatgpt.com/oauth/abc-1/client.json", tmp_path, None)
    assert one.redirects == ("https://chatgpt.com/connector/oauth/abc-1",)
    assert find("https://chatgpt.com/oauth/a/b/client.json", tmp_path, None) is None


@on_sqlite
def test_the_doctor_plays_a_client_and_names_the_first_fault(command, app, live_server, monkeypatch):
    def diagnosed(address=f"{live_server}/mcp", **settings):
        found = replace(app.config["SETTINGS"], public_url=live_server)
        monkeypatch.setitem(app.config, "SETTINGS", replace(found, **settings))
        told = json.loads(command("doctor", "--connector", address, "--json").stdout)
        assert told["ok"] == (told["findings"] == [])
        return [(each["code"], each["mend"]) for each in told["findings"]]

    assert diagnosed() == []
    ((code, mend),) = diagnosed(public_url="")
    assert (code, live_server in mend) == ("no_metadata", True)
    ((code, mend),) = diagnosed(public_url="https://books.example.org")
    assert (code, live_server in mend) == ("other_address", True)
    assert [code for code, _ in diagnosed(f"{live_server}/mcp/")] == ["resource"]
    assert [code for code, _ in diagnosed(f"{live_server}/nowhere")] == ["not_reached"]
    assert [code for code, _ in diagnosed("http://127.0.0.1:1/mcp")] == ["no_answer"]
    assert [code for code, _ in diagnosed("books")] == ["no_address"]
    ((code, mend),) = diagnosed(trusted_hosts=("books.example.org",))
    assert (code, mend) == ("untrusted_host", "Add 127.0.0.1 to TRUSTED_HOSTS.")


@pytest.mark.rare
@on_sqlite
def test_the_doctor_names_what_a_proxy_does_wrong_and_nothing_else(house, figure):
    house.leave()
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    server = Server(house, 1, PUBLIC_URL=address, PROXY_HOPS="1")
    told = {}
    for added in PROXIES:
        with Nginx(server.port, f"{DOCUMENTED}\n{added}", port):
            told[added] = [each.code for each in connector.examine(f"{address}/mcp")]
    with Nginx(server.port, DOCUMENTED) as another:
        assert [each.code for each in connector.examine(f"{another.address}/mcp")] == ["other_address"]
    hostless = DOCUMENTED.replace("$http_host", "books.example.org").replace("$host", "books.example.org")
    with Nginx(server.port, hostless, port):
        assert [each.code for each in connector.examine(f"{address}/mcp")] == ["untrusted_host"]
    server.kill()
    assert told == PROXIES
    wrong = len([each for each in PROXIES.values() if each]) + 2
    figure("doctor --connector", f"behind nginx: {wrong} faults named, 0 where nothing is wrong")
