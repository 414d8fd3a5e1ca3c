"""Answers with a part of the reference: the same for everybody, so that they are compressed, and not sent twice."""

from __future__ import annotations

import gzip
from functools import lru_cache
from hashlib import sha256
from typing import Final

from flask import Response, request

LEVEL: Final = 6
# The whole reference in two forms, and an area each.
MOST_KEPT: Final = 64
DIGITS: Final = 16


def answer(text: str, content_type: str) -> Response:
    """Answer with a text: as gzip where the client takes it, with its ETag, and 304 where If-None-Match names that."""
    version, packed = _packed(text)
    if request.if_none_match.contains_weak(version):
        response = Response(status=304)
    elif request.accept_encodings["gzip"] > 0:
        response = Response(packed, content_type=content_type)
        response.content_encoding = "gzip"
    else:
        response = Response(text, content_type=content_type)
    # It names both forms.
    response.set_etag(version, weak=True)
    response.vary.add("Accept-Encoding")
    return response


@lru_cache(maxsize=MOST_KEPT)
def _packed(text: str) -> tuple[str, bytes]:
    data = text.encode()
    return sha256(data).hexdigest()[:DIGITS], gzip.compress(data, LEVEL, mtime=0)
