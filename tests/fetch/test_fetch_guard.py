"""No request reaches an address that its document may not reach."""

from __future__ import annotations

import asyncio
from ipaddress import IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from tests.fetch.fetching import LIMITS, SETTINGS, fetch, request
from tests.fetch.scenario_server import Reply, ScenarioServer
from watcher.domain.verdicts import Refusal
from watcher.fetch import Answer, AnswerFacts, AnswerKind, Fetcher, Request, judge, page_facts
from watcher.fetch.addresses import Address, networks, why_refused
from watcher.fetch.robots import rules_from

PUBLIC = [
    "93.184.216.34",
    "8.8.8.8",
    "172.32.0.1",
    "192.0.1.1",
    "2606:2800:220:1::1",
    "::ffff:8.8.8.8",
]
PRIVATE = [
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.5", "172.16.0.1", "192.168.1.1",
    "169.254.169.254", "169.254.1.1", "100.64.0.1", "100.100.100.200", "198.18.0.1", "192.0.0.1",
    "192.0.2.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "168.63.129.16", "::1", "::", "fe80::1", "fc00::1", "fd12::1", "fd00:ec2::254", "fec0::1",
    "ff02::1", "2001:db8::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:5db8:d822::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2", "fe80::1%eth0",
]  # fmt: skip


@pytest.mark.parametrize("text", PUBLIC)
def test_public_addresses_are_allowed(text: str) -> None:
    assert why_refused(ip_address(text)) == ""


@pytest.mark.parametrize("text", PRIVATE)
def test_all_others_are_refused_with_their_kind(text: str) -> None:
    assert why_refused(ip_address(text))


def test_a_network_is_allowed_by_name_and_its_neighbours_are_not() -> None:
    allowed = networks(("10.1.0.0/16", "fd12::/16"))
    assert why_refused(ip_address("10.1.2.3"), allowed) == ""
    assert why_refused(ip_address("::ffff:10.1.2.3"), allowed) == ""
    assert why_refused(ip_address("fd12::5"), allowed) == ""
    assert why_refused(ip_address("10.2.0.1"), allowed) == "private"
    assert why_refused(ip_address("64:ff9b::a01:203"), allowed) == "NAT64"


def test_a_wide_network_is_no_consent_to_metadata() -> None:
    everything = networks(("0.0.0.0/0", "::/0"))
    assert why_refused(ip_address("169.254.169.254"), everything) == "cloud metadata"
    assert why_refused(ip_address("fd00:ec2::254"), everything) == "cloud metadata"
    assert why_refused(ip_address("169.254.169.254"), networks(("169.254.169.254/32",))) == ""


@given(st.ip_addresses(v=4))
@settings(deadline=None, max_examples=300)
def test_every_way_to_write_an_ipv4_address_in_ipv6_is_no_better(inner: Address) -> None:
    mapped = IPv6Address(int(ip_address("::ffff:0:0")) | int(inner))
    assert why_refused(mapped) == why_refused(inner)
    for prefix in ("64:ff9b::", "::"):
        assert why_refused(IPv6Address(int(IPv6Address(prefix)) | int(inner)))


@given(st.ip_addresses())
@settings(deadline=None, max_examples=300)
def test_what_python_calls_private_is_never_reached(address: Address) -> None:
    bad = address.is_private or address.is_multicast or address.is_loopback or address.is_reserved
    if bad and getattr(address, "ipv4_mapped", None) is None:
        assert why_refused(address)
    if not bad and why_refused(address):
        reason = why_refused(address, (ip_network(f"{address}"),))
        assert reason == "" or reason.endswith("inside IPv6")


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/", "http://127.0.0.1/", "http://127.1/", "http://2130706433/",
        "http://0x7f.1/", "http://0177.0.0.1/", "http://0/", "http://10.0.0.5/",
        "http://169.254.169.254/", "http://100.64.0.1/", "http://[::1]/", "http://[::]/",
        "http://[::ffff:127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/",
        "http://[fec0::1]/", "http://metadata.google.internal/", "http://metadata.google.internal./",
        "http://metadata/", "http://instance-data/", "http://127。0。0。1/", "http://①②⑦.0.0.1/",
        "http://example.com@127.0.0.1/", "http://user:pw@example.com/",
        "http://example.com\\@127.0.0.1/", "http://[fe80::1%25eth0]/", "ftp://example.com/",
        "file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x", "gopher://127.0.0.1/",
        "", "not a url", "http://", "http:///etc/passwd", "http://exa\nmple.com/", "//example.com/",
    ],
)  # fmt: skip
def test_hostile_targets_are_blocked_before_a_connection(url: str) -> None:
    answer = fetch(url, allowed_networks=())
    assert answer.kind is AnswerKind.REFUSED
    assert answer.refusal is Refusal.BLOCKED_ADDRESS, answer.verdict
    assert answer.verdict is not None
    assert answer.verdict.hint
    assert "pw" not in answer.verdict.message


class Names:
    """A resolver with answers of its own; each lookup takes the next, the last stays."""

    def __init__(self, **names: list[list[str]]) -> None:
        self.names = {name.replace("_", "."): answers for name, answers in names.items()}
        self.lookups: list[str] = []

    async def __call__(self, host: str, port: int) -> list[Address]:
        self.lookups.append(host)
        answers = self.names.get(host)
        if answers is None:
            raise OSError("no such name")
        found = answers[0] if len(answers) == 1 else answers.pop(0)
        if not found:
            raise OSError("try again")
        return [ip_address(text) for text in found]


def resolve_and_fetch(names: Names, *requests: Request) -> list[Answer]:
    async def run() -> list[Answer]:
        async with Fetcher(SETTINGS, resolve=names) as fetcher:
            return [await fetcher.fetch(one) for one in requests]

    return asyncio.run(run())


def test_one_bad_address_among_good_ones_blocks_the_name() -> None:
    names = Names(mixed_example=[["93.184.216.34", "169.254.169.254"]])
    [answer] = resolve_and_fetch(names, request("http://mixed.example/"))
    assert answer.refusal is Refusal.BLOCKED_ADDRESS
    assert names.lookups == ["mixed.example"]


def test_a_name_cannot_change_its_mind_between_check_and_connection(server: ScenarioServer) -> None:
    server.play("/secret", Reply(body=b"inside"))
    names = Names(rebind_example=[["127.0.0.1"], ["10.0.0.1"]])
    url = f"http://rebind.example:{server.port}/secret"
    first, second = resolve_and_fetch(names, request(url), request(url))
    assert first.kind is AnswerKind.BODY
    assert first.peer == "127.0.0.1"
    assert names.lookups[0] == "rebind.example"
    # The second check may use the open connection, which was checked, or look again.
    assert second.refusal in (None, Refusal.BLOCKED_ADDRESS)
    assert len(names.lookups) <= 2


def test_a_connection_opened_for_one_document_is_not_lent_to_another(
    server: ScenarioServer,
) -> None:
    url = server.play("/p", Reply(body=b"inside"))
    allowed, denied = request(url), request(url, allowed_networks=())

    async def run() -> list[Answer]:
        async with Fetcher(SETTINGS) as fetcher:
            return [await fetcher.fetch(one) for one in (allowed, denied)]

    first, second = asyncio.run(run())
    assert first.kind is AnswerKind.BODY
    assert second.refusal is Refusal.BLOCKED_ADDRESS
    assert len(server.asked("/p")) == 1


def test_an_unknown_name_is_a_network_error() -> None:
    [answer] = resolve_and_fetch(Names(), request("http://nowhere.example/"))
    assert answer.refusal is Refusal.NETWORK_ERROR


def test_a_name_that_fails_once_is_asked_again_within_the_check(server: ScenarioServer) -> None:
    server.play("/p", Reply(body=b"here"))
    names = Names(flaky_example=[[], ["127.0.0.1"]])
    [answer] = resolve_and_fetch(names, request(f"http://flaky.example:{server.port}/p"))
    assert answer.body == b"here"
    assert names.lookups == ["flaky.example"] * 2


def test_the_second_address_is_tried_where_the_first_is_dead(server: ScenarioServer) -> None:
    server.play("/p", Reply(body=b"here"))
    names = Names(two_example=[["127.0.0.2", "127.0.0.1"]])
    [answer] = resolve_and_fetch(names, request(f"http://two.example:{server.port}/p"))
    assert answer.body == b"here"


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://[::ffff:10.0.0.1]/",
        "http://100.64.0.1/", "http://metadata.google.internal/", "file:///etc/passwd",
        "http://a@b@10.0.0.1/", "http://user:pw@10.0.0.1/", "gopher://10.0.0.1:70/",
        "http://10.0.0.1\\@example.com/", "javascript:alert(1)",
    ],
)  # fmt: skip
def test_every_hop_is_checked(server: ScenarioServer, location: str) -> None:
    url = server.play("/p", Reply(status=302, headers=(("Location", location),)))
    answer = fetch(url)
    assert answer.refusal is Refusal.BLOCKED_ADDRESS
    assert answer.hops[0].status == 302
    assert answer.body == b""


def test_a_redirect_to_a_strange_port_of_a_public_host_is_blocked(server: ScenarioServer) -> None:
    url = server.play(
        "/p", Reply(status=302, headers=(("Location", "http://public.example:6379/"),))
    )
    names = Names(public_example=[["93.184.216.34"]], **{"127_0_0_1": [["127.0.0.1"]]})
    [answer] = resolve_and_fetch(names, request(url))
    assert answer.refusal is Refusal.BLOCKED_ADDRESS
    assert answer.verdict is not None
    assert "6379" in answer.verdict.message


def test_the_environment_chooses_no_proxy(
    server: ScenarioServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert fetch(server.play("/p", Reply(body=b"direct"))).body == b"direct"


def test_through_a_proxy_the_target_is_still_refused(server: ScenarioServer) -> None:
    proxy = SecretStr(server.origin)
    blocked = fetch("http://10.0.0.1/p", proxy=proxy)
    assert blocked.refusal is Refusal.BLOCKED_ADDRESS
    assert server.seen == []
    server.play("http://127.0.0.1:1/p", Reply(body=b"by proxy"))
    assert fetch("http://127.0.0.1:1/p", proxy=proxy, limits=LIMITS).body == b"by proxy"


_PIECES = st.lists(
    st.sampled_from(["http://", "https://", "xn--", "127.0.0.1", *"htp:/.@[]%?#&=\\ 0x1aß\u3002\u200b-"]),
    max_size=12,
).map("".join)  # fmt: skip


@given(_PIECES | st.text(max_size=30), st.booleans())
@settings(deadline=None, max_examples=150)
def test_no_url_makes_the_fetcher_raise(tail: str, with_scheme: bool) -> None:
    url = "http://" + tail if with_scheme else tail
    [answer] = resolve_and_fetch(Names(), request(url, allowed_networks=()))
    assert answer.refusal in (Refusal.BLOCKED_ADDRESS, Refusal.NETWORK_ERROR)
    judged = AnswerFacts(
        url, url, "text/html", "word " * 30, page=lambda: page_facts(b"<p>word</p>")
    )
    assert judge(judged).outcome


@given(st.binary(max_size=400))
@settings(deadline=None, max_examples=200)
def test_no_robots_file_makes_the_fetcher_raise(body: bytes) -> None:
    rules = rules_from(200, b"User-agent: *\n" + body)
    assert rules.allows("http://example.org/x") in (True, False)
    assert 0 <= rules.crawl_delay < float("inf")


@given(st.binary(max_size=600))
@settings(deadline=None, max_examples=200)
def test_no_page_makes_the_facts_raise(body: bytes) -> None:
    assert page_facts(body).words >= 0
    assert page_facts(b"<html><body><div><p>" + body).words >= 0
