"""Whatever a crowd does to the books, an entry that was posted stays what it was (P3)."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from random import Random
from typing import Any

from tests.concurrency.crowds import Client
from tests.fixtures.helpers.keepers import NAMES, Keeper, Known
from tests.fixtures.helpers.replays import Replay, everything
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.queries import checks

CLIENTS, WORKERS, LOOKS = 8, 2, 10
# What promises.md lets change: the state by a void, and what is said of accounts and merchants elsewhere.
MAY_CHANGE = {"status", "canVoid", "counterparty"}
MAY_CHANGE_OF_A_POSTING = {
    *("accountName", "accountType", "accountEmoji", "inScope", "requiresCounterparty"),
    *("institutionLogo", "institutionName", "institutionUrl"),
}
# A file comes in one piece over a form, which these clients do not send.
WITHOUT_FILES = [name for name in NAMES if name not in ("import_file", "take_back")]


def test_a_posted_entry_never_changes(gunicorn, ada, bank, rounds, figure):
    each = rounds(4, 625)
    known, address, first = Known.equip(bank), gunicorn(WORKERS), {}

    def keep(number: int) -> Keeper:
        chance = Random(number)  # noqa: S311  (the same ones every time)
        with closing(Client(address, ada.token)) as client:
            keeper = Keeper(asking_over(client), known)
            for step in range(each):
                keeper.act(chance.choice(WITHOUT_FILES), chance)
                if step % LOOKS == 0:
                    look(client, first)
        return keeper

    with ThreadPoolExecutor(CLIENTS) as threads:
        keepers = list(threads.map(keep, range(CLIENTS)))
    entries = {entry["id"]: entry for entry in everything(ada, "journal-entries", "entries")}
    changed = [
        entry_id
        for entry_id, seal in first.items()
        if entry_id not in entries or sealed(entries[entry_id]) != seal
    ]
    writes = sum(keeper.counts.total() for keeper in keepers)
    voided = sum(entries[entry_id]["status"] == "VOIDED" for entry_id in first if entry_id in entries)
    figure(
        "P3",
        f"{CLIENTS} clients, {CLIENTS * each} operations ({writes} writes), {len(first)} entries sealed when first"
        f" seen posted, {voided} voided since: {len(changed)} changed",
    )
    assert changed == []
    assert {entries[entry_id]["status"] for entry_id in first} <= {"POSTED", "VOIDED"}
    assert Replay(list(entries.values())).unbalanced() == []
    assert bank.ask(lambda: [each.as_json() for each in checks.violations()]) == []


def asking_over(client: Client):
    """Let a keeper ask over a connection of its own."""

    def ask(method: str, path: str, *, json: Any = None) -> tuple[int, Any]:
        answer = client.send(method, path, json)
        return answer.status, answer.body

    return ask


def look(client, first):
    for entry in client.send("GET", "/api/journal-entries?status=POSTED&limit=200").body["entries"]:
        first.setdefault(entry["id"], sealed(entry))


def sealed(entry):
    kept = {key: value for key, value in entry.items() if key not in MAY_CHANGE}
    kept["origin"] = {key: value for key, value in entry["origin"].items() if key != "label"}
    kept["postings"] = [
        {key: value for key, value in leg.items() if key not in MAY_CHANGE_OF_A_POSTING}
        for leg in entry["postings"]
    ]
    return sha256_hex(canonical_json(kept))
