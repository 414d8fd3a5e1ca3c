"""Acts on more lines than one transaction should hold, in parts: others write between them.

Each part is a request of the same page. What is left stands in a form of the toast, which goes on by itself. Where
that was interrupted, its button goes on.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webapp import queries
from webapp.ledger.titles import counted
from webapp.web.access.auth import organization_id
from webapp.web.rendering.context import line_address

PART: Final = 100
MOST_LISTED: Final = 20


def form(label: str, address: str, values: Mapping[str, object], *, goes: bool = False) -> dict[str, Any]:
    """Give a form of the toast; one that `goes` is sent at once. A list has a field for each of its values."""
    fields = [
        (name, each)
        for name, value in values.items()
        for each in (value if isinstance(value, list) else [value])
        if each is not None
    ]
    return {"label": label, "address": address, "fields": fields, "goes": goes}


def going(text: str, address: str, values: Mapping[str, object]) -> dict[str, Any]:
    """Give the notice between two parts; each has a form of its own, for one that is kept is not sent again."""
    rest = form("Go on", address, values, goes=True)
    return {"text": text, "forms": [rest | {"part": text.partition(" ")[0].replace(",", "")}]}


def refusal(line_id: int, sentence: str) -> str:
    """Write a refused line for the form."""
    return f"{line_id} {sentence}"[:1000]


def refused_lines(fa_id: int, refused: Sequence[str]) -> dict[str, Any]:
    """List the refused lines of a notice, each with its reason."""
    if not refused:
        return {}
    pairs = [each.partition(" ")[::2] for each in refused[:MOST_LISTED]]
    ids = {int(line_id) for line_id, _ in pairs if line_id.isdigit()}
    names = queries.transactions.selected_lines.labels(organization_id(), ids)
    named = [
        {"href": line_address(fa_id, int(line_id)), "name": names[int(line_id)], "why": why}
        for line_id, why in pairs
        if line_id.isdigit() and int(line_id) in names
    ]
    more = len(refused) - len(named)
    return {"refused": named, "more": f"And {counted(more, 'line')} more." if more > 0 else ""}
