"""Verifying proofs that were saved as files, without any books."""

from __future__ import annotations

from pathlib import Path

import click

from webapp.commands.books import JSON, answer
from webapp.ledger.proofs import proof_files
from webapp.ledger.proofs.proof_files import NoProofFileError


@click.command("verify-proof")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@JSON
@click.pass_context
def verify_proof(context: click.Context, files: tuple[Path, ...], *, as_json: bool) -> None:
    """Verify saved proofs: digest, arithmetic, and the order of several.

    Exit status 1 if one is wrong.
    """
    proofs = [proof for path in files for proof in _read(path)]
    found = list(proof_files.findings(proofs))
    sound = "The proof matches its digest and adds up."
    if len(proofs) > 1:
        sound = f"The {len(proofs)} proofs match their digests, add up and follow each other."
    sentence = "\n".join(each.message for each in found) or sound
    value = {
        "ok": not found,
        "proofs": [{"reconciliationId": each["id"], "digest": each["digest"]} for each in proofs],
        "findings": [each.as_json() for each in found],
    }
    answer(value, sentence, as_json=as_json)
    if found:
        context.exit(1)


def _read(path: Path) -> list[dict[str, object]]:
    try:
        return proof_files.read(path.read_text(encoding="utf-8"))
    except (NoProofFileError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{path.name}: {NoProofFileError.__doc__}") from error
