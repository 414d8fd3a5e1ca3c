"""The contents of an untrusted PDF, from a child process that is killed when it takes too long."""

import base64
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from webapp.ledger.errors import UnprocessableError

CHILD: Final = Path(__file__).with_name("child.py")
# The child ends itself after two seconds of work; this is for a machine that gives it none.
LONGEST_WAIT: Final = 15
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_REASONS: Final = {
    "encrypted": "The PDF is encrypted, so that nothing is read of it; ask for one without a password.",
    "memory": "The PDF unpacks to more than any invoice needs; nothing is read of it.",
    "damaged": "The PDF is damaged; nothing is read of it.",
}
_SLOW: Final = "The PDF takes longer to read than any invoice needs; nothing is read of it."


class PdfRefusedError(UnprocessableError):
    """The PDF cannot be read; it is kept as it is."""

    code = "pdf_refused"


@dataclass(frozen=True, slots=True)
class PdfContents:
    """The XML of an attached invoice, or None; the names of all attachments; the pages' text."""

    xml: bytes | None
    attachments: tuple[str, ...]
    text: str


def read(data: bytes) -> PdfContents:
    """Read a PDF's attached invoice and its text; raises PdfRefusedError with the reason in a sentence.

    A text that takes too long is left out, where the attachments were read before.
    """
    answers = _answers(data)
    refused = next((str(each["reason"]) for each in answers if "reason" in each), None)
    attached = next((each for each in answers if "names" in each), None)
    if attached is None:
        raise PdfRefusedError(_SLOW if refused is None else _REASONS[refused])
    text = next((str(each["text"]) for each in answers if "text" in each), "")
    xml = base64.b64decode(attached["xml"])
    return PdfContents(xml or None, tuple(map(str, attached["names"])), _CONTROL.sub("", text).strip())


def _answers(data: bytes) -> list[dict[str, Any]]:
    command = [sys.executable, "-I", str(CHILD)]
    try:
        done = subprocess.run(  # noqa: S603  (our own script)
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=LONGEST_WAIT,
            check=False,
        )
        written = done.stdout
    except subprocess.TimeoutExpired as error:
        written = error.stdout or b""
    except BrokenPipeError:
        return []
    whole = written.decode("utf-8", "replace").split("\n")[:-1]
    return [json.loads(each) for each in whole]
