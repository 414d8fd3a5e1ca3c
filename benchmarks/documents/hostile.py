"""Measure what hostile invoices and PDFs cost: seconds and memory of each, read in a process of its own.

    python -m benchmarks.documents.hostile

Seconds are of the wall and of the processor, with the child that reads PDFs; memory is the most that either process
holds above what it holds for a sound file. `../shared/evidence.md` allows 2 s and 256 MiB.
"""

import re
import sys
import zlib
from collections.abc import Callable, Iterator

from benchmarks.costs import MEBIBYTE, measured
from tests.fixtures import invoices
from webapp.services.documents.invoices import contents

LARGEST = 20 * MEBIBYTE
UBL, END = invoices.ubl(), b"</Invoice>"


def main() -> None:
    """Measure and print each."""
    sound = {
        "xml": measured(lambda: UBL, _outcome),
        "pdf": measured(lambda: invoices.pdf({"factur-x.xml": invoices.cii()}), _outcome),
    }
    print(f"{'file':<48}{'size':>12}{'wall':>9}{'CPU':>9}{'memory':>12}  what becomes of it")
    worst = [0.0, 0.0, 0.0]
    for name, make in {**_xml(), **_pdf()}.items():
        size, wall, cpu, memory, outcome = measured(make, _outcome)
        above = memory - sound["pdf" if name.startswith("PDF") else "xml"][3]
        worst = [max(pair) for pair in zip(worst, (wall, cpu, above), strict=True)]
        print(f"{name:<48}{size:>12,}{wall:>8.2f}s{cpu:>8.2f}s{above:>8.0f} MiB  {outcome[:110]}")
    print(f"{'the worst of each':<60}{worst[0]:>8.2f}s{worst[1]:>8.2f}s{worst[2]:>8.0f} MiB")


def _outcome(data: bytes) -> str:
    found = contents(data)
    outcome = found.problem or ("an invoice" if found.invoice else "kept unread")
    return outcome + (", text" if found.text else "")


def _within(more: bytes) -> bytes:
    """Put more into an invoice, up to the size that a document may have."""
    return UBL.replace(END, more[: LARGEST - len(UBL)] + END)


def _repeated(part: bytes) -> bytes:
    return part * ((LARGEST - len(UBL)) // len(part))


def _xml() -> dict[str, Callable[[], bytes]]:
    doctype = b"<!DOCTYPE i [" + b"".join(
        b"<!ENTITY a%d '%s'>" % (number, b"&a%d;" % (number - 1) * 10 if number else b"x" * 100)
        for number in range(20)
    )
    line = UBL[UBL.index(b"<cac:InvoiceLine>") : UBL.index(END)]
    return {
        "entities within entities": lambda: UBL.replace(b"?>\n", b"?>\n" + doctype + b"]>\n", 1),
        "an external entity": lambda: UBL.replace(
            b"?>\n", b"?>\n<!DOCTYPE i SYSTEM 'file:///etc/passwd'>\n", 1
        ),
        "XInclude": lambda: _within(
            b"<x:include xmlns:x='http://www.w3.org/2001/XInclude' href='/etc/passwd'/>"
        ),
        "20 MiB of empty elements": lambda: _within(_repeated(b"<cbc:Note/>")),
        "20 MiB of elements of a letter": lambda: _within(_repeated(b"<a/>")),
        "elements within elements": lambda: UBL.replace(END, b"<a>" * 2_000_000),
        "one text of 20 MiB": lambda: _within(b"<cbc:Note>" + _repeated(b"x")[:-40] + b"</cbc:Note>"),
        "one attribute of 20 MiB": lambda: _within(b"<cbc:Note a='" + _repeated(b"x")[:-40] + b"'/>"),
        "a million attributes": lambda: _within(
            b"<cbc:Note " + b" ".join(b"a%d=''" % number for number in range(1_000_000)) + b"/>"
        ),
        "a million namespaces": lambda: _within(
            b"<cbc:Note " + b" ".join(b"xmlns:a%d='u'" % number for number in range(1_000_000)) + b"/>"
        ),
        "20 MiB of tags with 10,000 attributes": lambda: _within(
            _repeated(b"<x " + b" ".join(b"a%d=''" % number for number in range(10_000)) + b"/>")
        ),
        "20 MiB of tags with 10,000 namespaces": lambda: _within(
            _repeated(b"<x " + b" ".join(b"xmlns:a%d='u'" % number for number in range(10_000)) + b"/>")
        ),
        "20 MiB of comments": lambda: _within(_repeated(b"<!--x-->")),
        "20 MiB of instructions": lambda: _within(_repeated(b"<?a b?>")),
        "20 MiB of references to a character": lambda: _within(
            b"<cbc:Note>" + _repeated(b"&#65;")[:-40] + b"</cbc:Note>"
        ),
        "20 MiB of spaces": lambda: _within(_repeated(b" ")),
        "an amount of a million digits": lambda: re.sub(rb">172\.50<", b">" + b"9" * 1_000_000 + b"<", UBL),
        "an exponent": lambda: re.sub(rb">172\.50<", b">1E999999999<", UBL),
        "20 MiB of lines": lambda: _within(_repeated(line)),
        "UTF-16": lambda: UBL.decode().replace("UTF-8", "UTF-16").encode("utf-16"),
        "an encoding that there is not": lambda: UBL.replace(b"UTF-8", b"x-nothing"),
        "cut off after 20 MiB": lambda: (
            UBL[: UBL.index(b"<cac:InvoiceLine>")] + _repeated(b"<cbc:Note>x</cbc:Note>")
        ),
    }


def _pdf() -> dict[str, Callable[[], bytes]]:
    zeros = bytes(200 * MEBIBYTE)
    once = zlib.compress(zeros, 9)
    catalogue = b"<</Type/Catalog/Pages 2 0 R>>"
    resources = b"/Resources<</Font<</F 6 0 R>>/XObject<</X 5 0 R>>>>"
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R%s>>" % resources
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    texts = zlib.compress(b"BT /F 9 Tf " + b"(Total 1,00) Tj " * 2_000_000 + b"ET", 9)
    attached = b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(factur-x.xml) 4 0 R]>>>>>>"
    cycle = b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles 4 0 R>>>>"
    wide = b"<</Type/Catalog/Pages 2 0 R/AF[" + b"4 0 R " * 1_000_000 + b"]>>"
    pages = b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>"

    def stream(data: bytes, facts: bytes = b"", filters: bytes = b"/FlateDecode") -> bytes:
        return b"<<%s/Filter[%s]/Length %d>>\nstream\n%s\nendstream" % (facts, filters, len(data), data)

    def bomb(layers: int) -> bytes:
        packed = once
        for _ in range(layers - 1):
            packed = zlib.compress(packed, 9)
        file = stream(packed, b"/Type/EmbeddedFile", b"/FlateDecode " * layers)
        return _written(attached, pages, page, b"<</Type/Filespec/F(factur-x.xml)/EF<</F 5 0 R>>>>", file)

    return {
        "PDF: 200 MiB in an attachment": lambda: bomb(1),
        "PDF: 200 MiB in an attachment, packed thrice": lambda: bomb(3),
        "PDF: 200 MiB in a page": lambda: _written(catalogue, pages, page, stream(once)),
        "PDF: two million words in a page": lambda: _written(
            catalogue, pages, page, stream(texts), b"null", font
        ),
        "PDF: a form that draws itself": lambda: _written(
            catalogue,
            pages,
            page,
            stream(zlib.compress(b"/X Do")),
            stream(zlib.compress(b"/X Do"), form),
            font,
        ),
        "PDF: pages within themselves": lambda: _written(catalogue, b"<</Type/Pages/Kids[2 0 R]/Count 9>>"),
        "PDF: a million pages": lambda: _written(
            catalogue,
            b"<</Type/Pages/Kids[" + b"3 0 R " * 1_000_000 + b"]/Count 1000000>>",
            page,
            stream(texts),
        ),
        "PDF: names within themselves": lambda: _written(cycle, pages, page, b"<</Kids[4 0 R 4 0 R]>>"),
        "PDF: a million attachments": lambda: _written(
            wide, pages, page, b"<</F(a)/EF<</F 5 0 R>>>>", stream(once)
        ),
        "PDF: 20 MiB of brackets": lambda: b"%PDF-1.7\n1 0 obj\n" + b"[" * (LARGEST - 100),
        "PDF: 20 MiB of nothing": lambda: b"%PDF-1.7\n" + b" " * (LARGEST - 100),
        "PDF: a table that names itself": lambda: (
            b"%PDF-1.7\nxref\n0 1\n0000000000 65535 f \ntrailer<</Size 1/Prev 9/Root 1 0 R>>\nstartxref\n9\n%%EOF"
        ),
        "PDF: encrypted": lambda: invoices.pdf({"factur-x.xml": invoices.cii()}, password="secret"),  # noqa: S106
        "PDF: 20 MiB attached to a sound page": lambda: invoices.pdf(
            {"factur-x.xml": _within(_repeated(b"<a/>"))}
        ),
    }


def _written(*objects: bytes) -> bytes:
    """Write a PDF of these objects, the first of which is its catalogue."""
    return b"".join(_parts(objects))


def _parts(objects: tuple[bytes, ...]) -> Iterator[bytes]:
    offset = len(head := b"%PDF-1.7\n")
    yield head
    table = b"0000000000 65535 f \n"
    for number, each in enumerate(objects, 1):
        table += b"%010d 00000 n \n" % offset
        yield (written := b"%d 0 obj\n%s\nendobj\n" % (number, each))
        offset += len(written)
    yield b"xref\n0 %d\n%s" % (len(objects) + 1, table)
    yield b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, offset)


if __name__ == "__main__":
    sys.exit(main())
