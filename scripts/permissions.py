"""Write docs/permissions.md: for every address what each role and each scope may, as the application declares it.

    python -m scripts.permissions

The tests hold the file to the application's addresses, and the application to every cell of the file.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from flask import Flask

from tests.security.addresses import Address, addresses_of, needs
from webapp import create_app
from webapp.config import Settings
from webapp.ledger.scopes import APPROVE, PROPOSE, ROLES, SCOPES

PAGE = Path(__file__).parent.parent / "docs" / "permissions.md"
YES, NO, ASKS = "✓", "\N{EN DASH}", "asks"
COLUMNS = ("nobody", *ROLES, *SCOPES)
HEAD = """# Who may do what

Written by `python -m scripts.permissions`; a test compares every cell with what the application does.

`nobody` is a visitor who is not signed in; `viewer` to `owner` are signed-in members; `read` to `approve` are tokens of
an owner with that one scope. A token with several scopes may do what any of them allows, and never more than its owner
may do now. Accountants may do what needs `close` only where an owner lets them. With `propose` a token asks for what
its owner may do: the call is tried, and waits with its effect until a person decides.

`heavy` marks what may take seconds in large books: a key or a session runs two such calls at once, and an
installation four.
"""


def page(app: Flask) -> str:
    """Give the whole file."""
    lines = [
        f"| | needs | {' | '.join(COLUMNS)} |",
        f"|---|---|{'|'.join(':-:' for _ in COLUMNS)}|",
        *(row(address) for address in addresses_of(app)),
    ]
    return HEAD + "\n" + "\n".join(lines) + "\n"


def row(address: Address) -> str:
    """Write the line of an address; who forgets to declare a scope stops here."""
    if address.scope is None:
        raise LookupError(f"{address.name} declares no scope.")
    cells = " | ".join(cell(address, column) for column in COLUMNS)
    return f"| `{name_of(address)}` | {needs(address)} | {cells} |"


def name_of(address: Address) -> str:
    """Name an address as the interface document does, with the parts that vary in braces."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", address.name)


def cell(address: Address, column: str) -> str:
    """Tell whether a role's session or a token with one scope may ask this."""
    if address.scope == "public":
        return YES
    if column in ROLES:
        return YES if address.scope in ROLES[column] and not address.token_only else NO
    if column == APPROVE:
        return YES if address.decides else NO
    if column == "nobody" or address.session_only:
        return NO
    if column == PROPOSE:
        can_ask = address.is_api and not (address.is_safe or address.is_secret)
        return ASKS if can_ask and address.scope != "read" else NO
    return YES if address.scope == column else NO


def main() -> None:
    """Write the file anew."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database_url=f"sqlite:///{folder}/none.sqlite", instance_path=Path(folder))
        PAGE.write_text(page(create_app(settings)), encoding="utf-8")


if __name__ == "__main__":
    main()
