"""Prompts for people to choose in their client: reconcile a month, review lines, repair a proof."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webapp.mcp.messages import INVALID_PARAMS, ProtocolError

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: its arguments are names with a description, all required."""

    name: str
    title: str
    description: str
    arguments: Mapping[str, str]
    text: str


PROMPTS: Final[Sequence[Prompt]] = (
    Prompt(
        "reconcile_month",
        "Reconcile a month",
        "Bring an account's statement into the books and prove it.",
        {
            "account": "The bank account.",
            "statementDate": "Its day.",
            "statementBalance": "Its closing balance.",
        },
        "Reconcile {account} to its statement of {statementDate} over {statementBalance}. Call get_context, then "
        "find_lines of the account with state uncategorised up to that day. With categorise_lines let lines pay what "
        "they surely pay, pair transfers and categorise what has good evidence, and ask me about the rest. Then call "
        "reconcile; show me what stands between books and statement, and propose it only when the difference is 0.00.",
    ),
    Prompt(
        "review_lines",
        "Review uncategorised lines",
        "Find categories for the lines of an account that have none.",
        {"account": "The bank account."},
        "Call find_lines of {account} with state uncategorised. For each line name what it pays, its transfer or its "
        "category, and the evidence, in one table; where the evidence is thin, ask me. After my answer send them with "
        "one categorise_lines.",
    ),
    Prompt(
        "repair_proof",
        "Repair a broken proof",
        "Find what broke a proof, and mend it.",
        {"proof": "Like proof:12, as get_context has it."},
        "Call explain about {proof}. Tell me in plain words what broke it, who did it and why, and what each repair "
        "would change. After my choice call repair_proof with it.",
    ),
)


def listed(_params: Mapping[str, Any]) -> Json:
    """List the prompts."""
    return {"prompts": [_definition(each) for each in PROMPTS]}


def get(params: Mapping[str, Any]) -> Json:
    """Return a prompt with its arguments filled in; raises ProtocolError."""
    name, arguments = params.get("name"), params.get("arguments") or {}
    prompt = next((each for each in PROMPTS if each.name == name), None)
    if prompt is None:
        raise ProtocolError(INVALID_PARAMS, f"There is no prompt {str(name)[:80]!r}.")
    if not isinstance(arguments, dict) or not all(isinstance(each, str) for each in arguments.values()):
        raise ProtocolError(INVALID_PARAMS, "arguments: Send texts by name.")
    missing = [each for each in prompt.arguments if not arguments.get(each)]
    if missing:
        raise ProtocolError(INVALID_PARAMS, f"arguments: missing {', '.join(missing)}.")
    text = prompt.text.format(**{each: arguments[each] for each in prompt.arguments})
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"description": prompt.description, "messages": [message]}


def _definition(prompt: Prompt) -> Json:
    return {
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": [
            {"name": name, "description": description, "required": True}
            for name, description in prompt.arguments.items()
        ],
    }
