"""Whose an address is: what counts as one sender."""

from __future__ import annotations

import ipaddress

IPV6_SITE = 64


def network_of(address: str) -> str:
    """Give whose address this is: an IPv4 address itself, and of IPv6 the /64 that one line is given whole.

    >>> network_of("2001:db8:1:2:3:4:5:6"), network_of("2001:db8:1:2::9"), network_of("::ffff:192.0.2.7")
    ('2001:db8:1:2::/64', '2001:db8:1:2::/64', '192.0.2.7')
    >>> network_of("192.0.2.7"), network_of("fe80::1%eth0"), network_of("")
    ('192.0.2.7', 'fe80::/64', '')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), IPV6_SITE), strict=False))
