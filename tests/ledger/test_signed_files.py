"""What was signed is taken out of a signature in every way in which it is written, and hostile ones end soon."""

import base64

import pytest

from webapp.ledger.files.signed_files import SignedFileError, content_of, is_signed

SIGNED_DATA = bytes.fromhex("06092a864886f70d010702")
DATA = bytes.fromhex("06092a864886f70d010701")
VERSION, NO_SET = b"\x02\x01\x01", b"\x31\x00"


def element(tag, content):
    size = len(content)
    long = size.to_bytes((size.bit_length() + 7) // 8 or 1)
    length = bytes([size]) if size < 0x80 else bytes([0x80 + len(long)]) + long
    return bytes([tag]) + length + content


def endless(tag, content):
    """An element without a length, as BER allows it."""
    return bytes([tag, 0x80]) + content + b"\0\0"


def signature(octets, write=element):
    inner = write(0x30, DATA + (write(0xA0, octets) if octets else b""))
    return write(0x30, SIGNED_DATA + write(0xA0, write(0x30, VERSION + NO_SET + inner + NO_SET)))


WHOLE = element(0x04, b"<a>" + b"x" * 300 + b"</a>")
PIECES = endless(0x24, element(0x04, b"<a>") + element(0x04, b"x" * 300) + element(0x04, b"</a>"))


@pytest.mark.parametrize("write", [element, endless])
@pytest.mark.parametrize("octets", [WHOLE, PIECES])
def test_what_was_signed_is_taken_out(octets, write):
    data = signature(octets, write)
    expected = b"<a>" + b"x" * 300 + b"</a>"
    assert content_of(data) == expected
    text = base64.encodebytes(data)
    assert content_of(text) == expected
    assert content_of(b"-----BEGIN PKCS7-----\n" + text + b"-----END PKCS7-----\n") == expected
    assert content_of(signature(element(0x04, data))) == expected


def test_other_files_are_not_signed():
    for data in (b"", b"0", b"Date;Amount\n2026-03-02;5.00\n", b"MIT licence text", b"%PDF-1.7", b"\x30\x80"):
        assert not is_signed(data)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (signature(WHOLE)[:60], "breaks off"),
        (signature(WHOLE, endless)[:-300], "breaks off"),
        (signature(b""), "without what was signed"),
        (signature(element(0x02, b"5")), "is no file"),
        (b"\x30\x80" + SIGNED_DATA + b"\xa0\x80" * 50_000, "damaged|breaks off"),
        (b"\x30\x88" + b"\xff" * 8 + SIGNED_DATA, "damaged|breaks off"),
        (
            signature(endless(0x24, endless(0x24, endless(0x24, endless(0x24, endless(0x24, WHOLE)))))),
            "no file",
        ),
    ],
)
def test_a_damaged_signature_says_so(data, sentence):
    with pytest.raises(SignedFileError, match=sentence):
        content_of(data)


def test_signatures_in_signatures_end():
    data = WHOLE
    for _ in range(6):
        data = element(0x04, signature(data))
    with pytest.raises(SignedFileError, match="more often"):
        content_of(signature(data))
