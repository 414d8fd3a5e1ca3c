"""Addresses of the API that are near to one that it does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Final

from werkzeug.routing import Map, Rule

API: Final = "/api/"
PARAMETER: Final = re.compile(r"<[^>]*>")
VERSION: Final = re.compile(r"v[0-9]+")
ID: Final = "{id}"
NOT_NAMED: Final = frozenset({"HEAD", "OPTIONS"})
MOST_NEAR, NEAR, AS_NEAR, LONGEST = 3, 0.75, 0.05, 200
# What other interfaces call a thing, and its address here.
OTHER_NAMES: Final[Mapping[str, str]] = {
    "bank-accounts": "feeds/accounts",
    "bank-lines": "transactions",
    "categories": "accounts",
    "company": "me",
    "contacts": "merchants",
    "coverage": "feeds/accounts",
    "entries": "journal-entries",
    "imports": "feeds/imports",
    "lines": "transactions",
    "organization": "me",
    "organizations": "me",
    "payees": "merchants",
    "proofs": "reconciliations",
    "proposals": "action-requests",
    "rules": "automations/rules",
    "statements": "reconciliations",
    "user": "me",
    "users": "me",
    "whoami": "me",
}


def addresses(rules: Map) -> Iterator[tuple[str, Rule]]:
    """Yield the addresses of the API, each with its parameters as `{id}`."""
    for rule in rules.iter_rules():
        if rule.rule.startswith(API):
            yield PARAMETER.sub(ID, rule.rule), rule


def same_but_ids(rules: Map, path: str, method: str) -> Rule | None:
    """Find the address that a path would be of if its ids were some."""
    asked = path.rstrip("/").split("/")
    for address, rule in addresses(rules):
        parts = address.split("/")
        if method in (rule.methods or ()) and len(parts) == len(asked):
            pairs = zip(parts, asked, strict=True)
            if ID in parts and all(part in (ID, other) for part, other in pairs):
                return rule
    return None


def near(rules: Map, path: str) -> list[str]:
    """Name the nearest addresses with their methods, the nearest first; none where none is near."""
    asked = _plain(path)
    methods: dict[str, set[str]] = {}
    for address, rule in addresses(rules):
        methods.setdefault(address, set()).update((rule.methods or set()) - NOT_NAMED)
    found = sorted(((_likeness(asked, address), address) for address in methods), key=lambda each: -each[0])
    best = [address for likeness, address in found if likeness >= max(NEAR, found[0][0] - AS_NEAR)][
        :MOST_NEAR
    ]
    if found and found[0][0] == 1:
        best = best[:1]
    return [f"{', '.join(sorted(methods[address]))} {address}" for address in best]


def list_address(rules: Map, rule: str) -> str | None:
    """Give the address that lists what the last id of an address is one of.

    The ids of bank accounts are listed where these are; a reconciliation's own address only has their state.
    """
    before = PARAMETER.split(rule)[0].rstrip("/")
    listed = "/api/feeds/accounts" if "fa_id" in rule else before
    is_one = any(address == listed and "GET" in (each.methods or ()) for address, each in addresses(rules))
    return listed if is_one else None


def _plain(path: str) -> str:
    """Write a path as the addresses are: without a version, with `{id}` for numbers, and with our words.

    >>> _plain("/api/v1/transactions/17"), _plain("/api/whoami")
    ('/api/transactions/{id}', '/api/me')
    """
    parts = [each for each in path[:LONGEST].lower().replace("_", "-").split("/") if each]
    parts = [ID if each[-1].isdigit() else each for each in _unversioned(parts)]
    return "/" + "/".join(
        OTHER_NAMES.get(each, each) if index == 1 else each for index, each in enumerate(parts)
    )


def _unversioned(parts: Sequence[str]) -> list[str]:
    return [each for index, each in enumerate(parts) if index == 0 or not VERSION.fullmatch(each)]


def _likeness(asked: str, address: str) -> float:
    matcher = SequenceMatcher(None, asked, address)
    return matcher.ratio() if matcher.real_quick_ratio() >= NEAR and matcher.quick_ratio() >= NEAR else 0
