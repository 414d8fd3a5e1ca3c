"""Who acts: a person, a token, a command, or the system itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """The one who acts in one organization; `kind` is PERSON, TOKEN, COMMAND or SYSTEM.

    `user_id` is the person behind a token; `request_id` and `address` go into the audit trail. `is_uncapped` is said
    of a token whose act is tried out for a person to decide on: then it is the person who posts.
    """

    organization_id: str
    kind: str
    id: int | None
    name: str
    user_id: int | None = None
    request_id: str = ""
    address: str | None = None
    is_uncapped: bool = False

    def as_json(self) -> dict[str, object]:
        """Give what everybody may see of who acted."""
        return {"kind": self.kind, "id": self.id, "name": self.name}
