"""Which network addresses a document may be fetched from.

Public unicast addresses are allowed. Everything else is refused unless a CIDR
of the document's configuration covers it. Addresses that carry another one
inside (mapped, NAT64, 6to4, Teredo) are judged by that one too.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_GLOBAL_UNICAST = IPv6Network("2000::/3")

METADATA_NAMES = frozenset(
    {"metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"}
)
"""Names under which cloud machines find the service that hands out their credentials."""

_METADATA = frozenset(
    map(
        ip_address,
        (
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "168.63.129.16",
            "100.100.100.200",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
        ),
    )
)

# Refused whatever `ipaddress` of the running Python says of them: its table
# changed several times, and it calls multicast and NAT64 "global".
_RESERVED: tuple[tuple[str, Network], ...] = tuple(
    (name, ip_network(cidr))
    for name, cidr in (
        ("this network", "0.0.0.0/8"),
        ("private", "10.0.0.0/8"),
        ("carrier-grade NAT", "100.64.0.0/10"),
        ("loopback", "127.0.0.0/8"),
        ("link-local", "169.254.0.0/16"),
        ("private", "172.16.0.0/12"),
        ("protocol assignments", "192.0.0.0/24"),
        ("documentation", "192.0.2.0/24"),
        ("6to4 relay", "192.88.99.0/24"),
        ("private", "192.168.0.0/16"),
        ("benchmarking", "198.18.0.0/15"),
        ("documentation", "198.51.100.0/24"),
        ("documentation", "203.0.113.0/24"),
        ("multicast", "224.0.0.0/4"),
        ("reserved", "240.0.0.0/4"),
        ("unspecified", "::/128"),
        ("loopback", "::1/128"),
        ("IPv4-compatible", "::/96"),
        ("NAT64", "64:ff9b::/96"),
        ("local NAT64", "64:ff9b:1::/48"),
        ("discard", "100::/64"),
        ("protocol assignments", "2001::/23"),
        ("documentation", "2001:db8::/32"),
        ("6to4", "2002::/16"),
        ("documentation", "3fff::/20"),
        ("segment routing", "5f00::/16"),
        ("unique local", "fc00::/7"),
        ("link-local", "fe80::/10"),
        ("site-local", "fec0::/10"),
        ("multicast", "ff00::/8"),
    )
)


@lru_cache(maxsize=256)
def networks(cidrs: tuple[str, ...]) -> tuple[Network, ...]:
    """Return the networks that `cidrs` name.

    Raises:
        ValueError: one of them is not a CIDR.
    """
    return tuple(ip_network(cidr, strict=False) for cidr in cidrs)


def _inner(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that a transition address leads to."""
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if int(address) >> 32 in (0, 0x0064FF9B << 64) and int(address) > 1:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def _kind(address: Address) -> str:
    if address in _METADATA:
        return "cloud metadata"
    for name, network in _RESERVED:
        if address.version == network.version and address in network:
            return name
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return "not global unicast"
    return "" if address.is_global else "not public"


def _covers(network: Network, address: Address) -> bool:
    if address.version != network.version or address not in network:
        return False
    # A wide network is not consent to hand out the machine's credentials.
    return address not in _METADATA or network.num_addresses == 1


def why_refused(address: Address, allowed: tuple[Network, ...] = ()) -> str:
    """Return what kind of address `address` is where it may not be used, else "".

    `allowed` are the document's own networks. A metadata service is allowed
    only by a CIDR that names this one address. An address that carries an
    IPv4 address inside is allowed only where both are.
    """
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return "scoped"
        if address.ipv4_mapped is not None:
            return why_refused(address.ipv4_mapped, allowed)
        inner = _inner(address)
        reason = why_refused(inner, allowed) if inner is not None else ""
        if reason:
            return f"{reason} inside IPv6"
    kind = _kind(address)
    return "" if any(_covers(network, address) for network in allowed) else kind
