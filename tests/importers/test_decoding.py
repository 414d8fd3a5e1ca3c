"""Text comes out of bytes as the bank meant it, whatever the bank says about them."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.importers.decoding import decode
from webapp.importers.ofx.values import charsets

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=2)


@given(texts)
def test_a_mark_decides_against_every_declaration(text):
    marked = [
        text.encode("utf-8-sig"),
        codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + text.encode("utf-32-le"),
    ]
    assert {decode(data, ["1252"]) for data in marked} == {text}


@given(texts.filter(lambda text: text.isprintable()))
def test_utf_8_is_read_as_such_under_a_false_name(text):
    assert decode(text.encode(), ["1252"]) == text
    assert decode(text.encode(), ["NONE", "USASCII"]) == text
    assert decode(text.encode()) == text


@pytest.mark.parametrize(
    ("name", "codec", "text"),
    [
        ("1252", "cp1252", "Café €5"),
        ("ISO-8859-1", "cp1252", "Café €5"),
        ("8859-15", "iso8859-15", "Œuvre €5"),
        ("1250", "cp1250", "Łódź"),
        ("windows-1251", "cp1251", "Магазин Весна"),
        ("EUC-KR", "euc_kr", "한국은행"),
        ("Shift_JIS", "shift_jis", "東京商店"),
        ("932", "cp932", "①東京"),
        ("GBK", "gbk", "联通商店"),
        ("GB2312", "gbk", "联通商店"),
        ("Big5", "big5", "台北"),
    ],
)
def test_a_declared_charset_is_followed(name, codec, text):
    assert decode(text.encode(codec), [name]) == text
    declaration = f"<?xml version='1.0' encoding='{name}'?>"
    assert decode((declaration + text).encode(codec)) == declaration + text


def test_what_is_declared_wrongly_falls_back_to_windows_1252():
    assert decode("Café".encode("cp1252"), ["UTF-8", "NONE"]) == "Café"
    assert decode(b'<?xml version="1.0" encoding="utf-16"?>Caf\xc3\xa9').endswith("Café")


@given(st.binary(), st.lists(st.sampled_from(["1252", "UTF-8", "Shift_JIS", "zlib", "", "GBK"])))
def test_every_byte_becomes_some_text(data, declared):
    decode(data, declared).encode()


@pytest.mark.parametrize("between", ["\n", "\r\n", " ", "", "\t\n"])
def test_the_header_names_its_encodings_on_lines_or_on_one(between):
    names = [
        "OFXHEADER:100",
        "DATA:OFXSGML",
        "SECURITY:NONE",
        "ENCODING:USASCII",
        "CHARSET:ISO-8859-1",
        "COMPRESSION:NONE",
    ]
    assert charsets((between.join(names) + "<OFX>").encode()) == ["ISO-8859-1", "USASCII"]
