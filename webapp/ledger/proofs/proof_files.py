"""Proofs saved as files: their records, and the documents under their digests."""

import json
from collections.abc import Mapping
from typing import Any, Final

from webapp.ledger.errors import LedgerError
from webapp.ledger.proofs.proofs import FILES_VERSION, FIRST_VERSION, HEAD_VERSION

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
# What version 2 has beside it: the files that a proof rests on. Version 3 has the head of the audit trail, too.
OF_FILES: Final = ("statementDigest", "fileDigests")
HEAD: Final = "head"
ITEM: Final = ("transactionId", "journalEntryId", "providerTransactionId", "bookedOn", "amount")


class NoProofFileError(LedgerError):
    """This file is not a proof; save one as JSON from its page or from /api/reconciliations/{id}."""

    status = 422
    code = "no_proof_file"


def read(text: str) -> list[dict[str, Any]]:
    """Read the proofs of a file: a proof, an API answer with a proof, or a list of either.

    Raises NoProofFileError if the text is no JSON or contains anything but completed proofs.
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
    digests = [*(record.get("fileDigests") or ()), record.get("statementDigest") or ""]
    return (
        all(isinstance(each, str) for each in digests)
        and all(name in record for name in (*FROZEN, "completedBy"))
        and all(isinstance(each, list) for each in lists)
        and all(isinstance(item, dict) and all(name in item for name in ITEM) for item in items)
    )


def named_files(proof: Mapping[str, Any]) -> set[str]:
    """Return the SHA-256 of a proof's files: its statement, and the files that brought its lines."""
    return {each for each in (proof.get("statementDigest"), *(proof.get("fileDigests") or ())) if each}


def document(proof: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document under a proof's digest, with only the id of the person who completed it."""
    by = proof["completedBy"]
    frozen: dict[str, Any] = {name: proof[name] for name in FROZEN}
    for name in ("lines", "outstanding", "inTransit"):
        frozen[name] = [{key: item[key] for key in ITEM} for item in proof[name]]
    version = HEAD_VERSION if proof.get(HEAD) else FILES_VERSION if named_files(proof) else FIRST_VERSION
    names = {FIRST_VERSION: (), FILES_VERSION: OF_FILES, HEAD_VERSION: (*OF_FILES, HEAD)}[version]
    frozen |= {name: proof.get(name) for name in names}
    return {**frozen, "v": version, "completedBy": by["id"] if isinstance(by, dict) else by}
