"""The person beside a bank that misbehaves: settles what the books ask, and nothing that they do not ask."""

from __future__ import annotations

import io
import random
from collections import Counter
from datetime import date
from typing import TYPE_CHECKING, Any

from tests.misbehaving.banks import Bank, Class, Emission, Told, uid_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fixtures.people import Person


class DifferenceError(Exception):
    """The books say something else than the bank, and ask nobody."""


class Clerk:
    """Whoever takes what a bank emits into one feed account, through the API alone."""

    def __init__(self, person: Person, bank: Bank, note: Callable[[str], None] = lambda _: None) -> None:
        self.person = person
        self.bank = bank
        self.chance = random.Random(-bank.seed)  # noqa: S311  (a replay, no secret)
        self.told = Told()
        self.asked: set[int] = set()
        self.hinted: set[int] = set()
        self.knows: dict[int, int] = {}
        self.counts: Counter[str] = Counter()
        self.note = note
        opened = {"name": f"Account {bank.seed}", "currency": "EUR", "externalId": f"SEED{bank.seed}"}
        account = self.ask("POST", "/api/feeds/accounts", 201, json=opened)["feedAccount"]
        self.fa_id, self.account_id = account["faId"], account["accountId"]

    def take(self, group: list[Emission]) -> None:
        for emission in group:
            self.note(emission.what)
            self.asked |= self.push(emission) if emission.body is not None else self.upload(emission)
            self.told.hear(emission)
        self.counts["emissions"] += len(group)
        self.settle()
        self.go_on()

    def push(self, emission: Emission) -> set[int]:
        path = f"/api/feeds/accounts/{self.fa_id}/transactions"
        results = self.ask("POST", path, 200, json=emission.body)["results"]
        return self.heard(results, [uid_of(each["providerTransactionId"]) for each in results])

    def upload(self, emission: Emission) -> set[int]:
        file = emission.file
        form = {"file": (io.BytesIO(file.data), file.name), "faId": str(self.fa_id)}
        form |= {"mapping": file.mapping} if file.mapping else {}
        answer = self.ask("POST", "/api/feeds/imports", 201, data=form, content_type="multipart/form-data")
        return self.read(answer["import"]["id"], emission)

    def read(self, import_id: int, emission: Emission) -> set[int]:
        lines = self.ask("GET", f"/api/feeds/imports/{import_id}/lines?limit=200", 200)["lines"]
        shown = [uid for uid, _ in emission.tells]
        lines.sort(key=lambda line: line["row"])
        return self.heard(lines, [*shown, *(None for _ in lines[len(shown) :])])

    def heard(self, verdicts: list[dict[str, Any]], uids: list[int | None]) -> set[int]:
        for each, uid in zip(verdicts, uids, strict=True):
            self.counts[each["verdict"]] += 1
            if each["reason"].startswith("A pending line"):
                self.hinted.add(each["transactionId"])
            if uid is not None:
                self.knows.setdefault(each["transactionId"], uid)
            self.note(f"    {each['verdict']} {each['transactionId']} {each['reason']}")
        return {each["transactionId"] for each in verdicts if each["verdict"] == "POSSIBLY_THERE"}

    def booked(self) -> list[dict[str, Any]]:
        path = f"/api/transactions?faId={self.fa_id}&status=BOOKED&limit=200"
        return self.ask("GET", path, 200)["transactions"]

    def settle(self) -> None:
        """Say of each line that is asked about whether it is one that is there, as the bank's own count has it."""
        there: dict[Class, list[int]] = {}
        for line in self.booked():
            there.setdefault(class_of(line), []).append(line["id"])
        told = self.told.classes()
        self.settle_former(there)
        for cls, ids in there.items():
            while len(ids) > told[cls]:
                asked = [each for each in ids if each in self.asked]
                if not asked:
                    raise DifferenceError(
                        f"{cls} is there {len(ids)} times, told {told[cls]} times, and nobody is asked"
                    )
                self.drop(max(asked, key=lambda each: self.surely_there(each, ids)), ids)
            for each in self.asked.intersection(ids):
                self.refuse(each)
        self.asked.clear()

    def settle_former(self, there: dict[Class, list[int]]) -> None:
        """Say which lines are there too often because one source gave them as they were before a change."""
        told = self.told.classes()
        for line_id in sorted(self.asked):
            for other in [each["transactionId"] for each in self.suggestions(line_id)]:
                ids = next((ids for cls, ids in there.items() if other in ids and len(ids) > told[cls]), [])
                own = next((ids for ids in there.values() if line_id in ids), [])
                if not ids or not own or ids is own:
                    continue
                self.note(f"    the person: {line_id} was {other} before")
                body = {"transactionId": other}
                kept = self.ask("POST", f"/api/transactions/{line_id}/join", 200, json=body)["transaction"][
                    "id"
                ]
                ids.remove(other)
                own[own.index(line_id)] = kept
                self.asked.discard(line_id)
                self.counts["joined by the person"] += 1
                break

    def surely_there(self, line_id: int, ids: list[int]) -> tuple[bool, bool, int]:
        """Tell how well the person knows that a line is there already: it was deleted, or is another of these."""
        return self.is_deleted(line_id), bool(self.same(line_id, ids)), line_id

    def is_deleted(self, line_id: int) -> bool:
        return self.knows.get(line_id) in self.told.deleted

    def same(self, line_id: int, ids: list[int]) -> list[int]:
        return [each for each in ids if each != line_id and self.knows.get(each) == self.knows.get(line_id)]

    def drop(self, line_id: int, ids: list[int]) -> None:
        ids.remove(line_id)
        self.asked.discard(line_id)
        suggested = [each["transactionId"] for each in self.suggestions(line_id)]
        settled = [each for each in ids if each not in self.asked]
        likely = self.same(line_id, ids) or [each for each in suggested if each in ids]
        partners = [] if self.is_deleted(line_id) else likely or settled or ids
        self.note(f"    the person: {line_id} is one of {partners}")
        if not partners:
            self.counts["deleted again"] += 1
            self.ask("DELETE", f"/api/transactions/{line_id}", 200)
            return
        self.counts["joined by the person"] += 1
        other = {"transactionId": partners[0]}
        kept = self.ask("POST", f"/api/transactions/{line_id}/join", 200, json=other)["transaction"]["id"]
        if kept == line_id:
            ids[ids.index(partners[0])] = line_id

    def refuse(self, line_id: int) -> None:
        """Say of every suggestion for a line that is one of its own that it is another."""
        for each in self.suggestions(line_id):
            if each["lineStatus"] == "BOOKED":
                self.counts["told apart by the person"] += 1
                self.note(f"    the person: {line_id} is not {each['transactionId']}")
                other = {"transactionId": each["transactionId"]}
                self.ask("POST", f"/api/transactions/{line_id}/unjoin", 200, json=other)

    def suggestions(self, line_id: int) -> list[dict[str, Any]]:
        return self.ask("GET", f"/api/transactions/{line_id}/suggestions", 200)["suggestions"]

    def go_on(self) -> None:
        while self.hinted:
            self.settle_pending(self.hinted.pop())
        lines = self.booked()
        drafts = [line["id"] for line in lines if line["entryStatus"] == "DRAFT"]
        chosen = self.chance.sample(drafts, self.chance.choice((0, 0, len(drafts) // 2)))
        self.confirm(chosen)
        if self.chance.random() < 0.1 and lines:
            line = self.chance.choice(lines)
            if line["id"] not in chosen:
                self.delete(line)

    def settle_pending(self, line_id: int) -> None:
        """Say whether the pending line that a booked one may have been is that one."""
        for each in self.suggestions(line_id):
            if each["tier"] in {"TWIN", "REISSUED"}:
                continue
            other = each["transactionId"]
            act = "join" if self.knows.get(other) == self.knows.get(line_id) else "unjoin"
            self.counts[f"pending settled by {act}"] += 1
            self.note(f"    the person: {line_id} {act} pending {other}")
            self.ask("POST", f"/api/transactions/{line_id}/{act}", 200, json={"transactionId": other})
            if act == "join":
                return

    def confirm(self, ids: list[int]) -> None:
        if ids:
            results = self.ask("POST", "/api/transactions/confirm", 200, json={"ids": ids})["results"]
            assert {each["status"] for each in results} == {"EXECUTED"}, results

    def delete(self, line: dict[str, Any]) -> None:
        """Delete a line that is not posted and that no other can be taken for."""
        uid = self.told.only_of(class_of(line))
        if uid is None or line["entryStatus"] != "DRAFT":
            return
        self.note(f"    the person deletes {line['id']}")
        self.ask("DELETE", f"/api/transactions/{line['id']}", 200)
        self.told.deleted.add(uid)
        self.counts["deleted"] += 1

    def close(self) -> None:
        lines = self.booked()
        self.confirm(
            [line["id"] for line in lines if line["entryStatus"] == "DRAFT" or line["correctionMarkerId"]]
        )
        removed = self.ask("GET", f"/api/transactions?faId={self.fa_id}&status=REMOVED&limit=200", 200)
        for line in removed["transactions"]:
            if line["entryStatus"] == "POSTED":
                self.counts["voided"] += 1
                path = f"/api/journal-entries/{line['journalEntryId']}/void"
                self.ask("POST", path, 200, json={"reason": "The bank took it back."})
        truth = self.bank.truth(self.told.deleted)
        books = Counter(map(class_of, self.booked()))
        if books != truth:
            raise DifferenceError(f"too many: {+(books - truth)}, too few: {+(truth - books)}")
        balance = self.ask("GET", f"/api/accounts/{self.account_id}", 200)["account"]["balance"]
        total = sum(minor * count for (_, minor), count in truth.items())
        if minor_of(balance) != total:
            raise DifferenceError(f"the ledger holds {balance}, the true account {total}")

    def ask(self, method: str, path: str, expected: int, **options: Any) -> dict[str, Any]:
        answer = self.person.ask(method, path, **options)
        if answer.status_code != expected:
            raise DifferenceError(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.json


def class_of(line: dict[str, Any]) -> Class:
    return date.fromisoformat(line["bookedOn"]), minor_of(line["amount"])


def minor_of(amount: str) -> int:
    return int(amount.replace(".", ""))
