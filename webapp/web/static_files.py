"""Static files under names with a hash of their bytes: browsers keep them, and a changed file has another address."""

import gzip
import mimetypes
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import NotFound

YEAR_SECONDS = 365 * 24 * 3600
HASH_LENGTH = 12
LEAST_BYTES = 512
# What a file names of others: a style sheet in url(), a script after "from".
_ADDRESS = {
    ".css": re.compile(r"""(url\(["']?)(?!data:|https?:|/|#)([^"')#?]+)"""),
    ".js": re.compile(r"""^(import [^;"]* from ")([^"]+)""", re.MULTILINE),
}
_NOT_SENT = {".json", ".txt", ".md"}
_COMPRESSED = ("text/", "image/svg+xml", "application/json")


@dataclass(frozen=True)
class StaticFile:
    """A static file as it is sent; `name` is its path with the hash of its bytes."""

    plain_name: str
    data: bytes

    @cached_property
    def digest(self) -> str:
        """The first hex digits of the SHA-256 of its bytes."""
        return sha256(self.data).hexdigest()[:HASH_LENGTH]

    @cached_property
    def name(self) -> str:
        """Its path with the hash before the last suffix."""
        path = PurePosixPath(self.plain_name)
        return str(path.with_name(f"{path.stem}.{self.digest}{path.suffix}"))

    @cached_property
    def mimetype(self) -> str:
        """Its type, by its suffix."""
        return mimetypes.guess_type(self.plain_name)[0] or "application/octet-stream"

    @cached_property
    def gzipped(self) -> bytes | None:
        """Its bytes, compressed once; None where that would not help."""
        if not self.mimetype.startswith(_COMPRESSED) or len(self.data) < LEAST_BYTES:
            return None
        return gzip.compress(self.data, 9, mtime=0)


class StaticFiles:
    """The static files of a folder, read once: by the names in templates and by the names with hashes."""

    def __init__(self, folder: Path) -> None:
        files: dict[str, StaticFile] = {}

        def read(name: str) -> StaticFile:
            # What it names is read before it, since its own hash is of the addresses in it too.
            if name not in files:
                files[name] = StaticFile(
                    name, with_hashed_addresses((folder / name).read_bytes(), name, read)
                )
            return files[name]

        for path in sorted(folder.rglob("*")):
            if path.is_file():
                read(path.relative_to(folder).as_posix())
        self._by_plain_name = files
        self._by_name = {each.name: each for each in files.values()}

    def hashed(self, plain_name: str) -> str:
        """The name with a hash of a file; another name stays as it is."""
        found = self._by_plain_name.get(plain_name)
        return plain_name if found is None or PurePosixPath(plain_name).suffix in _NOT_SENT else found.name

    def find(self, name: str) -> tuple[StaticFile, bool]:
        """The file of a name, and whether the name holds its hash; raises NotFound."""
        if name in self._by_name:
            return self._by_name[name], True
        if name in self._by_plain_name:
            return self._by_plain_name[name], False
        raise NotFound


def with_hashed_addresses(data: bytes, name: str, read: Callable[[str], StaticFile]) -> bytes:
    """Give each relative address of another file in a style sheet or a script the hash of that file."""
    pattern = _ADDRESS.get(PurePosixPath(name).suffix)
    if pattern is None:
        return data

    def hashed(found: re.Match[str]) -> str:
        before, address = found.groups()
        named = read(posixpath.normpath(posixpath.join(posixpath.dirname(name), address)))
        return before + address.removesuffix(PurePosixPath(address).name) + PurePosixPath(named.name).name

    return pattern.sub(hashed, data.decode()).encode()


def register_static_files(app: Flask) -> None:
    """Serve the static files by names with hashes, and let `url_for` give those names."""
    files = StaticFiles(Path(app.static_folder or ""))
    app.extensions["static_files"] = files
    app.view_functions["static"] = send

    @app.url_defaults
    def add_hash(endpoint: str, values: dict[str, object]) -> None:
        if endpoint == "static" and isinstance(values.get("filename"), str):
            values["filename"] = files.hashed(str(values["filename"]))


def send(filename: str) -> Response:
    """Send a static file: for a year under its name with the hash, else to be asked for again each time."""
    files: StaticFiles = current_app.extensions["static_files"]
    found, is_hashed = files.find(filename)
    takes_gzip = found.gzipped is not None and request.accept_encodings["gzip"] > 0
    body = found.gzipped if takes_gzip and found.gzipped is not None else found.data
    response = Response(body, mimetype=found.mimetype)
    if takes_gzip:
        response.content_encoding = "gzip"
    if found.gzipped is not None:
        response.vary.add("Accept-Encoding")
    response.set_etag(f"{found.digest}-gzip" if takes_gzip else found.digest)
    if is_hashed:
        response.cache_control.public = True
        response.cache_control.max_age = YEAR_SECONDS
        response.cache_control.immutable = True
    else:
        response.cache_control.no_cache = True
    response.make_conditional(request)
    return response
