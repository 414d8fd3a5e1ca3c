"""Files within JSON, as programs send them that make no forms: a name, and the bytes as base64."""

import base64
import binascii
from typing import Any, Final

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.base import Schema

MOST_BYTES: Final = 1024 * 1024
LONGEST_TEXT: Final = 4 * -(-MOST_BYTES // 3)
DESCRIPTION: Final = "The bytes of the file as base64, at most 1 MiB of them; a larger file comes as a form."


class FileContent(ma.fields.Field[bytes]):
    """The bytes of a file as base64 text, with or without line ends; at most 1 MiB."""

    def __init__(self, **kwargs: Any) -> None:
        facts = {"type": "string", "format": "byte", "maxLength": LONGEST_TEXT, "description": DESCRIPTION}
        super().__init__(**fields.with_metadata(kwargs, **facts))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bytes:
        content = bytes_of(value)
        if content is None:
            raise ma.ValidationError("Send the bytes of the file as base64.")
        if len(content) > MOST_BYTES:
            raise ma.ValidationError(
                f"This file has {len(content):,} bytes. JSON takes files of at most {MOST_BYTES:,}; send this one as"
                " the part `file` of a multipart/form-data form."
            )
        return content


class FileSchema(Schema):
    """A file."""

    file_name = fields.Text(least=1, most=255, required=True)
    content = FileContent(required=True)


def bytes_of(text: object) -> bytes | None:
    r"""Read base64 text; None for what is none.

    >>> bytes_of("dGll\r\nb3V0"), bytes_of("tieout!"), bytes_of(7)
    (b'tieout', None, None)
    """
    if not isinstance(text, str):
        return None
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
