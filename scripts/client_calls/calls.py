"""Calls by a package that openapi-python-client made: its folder, the address and a key are the arguments."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module
from typing import Any

PACKAGE = "tieout_client"


def main(folder: str, address: str, token: str) -> None:
    """Import all of it, then read, change upon a version, try, and be refused."""
    sys.path.insert(0, folder)
    package = import_module(PACKAGE)
    names = [each.name for each in pkgutil.walk_packages(package.__path__, f"{PACKAGE}.")]
    for name in names:
        import_module(name)
    client = package.AuthenticatedClient(base_url=address, token=token)
    changes = import_module(f"{PACKAGE}.models.transaction_changes").TransactionChanges
    draft = import_module(f"{PACKAGE}.models.transactions_listed_entry_status").TransactionsListedEntryStatus
    found = call("bank_lines.transactions_listed", client=client, limit=1, entry_status=draft.DRAFT)
    line = found.parsed.transactions[0]
    read = call("bank_lines.transactions_read", line.id, client=client)
    asked = {"client": client, "if_match": read.headers["ETag"]}
    edit = "bank_lines.transactions_edit"
    written = call(edit, line.id, body=changes(description="A client"), **asked)
    stale = call(edit, line.id, body=changes(description="Late"), **asked)
    tried = call("bank_lines.transactions_confirm", line.id, client=client, dry_run=True)
    missing = call("projects.projects_read", 999_999, client=client)
    statuses = [int(each.status_code) for each in (read, written, stale, tried, missing)]
    expect("statuses", statuses, [200, 200, 412, 200, 404])
    expect("id", read.parsed.transaction.id, line.id)
    expect("code", stale.parsed.code, "stale_version")
    expect("answers", [written.parsed.changed, tried.parsed.dry_run], [True, True])
    sys.stdout.write(
        f"openapi-python-client: {len(names)} modules imported, calls answered {', '.join(map(str, statuses))}\n"
    )


def expect(name: str, found: object, wanted: object) -> None:
    """End with what is wrong."""
    if found != wanted:
        sys.exit(f"{name}: {found!r} in the place of {wanted!r}")


def call(name: str, *path: int, **options: Any) -> Any:
    """Make a call by the name of its module."""
    return import_module(f"{PACKAGE}.api.{name}").sync_detailed(*path, **options)


if __name__ == "__main__":
    main(*sys.argv[1:])
