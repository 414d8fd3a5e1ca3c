"""Archives of files are unpacked whole or not at all, within limits, and their names are only shown."""

import struct
import zipfile
from io import BytesIO

import pytest

from tests.fixtures.bank_files import xlsx_files
from webapp.importers import archives
from webapp.importers.archives import PackedMember, files_in, holds_files, unpacked
from webapp.importers.bank_files import FileRefusedError

CSV = b"Date;Amount\n2026-03-02;-5.00\n"


def packed(files, method=zipfile.ZIP_DEFLATED):
    written = BytesIO()
    with zipfile.ZipFile(written, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return written.getvalue()


def locked(data):
    """Set the bit of encryption in both heads of the first member."""
    at = data.index(b"PK\x01\x02")
    return data[:6] + b"\x01\0" + data[8 : at + 8] + b"\x01\0" + data[at + 10 :]


def link():
    written = BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        info = zipfile.ZipInfo("march.csv")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return written.getvalue()


def stating(data, size):
    """State another size than the bytes unpack to, in both heads."""
    at = data.index(b"PK\x01\x02")
    wanted = struct.pack("<I", size)
    return data[:22] + wanted + data[26 : at + 24] + wanted + data[at + 28 :]


def test_files_are_named_by_their_paths_and_systems_own_files_are_left_out():
    data = packed(
        [("2026/march.csv", CSV), ("2026/", b""), ("__MACOSX/2026/._march.csv", b"x"), (".DS_Store", b"x"),
         ("Thumbs.db", b"x"), ("april.csv", CSV), ("March.csv", CSV), ("march.csv", CSV)]
    )  # fmt: skip
    assert holds_files(data)
    assert [each.name for each in files_in(data)] == ["2026/march.csv", "april.csv", "March.csv", "march.csv"]


def test_paths_stay_words():
    names = ["../../etc/passwd", "/etc/cron.d/x", "C:\\boot.ini", "a\u202etxt.exe", "b\x1b[2J.csv"]
    found = unpacked([PackedMember("in.zip", packed([(each, CSV) for each in names]))])
    assert [each.name for each in found] == [
        "in.zip/../../etc/passwd", "in.zip//etc/cron.d/x", "in.zip/C:\\boot.ini", "in.zip/atxt.exe",
        "in.zip/b[2J.csv",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "names",
    [
        ("[Content_Types].xml", "xl/workbook.xml"),
        ("mimetype", "content.xml"),
        ("META-INF/MANIFEST.MF", "a/B.class"),
        ("Index/Document.iwa", "preview.jpg"),
    ],
)
def test_documents_of_programs_are_one_file(names):
    data = packed([(each, b"x") for each in names])
    assert not holds_files(data)
    assert unpacked([PackedMember("book", data)]) == [PackedMember("book", data)]


def test_a_workbook_is_one_also_where_it_is_cut_off():
    data = xlsx_files.workbook(xlsx_files.worksheet(xlsx_files.rows(xlsx_files.HEADER)))
    assert not holds_files(data)
    assert not holds_files(data[:-30])


HOSTILE = {
    "locked": (locked(packed([("a.csv", CSV)])), "protected by a password"),
    "a link": (link(), "is a link and no file"),
    "cut off": (packed([("a.csv", CSV)])[:-9], "cut off or damaged"),
    "no archive": (b"PK\x03\x04" + b"x" * 400, "cut off or damaged"),
    "empty": (packed([]), "no file in it"),
    "only folders": (packed([("a/", b"")]), "no file in it"),
    "unusual": (packed([("a.csv", CSV)], zipfile.ZIP_LZMA), "unusual compression"),
    "many": (packed([(f"{number}.csv", CSV) for number in range(201)]), "unpacks to too much"),
    "a bomb": (packed([("a.csv", b"0" * 20 * 1024 * 1024)]), "unpacks to too much"),
    "a bomb that states less": (
        stating(packed([("a.csv", b"0" * 20 * 1024 * 1024)]), 2_000),
        "unpacks to too much|cut off or damaged",
    ),
    "damaged bytes": (packed([("a.csv", CSV * 9)]).replace(b"PK\x03\x04", b"PK\x03\x04", 1)[:40]
                      + b"\xff" * 8 + packed([("a.csv", CSV * 9)])[48:], "cut off or damaged"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_whole_and_stays_one_file(name):
    data, sentence = HOSTILE[name]
    assert holds_files(data)
    with pytest.raises(FileRefusedError, match=sentence):
        files_in(data)
    assert unpacked([PackedMember("in.zip", data)]) == [PackedMember("in.zip", data)]


def test_overlapping_members_count_each_time():
    """Many entries of one directory may share the bytes of one member (a flat bomb)."""
    data = packed([("a.csv", b"0" * 900_000)])
    at, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    entry = data[at:end]
    count = 150
    tail = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, len(entry) * count, at, 0)
    with pytest.raises(FileRefusedError, match="unpacks to too much"):
        files_in(data[:at] + entry * count + tail)


def test_an_archive_in_an_archive_is_not_opened():
    inner = packed([("a.csv", CSV)])
    found = unpacked([PackedMember("out.zip", packed([("in.zip", inner), ("b.csv", CSV)]))])
    assert found == [PackedMember("out.zip/in.zip", inner), PackedMember("out.zip/b.csv", CSV)]


def test_archives_that_are_too_much_together_stay(monkeypatch):
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)
    two = packed([("a.csv", CSV), ("b.csv", CSV)])
    found = unpacked([PackedMember("1.zip", two), PackedMember("2.zip", two)])
    assert [each.name for each in found] == ["1.zip/a.csv", "1.zip/b.csv", "2.zip"]
