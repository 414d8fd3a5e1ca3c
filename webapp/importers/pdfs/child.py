"""A separate process that reads an untrusted PDF from its input, within limits on memory and time.

It is started by its path and imports nothing of ours. It writes lines of JSON: first the XML of an invoice that is
attached, with the names of all attachments, then the text of the pages, so that what
runs out of time later loses nothing.
"""

import base64
import io
import json
import logging
import resource
import sys
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final

MEMORY: Final = 256 * 1024 * 1024
SECONDS: Final = 2
MOST_ATTACHMENTS: Final = 100
MOST_NODES: Final = 500
MOST_XML: Final = 20 * 1024 * 1024
MOST_PAGES: Final = 30
MOST_TEXT: Final = 100_000
INVOICES: Final = frozenset({"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml"})


def main() -> None:
    """Read the PDF and answer, or answer with the reason why it cannot be read."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    logging.disable(logging.CRITICAL)
    try:
        _answer(sys.stdin.buffer.read())
    except MemoryError:
        _write({"reason": "memory"})
    except Exception:  # noqa: BLE001  (a damaged PDF raises anything at all)
        _write({"reason": "damaged"})


def _answer(data: bytes) -> None:
    from pypdf import PdfReader  # noqa: PLC0415  (within the limits)

    reader = PdfReader(io.BytesIO(data), strict=False)
    if reader.is_encrypted:
        _write({"reason": "encrypted"})
        return
    names: list[str] = []
    xml = b""
    for specification in _specifications(reader.trailer["/Root"]):
        name = str(specification.get("/UF") or specification.get("/F") or "")[:255]
        if name in names:
            continue
        names.append(name)
        if not xml and name.rpartition("/")[2].casefold() in INVOICES:
            xml = _file(specification)
    if len(xml) > MOST_XML:
        _write({"reason": "memory"})
        return
    _write({"names": names, "xml": base64.b64encode(xml).decode()})
    _write({"text": _text(reader)})


def _specifications(root: Any) -> Iterator[Any]:
    """Yield the file specifications in a catalogue's name tree and its associated files."""
    yield from islice(chain(_of_names(root), _associated(root)), MOST_ATTACHMENTS)


def _of_names(root: Any) -> Iterator[Any]:
    names = _resolved(root.get("/Names"))
    first = _resolved(names.get("/EmbeddedFiles")) if names else None
    waiting, visited = [first] if first else [], 0
    while waiting and visited < MOST_NODES:
        node = waiting.pop(0)
        visited += 1
        pairs = _resolved(node.get("/Names")) or []
        yield from (_resolved(each) for each in list(pairs)[1 : 2 * MOST_ATTACHMENTS : 2])
        waiting += [_resolved(each) for each in list(_resolved(node.get("/Kids")) or [])[:MOST_NODES]]


def _associated(root: Any) -> Iterator[Any]:
    files = _resolved(root.get("/AF")) or []
    yield from (_resolved(each) for each in list(files)[:MOST_ATTACHMENTS])


def _file(specification: Any) -> bytes:
    files = _resolved(specification.get("/EF"))
    stream = _resolved(files.get("/UF") or files.get("/F"))
    return bytes(stream.get_data())


def _resolved(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value


def _text(reader: Any) -> str:
    texts, length = [], 0
    for page in reader.pages[:MOST_PAGES]:
        text = page.extract_text()
        texts.append(text)
        length += len(text)
        if length > MOST_TEXT:
            break
    return "\n".join(texts)[:MOST_TEXT]


def _write(answer: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
