"""The verification of saved proofs, without any books."""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Any

import click

from webapp.commands.books import JSON, answer
from webapp.ledger import titles
from webapp.ledger.closing import documents
from webapp.ledger.proofs import proof_files, proof_findings
from webapp.ledger.proofs.proof_files import NoProofFileError
from webapp.ledger.proofs.proof_findings import Finding


@click.command("verify-proof")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option(
    "--file",
    "evidence",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A statement or bank file that a proof names; may be repeated.",
)
@JSON
@click.pass_context
def verify_proof(
    context: click.Context, files: tuple[Path, ...], evidence: tuple[Path, ...], *, as_json: bool
) -> None:
    """Verify saved proofs and closes: digest, figures, state, the order of several, and their files.

    Exit status 1 if one is wrong. Proofs that were reopened or broken when they were saved are reported.
    """
    closes = [close for path in files for close in _closes_in(path)]
    saved = [proof for path in files for proof in ([] if _closes_in(path) else _read(path))]
    proofs = proof_findings.without_copies(saved)
    given = {str(path): _digest(path) for path in evidence}
    found = [*proof_findings.findings(proofs), *proof_findings.of_files(proofs, given), *_faults(closes)]
    missing = proof_findings.missing_files(proofs, given)
    notes = list(proof_findings.notes(proofs))
    not_covered = proof_findings.not_covered(proofs)
    value = {
        "ok": not found,
        "proofs": [
            {
                "reconciliationId": each["id"],
                "digest": each["digest"],
                "status": each.get("status"),
                "holds": each.get("holds"),
            }
            for each in proofs
        ],
        "closes": [{"period": each["document"]["period"], "digest": each["digest"]} for each in closes],
        "findings": [each.as_json() for each in found],
        "notes": [each.as_json() for each in notes],
        "notCovered": not_covered,
        "filesNotGiven": missing,
    }
    sentences = [each.message for each in found] or _all_sound(len(proofs), len(closes))
    sentences += [each.message for each in notes]
    sentences += _left_out(len(saved), len(proofs))
    if given and not found:
        sentences.append(f"{titles.counted(len(given), 'file')} given, each one that a proof names.")
    sentences += _not_looked_at(missing, not_covered)
    answer(value, "\n".join(sentences), as_json=as_json)
    if found:
        context.exit(1)


def _left_out(saved: int, proofs: int) -> list[str]:
    """Say how many proofs are copies of others."""
    if saved == proofs:
        return []
    return [f"{saved - proofs} of the {saved} proofs are copies, and were left out."]


def _not_looked_at(missing: Sequence[str], not_covered: Sequence[str]) -> list[str]:
    """List the files that were not given, and the keys that no digest covers."""
    sentences = []
    if missing:
        counted = titles.counted(len(missing), "file")
        sentences.append(f"The proofs name {counted} that you can check with --file: {', '.join(missing)}.")
    if not_covered:
        sentences.append(
            f"The digest does not cover these keys, which are as the file has them: {', '.join(not_covered)}."
        )
    return sentences


def _closes_in(path: Path) -> list[dict[str, Any]]:
    """Read the documents of closes of a file: one as the interface answers it, or a list of them."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return []
    listed = found if isinstance(found, list) else [found]
    return listed if listed and all(documents.is_document(each) for each in listed) else []


def _faults(closes: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Find what is wrong with closes: their digests, sums that rows do not come to, and one that follows no other."""
    digests = {each["digest"] for each in closes}
    for place, each in enumerate(closes):
        for code, sentence in documents.faults(each["document"], each["digest"]):
            yield Finding(None, code, sentence)
        previous = each["document"].get("previousDigest")
        if place and len(digests) > 1 and previous not in digests:
            sentence = f"The close of {each['document']['period']} follows none of the others."
            yield Finding(None, "chain", sentence)


def _all_sound(proofs: int, closes: int) -> list[str]:
    sound = [_sound(proofs)] if proofs or not closes else []
    if closes:
        many = closes > 1
        sound.append(
            f"The {f'{closes} closes match their digests and add' if many else 'close matches its digest and adds'} up."
        )
    return sound


def _sound(count: int) -> str:
    if count == 1:
        return "The proof matches its digest and adds up."
    return f"The {count} proofs match their digests, add up and follow each other."


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _read(path: Path) -> list[dict[str, object]]:
    try:
        return proof_files.read(path.read_text(encoding="utf-8"))
    except (NoProofFileError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{path.name}: {NoProofFileError.__doc__}") from error
