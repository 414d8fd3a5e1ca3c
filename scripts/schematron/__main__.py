"""Judge e-invoices by the official schematron of EN 16931 and by ours, and keep the official verdicts for the tests.

    git clone https://github.com/ConnectingEurope/eInvoicing-EN16931
    python -m scripts.schematron eInvoicing-EN16931

It judges our own invoices of each category with each of their figures altered, and where there is a corpus its files
too. Each verdict on a rule that we claim has to be the same, or it ends with 1 and names them. The verdicts on our own
invoices are written to tests/importers/invoices/official_verdicts.txt, with which `make test` compares ours. Saxon is
installed into a folder of its own and goes with it; of the checkout, which is under the EUPL, nothing is copied.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from scripts.schematron.judge import STYLESHEETS
from tests.fixtures.corpus import CORPUS
from tests.importers.invoices.altered_invoices import alterations, bases
from webapp.importers import pdfs
from webapp.importers.invoices import read
from webapp.importers.invoices.records import Syntax
from webapp.importers.invoices.rules import RULES, failing

SAXON: Final = "saxonche==13.1.1"
JUDGE: Final = Path(__file__).with_name("judge.py")
VERDICTS: Final = Path("tests/importers/invoices/official_verdicts.txt")
# Of each file of the corpus so many alterations, chosen by chance, the same each time.
OF_EACH: Final = 12
NEWEST: Final = re.compile(r"Schematron version ([\d.]+)")


class Case(NamedTuple):
    """An invoice to be judged; `is_own` where its verdict is kept."""

    name: str
    data: bytes
    is_own: bool

    @property
    def syntax(self) -> str:
        """Which stylesheet judges it."""
        return "cii" if b"CrossIndustryInvoice" in self.data else "ubl"


def main(checkout: Path) -> bool:
    """Judge, compare and keep; answers whether all verdicts are the same."""
    cases = [*own_cases(), *corpus_cases()]
    official = judged(checkout, cases)
    different, verdicts, broken = [], 0, 0
    for case in cases:
        said = official[case.name]
        if said is None:
            broken += 1
            continue
        ours, theirs = set(failing(read(case.data))), set(said) & set(RULES)
        verdicts += len(RULES)
        different += [
            f"{case.name}: {rule}, officially {'fails' if rule in theirs else 'holds'}"
            for rule in sorted(ours ^ theirs)
        ]
    own = [case for case in cases if case.is_own and official[case.name] is not None]
    VERDICTS.write_text(kept(checkout, own, official), encoding="utf-8")
    sys.stdout.write("".join(f"{each}\n" for each in different))
    sys.stdout.write(
        f"{len(own):,} invoices of ours and {len(cases) - len(own) - broken:,} of the corpus,"
        f" {broken} on which the stylesheet breaks off: {verdicts:,} verdicts, {len(different)} different\n"
    )
    return not different


def own_cases() -> Iterator[Case]:
    """Yield our own invoices, whole and with each figure altered."""
    for base, data in bases().items():
        yield Case(base, data, is_own=True)
        for what, altered in alterations(data):
            yield Case(f"{base}: {what}", altered, is_own=True)


def corpus_cases() -> Iterator[Case]:
    """Yield the e-invoices of a corpus, whole and with some figures altered; ZUGFeRD 1 is judged by nobody."""
    for path in sorted(
        each for folder in ("ubl", "cii", "facturx_pdf") for each in (CORPUS / folder).glob("*")
    ):
        data = path.read_bytes()
        data = (pdfs.read(data).xml or b"") if data.startswith(b"%PDF") else data
        if not data or read(data).syntax is Syntax.ZUGFERD_1:
            continue
        yield Case(path.name, data, is_own=False)
        found = list(alterations(data))
        for what, altered in Random(20).sample(found, min(OF_EACH, len(found))):  # noqa: S311  (the same each time)
            yield Case(f"{path.name}: {what}", altered, is_own=False)


def judged(checkout: Path, cases: list[Case]) -> Mapping[str, list[str] | None]:
    """Ask the official stylesheets about each case, in an environment that goes with its folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "environment", with_pip=True)
        python = str(folder / "environment" / "bin" / "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", SAXON], check=True)  # noqa: S603  (our words)
        asked = []
        for number, case in enumerate(cases):
            (path := folder / f"{number}.xml").write_bytes(case.data)
            asked.append([case.name, str(path), case.syntax])
        done = subprocess.run(  # noqa: S603  (our own script)
            [python, "-I", str(JUDGE), str(checkout)],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        sys.exit(done.stderr)
    return dict(json.loads(line) for line in done.stdout.splitlines())


def kept(checkout: Path, cases: list[Case], official: Mapping[str, list[str] | None]) -> str:
    """Write the verdicts on our own invoices: a line for each, and the claimed rules that officially fail."""
    written = (checkout / STYLESHEETS["ubl"]).read_text(encoding="utf-8")
    version = NEWEST.search(written)
    digest = hashlib.sha256(b"".join(case.data for case in cases)).hexdigest()
    head = (
        f"# Official schematron {version[1] if version else 'without a version'};"
        " written by python -m scripts.schematron\n"
        f"# SHA-256 of the invoices: {digest}\n"
    )
    return head + "".join(
        f"{case.name} = {' '.join(rule for rule in official[case.name] or () if rule in RULES)}".rstrip()
        + "\n"
        for case in cases
    )


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / STYLESHEETS["ubl"]).is_file():  # noqa: PLR2004
        sys.exit(__doc__)
    sys.exit(0 if main(Path(sys.argv[1]).resolve()) else 1)
