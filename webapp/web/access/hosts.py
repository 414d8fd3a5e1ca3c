"""Names that this service answers to, the sites that requests come from, and visitors of the machine itself."""

import re
from functools import lru_cache
from typing import Final

from flask import request
from werkzeug.exceptions import Forbidden

from webapp.config import is_loopback
from webapp.queries.access.principals import Principal

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

# A name or an address, an IPv6 one in brackets, and a port.
_HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:/?#@\s]+)(?::([0-9]{1,5}))?")
_LAST_PORT: Final = 65535


class CrossSiteError(Forbidden):
    """The request did not come from this site's own pages."""

    own_code = "csrf"
    description = (
        "This request did not come from Tieout's own pages. Open the page again and repeat it there."
    )


@lru_cache(maxsize=256)
def is_trusted(host: str, trusted: tuple[str, ...]) -> bool:
    """Return whether a `Host` header is one of the trusted names, whatever its port and case.

    A trusted name that begins with a point stands for all names that end so.

    >>> [is_trusted(host, ("localhost", "[::1]")) for host in ("LOCALHOST:8000", "[::1]", "[::1]:80", "[::2]", "")]
    [True, True, True, False, False]
    >>> is_trusted("a.books.example", (".books.example",)), is_trusted("localhost:99999", ("localhost",))
    (True, False)
    """
    found = _HOST.fullmatch(host)
    if found is None or not 0 < int(found[2] or 1) <= _LAST_PORT:
        return False
    name = found[1].lower()
    return any(
        name == each or (each.startswith(".") and f".{name}".endswith(each)) for each in map(_name, trusted)
    )


def _name(trusted: str) -> str:
    """Write a trusted name as a browser sends it: in lower case, without a port, IPv6 in brackets, IDNA."""
    if trusted.count(":") > 1 and not trusted.startswith("["):
        trusted = f"[{trusted}]"
    found = _HOST.fullmatch(trusted)
    name = found[1] if found else trusted
    try:
        return name.lower() if name.isascii() else name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return name


def is_from_this_machine() -> bool:
    """Return whether the visitor sits at this machine, by the connection's address and by the name in the address bar.

    `Host` alone is whatever the visitor writes. The address alone is that of a proxy which PROXY_HOPS does not count.
    """
    named = _HOST.fullmatch(request.host)
    return is_loopback(request.remote_addr or "") and named is not None and is_loopback(named[1].lower())


def refuse_cross_site(caller: Principal | None) -> None:
    """Refuse an unsafe request without a key that the browser does not mark as same-origin (behaviour.md 5)."""
    if request.method in SAFE_METHODS or (caller is not None and caller.session_hash is None):
        return
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site is not None:
        ours = site in {"same-origin", "none"}
    elif origin is not None:
        ours = origin == request.host_url.rstrip("/")
    else:
        # Without either header a request with a cookie may come from anywhere; without a cookie it is harmless.
        ours = caller is None
    if not ours:
        raise CrossSiteError
