"""Verifying proofs in a file without the books: digest, arithmetic, and the chain of proofs."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.ledger.proofs.proofs import DIGEST_VERSION

# What a proof's digest is of, as behaviour.md 3 lists it, beside `v` and `completedBy`.
FROZEN: Final = (
    "id",
    "organizationId",
    "faId",
    "currency",
    "statementDate",
    "statementBalance",
    "openingBalance",
    "openingDate",
    "keepAsNew",
    "openingEntryId",
    "ledgerBalance",
    "outstanding",
    "inTransit",
    "lines",
    "completedAt",
    "previousDigest",
)
ITEM: Final = ("transactionId", "journalEntryId", "providerTransactionId", "bookedOn", "amount")


class NoProofFileError(LedgerError):
    """This file is not a proof; save one as JSON from its page or from /api/reconciliations/{id}."""

    status = 422
    code = "no_proof_file"


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a proof, by the keys that a program reads and a sentence that a person does."""

    reconciliation_id: object
    code: str
    message: str

    def as_json(self) -> dict[str, object]:
        """Give the finding as `tieout verify-proof --json` lists it."""
        return {"code": self.code, "message": self.message, "reconciliationId": self.reconciliation_id}


def read(text: str) -> list[dict[str, Any]]:
    """Read the proofs of a file: one, an answer of the API that holds one, or a list of either.

    Raises NoProofFileError where the text is no JSON, or something in it is no completed proof.
    """
    try:
        found = json.loads(text, parse_float=_no_float)
    except (ValueError, RecursionError):
        raise NoProofFileError from None
    listed = found if isinstance(found, list) else [found]
    proofs = [each.get("reconciliation", each) if isinstance(each, dict) else None for each in listed]
    if not proofs or not all(_is_proof(each) for each in proofs):
        raise NoProofFileError
    return [each for each in proofs if each is not None]


def _no_float(text: str) -> None:
    raise ValueError(text)


def _is_proof(record: object) -> bool:
    if not isinstance(record, dict) or not isinstance(record.get("digest"), str):
        return False
    lists = [record.get(name) for name in ("lines", "outstanding", "inTransit")]
    items = [item for each in lists if isinstance(each, list) for item in each]
    return (
        all(name in record for name in (*FROZEN, "completedBy"))
        and all(isinstance(each, list) for each in lists)
        and all(isinstance(item, dict) and all(name in item for name in ITEM) for item in items)
    )


def findings(proofs: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Find everything that is wrong with proofs; nothing where each is sound and follows the one before."""
    for proof in proofs:
        if sha256_hex(canonical_json(document(proof))) != proof["digest"]:
            yield Finding(proof["id"], "digest", f"Proof {proof['id']} does not match its digest.")
        yield from _sums(proof)
    yield from _chain(proofs)


def document(proof: Mapping[str, Any]) -> dict[str, Any]:
    """Give the document that a proof's digest is of; whoever completed it is in it by their id alone."""
    by = proof["completedBy"]
    frozen: dict[str, Any] = {name: proof[name] for name in FROZEN}
    for name in ("lines", "outstanding", "inTransit"):
        frozen[name] = [{key: item[key] for key in ITEM} for item in proof[name]]
    return {**frozen, "v": DIGEST_VERSION, "completedBy": by["id"] if isinstance(by, dict) else by}


def _sums(proof: Mapping[str, Any]) -> Iterator[Finding]:
    """Add both ways: the lines from the opening, and the books less what the statement lacks."""
    try:
        statement, opening, ledger = (
            _minor(proof[name], proof) for name in ("statementBalance", "openingBalance", "ledgerBalance")
        )
        lines, outstanding, in_transit = (
            sum(_minor(item["amount"], proof) for item in proof[name])
            for name in ("lines", "outstanding", "inTransit")
        )
    except (LedgerError, ArithmeticError, ValueError, TypeError):
        yield Finding(proof["id"], "amount", f"Proof {proof['id']} has an unreadable amount.")
        return
    if opening + lines != statement:
        apart = Money(statement - opening - lines, proof["currency"])
        sentence = f"The lines of proof {proof['id']} leave a difference of {apart} to its statement."
        yield Finding(proof["id"], "difference", sentence)
    if ledger - outstanding + in_transit != statement:
        apart = Money(ledger - outstanding + in_transit - statement, proof["currency"])
        sentence = f"The books of proof {proof['id']} differ from its statement by {apart}."
        yield Finding(proof["id"], "books_differ", sentence)


def _minor(amount: Any, proof: Mapping[str, Any]) -> int:
    if not isinstance(amount, str):
        raise TypeError(amount)
    return Money.of(Decimal(amount), proof["currency"]).minor


def _chain(proofs: Iterable[Mapping[str, Any]]) -> Iterator[Finding]:
    """Find proofs of one account that do not follow the one before them in the file, each in the order of its day."""
    before: dict[object, Mapping[str, Any]] = {}
    for proof in sorted(proofs, key=lambda each: str(each["statementDate"])):
        last = before.get(proof["faId"])
        if last is not None and proof["previousDigest"] != last["digest"]:
            sentence = f"Proof {proof['id']} does not follow proof {last['id']}."
            yield Finding(proof["id"], "proof_chain", sentence)
        before[proof["faId"]] = proof
