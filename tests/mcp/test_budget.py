"""What a model reads before it does anything: how many tokens, and that each name in it is one of a tool."""

import ast
import json
import re

import pytest
from jsonschema import Draft202012Validator

from tests import tree
from tests.fixtures.helpers.marks import on_sqlite
from tests.mcp.clients import BYTES_OF_A_TOKEN, Model
from webapp.ledger.scopes import SCOPES
from webapp.mcp.prompts import PROMPTS
from webapp.mcp.resources import INSTRUCTIONS
from webapp.mcp.tools import TOOLS

LONGEST_DESCRIPTION = 280
# Words as tools are written: of more than one word, or what a sentence tells to call or to ask.
TOOL_NAME = re.compile(
    r"\b[a-z]+(?:_[a-z]+)+\b|(?<=\b[Cc]all )(?!it\b|again\b)[a-z]+|(?<=\b[Aa]sk )(?:explain|report)"
)
MOST_TOKENS, MOST_TOKENS_OF_INPUTS = 4_500, 3_000


def tokens(value) -> int:
    """How many tokens a value is, as it is sent."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode()) // BYTES_OF_A_TOKEN


@on_sqlite
def test_what_is_read_first_is_within_its_budget(ada, figure):
    model = Model(ada.with_scopes(*set(SCOPES) - {"approve"}))
    result = model.ask("tools/list")
    listed = result["tools"]
    assert [each["name"] for each in listed] == [each.name for each in TOOLS]
    inputs = [{name: value for name, value in each.items() if name != "outputSchema"} for each in listed]
    first = tokens(INSTRUCTIONS)
    whole = model.post("tools/list").content_length // BYTES_OF_A_TOKEN + first
    without = tokens({**result, "tools": inputs}) + first
    each = ", ".join(
        f"{tool['name']} {tokens(tool)} ({tokens(lean)})" for tool, lean in zip(listed, inputs, strict=True)
    )
    figure(
        "MCP",
        f"{len(listed)} tools and instructions ({first}): {whole} tokens, {without} without outputs; {each}",
    )
    assert whole <= MOST_TOKENS
    assert without <= MOST_TOKENS_OF_INPUTS


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_is_described_shortly_and_in_full(tool):
    found = tool.definition
    assert len(found["description"]) <= LONGEST_DESCRIPTION
    assert found["title"].strip()
    assert set(found["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    for name in ("inputSchema", "outputSchema"):
        Draft202012Validator.check_schema(found[name])
        assert found[name]["type"] == "object"
        # What is left out of a description is no hint that anything goes.
        assert set(found[name].get("required", [])) <= set(found[name].get("properties", {}))
    assert set(found["inputSchema"].get("required", [])) == {
        field.data_key or name for name, field in tool.takes().load_fields.items() if field.required
    }


def test_each_tool_that_a_text_names_is_there():
    # A kind of report has two words as well.
    (kinds,) = (each.takes().fields["kind"].validate.choices for each in TOOLS if each.name == "report")
    there = {each.name for each in (*TOOLS, *PROMPTS)} | set(kinds)
    named = {
        (name, str(path))
        for path in tree.modules("webapp")
        if path.parts[:2] == ("webapp", "mcp")
        for text in sentences_of(path)
        for name in TOOL_NAME.findall(text)
    }
    assert {each for each in named if each[0] not in there} == set()
    assert "find_lines" in {name for name, _ in named}


def sentences_of(path):
    """Give the texts of a module that a model may read: those with more than a word, its docstrings apart."""
    root = tree.parsed(path)
    own = {
        node.body[0].value
        for node in ast.walk(root)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(root):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in own:
            text = node.value
            if " " in text.strip():
                yield text
