"""The protocol's own client is the judge: in both eras, over HTTP and over standard input and output."""

import asyncio
import os
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest
from mcp import Client, MCPDeprecationWarning, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.fixtures.helpers.marks import on_sqlite
from tests.tree import ROOT
from webapp.mcp.messages import INVALID_PARAMS, LEGACY, MODERN, NO_RESOURCE
from webapp.mcp.resources import INSTRUCTIONS

MODES = ("auto", MODERN, "legacy")
PATIENCE_SECONDS = 60


@asynccontextmanager
async def over_http(address, token, mode):
    """Connect as a client does that was told the address and the key."""
    async with (
        create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http,
        Client(
            streamable_http_client(f"{address}/mcp", http_client=http),
            mode=mode,
            read_timeout_seconds=PATIENCE_SECONDS,
        ) as client,
    ):
        yield client


@asynccontextmanager
async def over_lines(settings, mode):
    """Start `tieout mcp` as a client does, and connect to it."""
    environment = {"PATH": os.environ["PATH"], **settings}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "webapp.cli", "mcp"], env=environment, cwd=ROOT
    )
    with tempfile.TemporaryFile("w") as log:
        transport = stdio_client(command, errlog=log)
        async with Client(transport, mode=mode, read_timeout_seconds=PATIENCE_SECONDS) as client:
            yield client


async def use(client, mode):
    """Ask a client for everything that it can ask; answers the tools' names."""
    is_modern = mode != "legacy"
    assert client.protocol_version == (MODERN if is_modern else LEGACY[0])
    if mode != MODERN:
        # Who has the version beforehand asks for neither.
        assert (client.server_info.name, client.instructions) == ("tieout", INSTRUCTIONS)
    tools = (await client.list_tools()).tools
    context = await client.call_tool("get_context", {})
    assert (context.is_error, context.structured_content["books"]["name"]) == (False, "Lantern Studio")
    found = await client.call_tool("find_lines", {"text": "Rent"})
    assert found.structured_content["total"] == 1
    assert "«Rent»" in found.content[0].text
    refused = await client.call_tool("find_lines", {"account": "Nowhere"})
    assert refused.is_error
    assert "There is no bank account 'Nowhere'" in refused.content[0].text
    assert (await client.call_tool("find_lines", {"limit": "many"})).is_error
    await use_resources(client, NO_RESOURCE if not is_modern else INVALID_PARAMS)
    with pytest.raises(MCPError) as unknown:
        await client.call_tool("post_everything", {})
    assert unknown.value.error.code == INVALID_PARAMS
    if not is_modern:
        with warnings.catch_warnings(action="ignore", category=MCPDeprecationWarning):
            await client.send_ping()
    return [each.name for each in tools]


async def use_resources(client, code):
    """Ask for resources and prompts; what there is none of is refused with this code."""
    guide, account = (await client.list_resources()).resources
    assert (await client.read_resource(guide.uri)).contents[0].text == INSTRUCTIONS
    assert '"accountName": "Checking"' in (await client.read_resource(account.uri)).contents[0].text
    assert len((await client.list_resource_templates()).resource_templates) == 3
    with pytest.raises(MCPError) as nothing:
        await client.read_resource("tieout://proofs/999")
    assert nothing.value.error.code == code
    prompts = (await client.list_prompts()).prompts
    asked = {each.name: f"the {each.name}" for each in prompts[0].arguments}
    prompt = await client.get_prompt(prompts[0].name, asked)
    assert "the account" in prompt.messages[0].content.text
    with pytest.raises(MCPError) as missing:
        await client.get_prompt(prompts[0].name, {})
    assert missing.value.error.code == INVALID_PARAMS


@pytest.fixture
def books(bank):
    """A bank account with a line."""
    bank.open("Checking")
    bank.send("2026-10-02", "-900.00", "Rent")


def test_the_official_client_uses_everything_over_http(books, live_server, ada):
    async def all_modes():
        for mode in MODES:
            async with over_http(live_server, ada.token, mode) as client:
                assert (await use(client, mode))[0] == "get_context"

    run(all_modes())


@on_sqlite
def test_the_official_client_uses_everything_over_standard_input_and_output(books, house, live_server, ada):
    local = {
        "DATABASE_URL": house.settings.database_url,
        "INSTANCE_PATH": str(house.settings.instance_path),
    }

    async def converse(settings, mode):
        async with over_lines({"TIEOUT_TOKEN": ada.token, **settings}, mode) as client:
            return await use(client, mode)

    async def all_modes():
        return await asyncio.gather(
            converse({"TIEOUT_URL": live_server}, "auto"),
            converse({"TIEOUT_URL": live_server}, "legacy"),
            converse(local, MODERN),
        )

    first, *others = run(all_modes())
    assert others == [first, first]


@pytest.mark.parametrize("mode", MODES)
def test_a_key_that_is_refused_is_an_error_of_the_client(live_server, mode):
    async def connect():
        async with over_http(live_server, "tie_nobody", mode) as client:
            await client.list_tools()

    with pytest.raises(BaseExceptionGroup) as refused:
        run(connect())
    (error,) = leaves_of(refused.value)
    assert "This is not a complete API token; copy it again." in str(error)


def run(conversation):
    """Run a conversation in a thread of its own: the browser's tests keep a loop in that of this process."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, conversation).result()


def leaves_of(group):
    """Give the errors of a group of groups."""
    return [
        leaf
        for each in group.exceptions
        for leaf in (leaves_of(each) if isinstance(each, BaseExceptionGroup) else [each])
    ]
