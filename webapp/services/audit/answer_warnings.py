"""What an answer warns of: whoever only proposes reads it before, and whoever approves does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

# In an effect as well as in an answer; there it is about the effect, and no part of it.
WARNINGS: Final = "warnings"


def warnings_of(answer: Any) -> list[str]:
    """List the sentences with which a call's answer warns, as a whole or of a record in it.

    >>> warnings_of({"import": {"warnings": ["One"]}, "results": [{"warnings": [{"code": "two", "message": "Two"}]}]})
    ['One', 'Two']
    """
    if isinstance(answer, list):
        return [sentence for each in answer for sentence in warnings_of(each)]
    if not isinstance(answer, Mapping):
        return []
    own = [each if isinstance(each, str) else each["message"] for each in answer.get(WARNINGS) or ()]
    return [*own, *warnings_of([inner for key, inner in answer.items() if key != WARNINGS])]
