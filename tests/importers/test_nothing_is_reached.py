"""No file of any format makes its reader open a connection or a file, whatever it points to."""

import socket

import pytest

from tests.fixtures.bank_files import xlsx_files
from tests.importers.hostile import SOUND, lines, outcome

POINTERS = (
    '<!DOCTYPE {root} [<!ENTITY x SYSTEM "{url}">]>',
    '<!DOCTYPE {root} SYSTEM "{url}">',
    '<!DOCTYPE {root} [<!ENTITY % p SYSTEM "{url}"> %p;]>',
    '<?xml-stylesheet href="{url}"?>',
    '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{url}" parse="text"/>',
)
ROOTS = {"ofx2": b"<OFX>", "camt": b"<Document ", "xlsx": b"<worksheet "}


@pytest.fixture
def listening():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        yield server


def pointing(name, pointer):
    """The sound file with a pointer before its root and one behind the root's beginning."""
    root = ROOTS[name]
    if name != "xlsx":
        return [SOUND[name].replace(root, pointer + root, 1), SOUND[name].replace(b"</", pointer + b"</", 1)]
    sheet = xlsx_files.worksheet(xlsx_files.rows(xlsx_files.HEADER, ("2026-03-05", "Tea", -1))).encode()
    made = [
        sheet.replace(root, pointer + root, 1),
        sheet.replace(b"<sheetData>", pointer + b"<sheetData>", 1),
    ]
    return [
        xlsx_files.archive({**xlsx_files.parts(""), "xl/worksheets/sheet1.xml": content}) for content in made
    ]


def test_no_connection_is_made_and_no_file_is_read(listening, tmp_path, monkeypatch, figure):
    marker = tmp_path / "marker"
    marker.write_text("MARKED", encoding="utf-8")
    urls = (f"http://127.0.0.1:{listening.getsockname()[1]}/x", marker.as_uri(), str(marker))
    given = [
        data
        for name, root in ROOTS.items()
        for pattern in POINTERS
        for url in urls
        for data in pointing(name, pattern.format(root=root[1:-1].decode(), url=url).encode())
    ]
    located = SOUND["camt"].replace(
        b"<Document ", b'<Document xsi:schemaLocation="%s x.xsd" ' % urls[0].encode()
    )
    # The readers' own tables are there once a file was read.
    assert [lines(outcome(data)) for data in (located, SOUND["xlsx"])] == [2, 2]
    opened = []
    monkeypatch.setattr(socket, "socket", lambda *args, **_: opened.append(args))
    monkeypatch.setattr("builtins.open", lambda *args, **_: opened.append(args))
    monkeypatch.setattr("io.open", lambda *args, **_: opened.append(args))
    found = [outcome(data) for data in [*given, located]]
    monkeypatch.undo()
    assert not opened
    assert "MARKED" not in repr(found)
    with pytest.raises(BlockingIOError):
        listening.accept()
    figure("P49", f"{len(given)} files that point outside: 0 connections, 0 files opened")
