"""Redirects: what is followed, what is told to whom, and what comes back."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from tests.fetch.fetching import fetch, fetch_all, request
from tests.fetch.scenario_server import Reply, ScenarioServer, conditional
from watcher.domain.verdicts import Refusal
from watcher.fetch import AnswerKind, BasicAuth, Validators
from watcher.fetch.validators import contradicts, from_headers, same_etag

SECRET = "s3cret-value-1234"


@pytest.fixture
def other() -> Iterator[ScenarioServer]:
    with ScenarioServer() as running:
        yield running


def to(url: str, status: int = 302, *headers: tuple[str, str]) -> Reply:
    return Reply(status=status, headers=(("Location", url), *headers))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed_and_recorded(server: ScenarioServer, status: int) -> None:
    url = server.play("/a", to("/b?x=1#part", status))
    server.play("/b", Reply(body=b"here"))
    answer = fetch(url)
    assert answer.body == b"here"
    assert answer.final_url == server.url("/b?x=1")
    assert [hop.status for hop in answer.hops] == [status, 200]
    assert answer.hops[0].location == "/b?x=1"


def test_five_hops_are_enough_and_six_are_too_many(server: ScenarioServer) -> None:
    for n in range(7):
        server.play(f"/{n}", to(f"/{n + 1}"))
    server.play("/5", Reply(body=b"end"))
    assert fetch(server.url("/0")).body == b"end"
    server.play("/5", to("/6"))
    answer = fetch(server.url("/0"))
    assert answer.refusal is Refusal.HTTP_ERROR
    assert len(answer.hops) == 6


def test_a_cookie_can_open_a_door_on_its_own_origin(server: ScenarioServer) -> None:
    url = server.play(
        "/p",
        to("/p", 302, ("Set-Cookie", "seen=1; Path=/; HttpOnly")),
        Reply(body=b"inside"),
    )
    answer = fetch(url)
    assert answer.body == b"inside"
    assert server.asked("/p")[1].headers["cookie"] == "seen=1"
    assert "seen" not in str(answer.headers)


def test_nothing_secret_crosses_an_origin(server: ScenarioServer, other: ScenarioServer) -> None:
    url = server.play("/p", to(other.url("/p"), 302, ("Set-Cookie", "sid=1")))
    other.play("/p", to(server.url("/q")))
    server.play("/q", Reply(body=b"end"))
    answer = fetch(
        url,
        headers=(("X-Api-Key", SecretStr(SECRET)), ("Accept-Language", SecretStr("de"))),
        credentials=BasicAuth("me", SecretStr(SECRET)),
    )
    assert answer.body == b"end"
    basic = "Basic " + b64encode(f"me:{SECRET}".encode()).decode()
    assert server.asked("/p")[0].headers["authorization"] == basic
    assert server.asked("/p")[0].headers["x-api-key"] == SECRET
    assert SECRET not in str(other.seen)
    assert "cookie" not in other.seen[0].headers
    assert "authorization" not in other.seen[0].headers
    assert server.asked("/q")[0].headers["cookie"] == "sid=1"


def test_cookies_are_forgotten_between_checks(server: ScenarioServer) -> None:
    url = server.play("/p", Reply(body=b"one", headers=(("Set-Cookie", "track=1"),)))
    fetch_all(request(url), request(url, document_id="other"))
    assert all("cookie" not in seen.headers for seen in server.asked("/p"))


def test_secrets_show_up_nowhere(server: ScenarioServer) -> None:
    query = f"?id=7&token={SECRET}"
    url = server.play("/p", Reply(status=500, headers=(("X-Echo", SECRET), ("X-Auth-Token", "t"))))
    made = request(
        url + query,
        headers=(("X-Api-Key", SecretStr(SECRET)),),
        credentials=BasicAuth("me", SecretStr(SECRET)),
    )
    [answer] = fetch_all(made)
    assert server.seen[0].target.endswith(query)
    shown = f"{made!r}{answer.verdict}{answer.hops}{answer.headers}{answer.shown_url}"
    assert SECRET not in shown.replace(f"url='{made.url}'", "")
    assert "id=7" in answer.shown_url


def test_a_header_that_cannot_be_sent_is_refused_without_being_quoted(
    server: ScenarioServer,
) -> None:
    url = server.play("/p", Reply(body=b"x"))
    answer = fetch(url, headers=(("X-Key", SecretStr(f"{SECRET}\r\nX-More: 1")),))
    assert answer.refusal is Refusal.NETWORK_ERROR
    assert SECRET not in str(answer)
    assert server.seen == []


# --- conditional requests -------------------------------------------------------


def check_twice(server: ScenarioServer, *steps: object, etag: str = "", modified: str = "") -> list:  # type: ignore[type-arg]
    url = server.play("/p", *steps)  # type: ignore[arg-type]
    known = Validators(url, etag, modified)
    return fetch_all(request(url, validators=known))


@pytest.mark.parametrize("etag", ['"v1"', 'W/"v1"', '"v1-gzip"', '"a,b"', '""'])
def test_an_etag_goes_back_as_it_came_and_alone(server: ScenarioServer, etag: str) -> None:
    modified = "Wed, 21 Oct 2015 07:28:00 GMT"
    step = conditional(Reply(body=b"x"), etag=etag, last_modified=modified)
    [answer] = check_twice(server, step, etag=etag, modified=modified)
    assert answer.kind is AnswerKind.NOT_MODIFIED
    assert answer.conditional
    headers = server.seen[0].headers
    assert headers["if-none-match"] == etag
    assert "if-modified-since" not in headers


def test_a_date_goes_back_where_there_is_no_etag(server: ScenarioServer) -> None:
    modified = "Wed, 21 Oct 2015 07:28:00 GMT"
    step = conditional(Reply(body=b"x"), last_modified=modified)
    [answer] = check_twice(server, step, modified=modified)
    assert answer.kind is AnswerKind.NOT_MODIFIED
    assert server.seen[0].headers["if-modified-since"] == modified


def test_a_full_check_sends_no_validators(server: ScenarioServer) -> None:
    url = server.play("/p", conditional(Reply(body=b"x"), etag='"v1"'))
    answer = fetch(url, validators=Validators(url, '"v1"'), full=True)
    assert answer.body == b"x"
    assert "if-none-match" not in server.seen[0].headers
    assert server.seen[0].headers["cache-control"] == "no-cache"


def test_validators_are_bound_to_the_url_that_sent_them(server: ScenarioServer) -> None:
    url = server.play("/p", to("/new"))
    server.play("/new", conditional(Reply(body=b"x"), etag='"v1"'))
    moved = fetch(url, validators=Validators(url, '"v1"'))
    assert moved.body == b"x"
    assert "if-none-match" not in server.asked("/new")[0].headers
    again = fetch(url, validators=moved.validators)
    assert again.kind is AnswerKind.NOT_MODIFIED
    assert "if-none-match" not in server.asked("/p")[-1].headers
    assert server.asked("/new")[-1].headers["if-none-match"] == '"v1"'


def test_a_304_for_another_version_is_not_believed(server: ScenarioServer) -> None:
    url = server.play(
        "/p",
        Reply(status=304, content_type=None, headers=(("ETag", '"v9"'),)),
        Reply(body=b"new", headers=(("ETag", '"v9"'),)),
    )
    answer = fetch(url, validators=Validators(url, '"v1"'))
    assert answer.kind is AnswerKind.BODY
    assert answer.body == b"new"
    assert not answer.conditional


def test_a_304_that_nobody_asked_for_is_an_error(server: ScenarioServer) -> None:
    url = server.play("/p", Reply(status=304, content_type=None))
    assert fetch(url).refusal is Refusal.HTTP_ERROR


@pytest.mark.parametrize(
    ("headers", "etag", "modified"),
    [
        ({"etag": '"a"', "last-modified": "Wed, 21 Oct 2015 07:28:00 GMT"}, '"a"', "Wed, 21 Oct 2015 07:28:00 GMT"),
        ({"etag": "unquoted", "last-modified": "yesterday"}, "", ""),
        ({"etag": '"a"b"'}, "", ""),
        ({"etag": '"' + "x" * 5000 + '"'}, "", ""),
        ({}, "", ""),
    ],
)  # fmt: skip
def test_only_well_formed_validators_are_kept(
    headers: dict[str, str], etag: str, modified: str
) -> None:
    assert from_headers(headers, "u") == Validators("u", etag, modified)


def test_etags_compare_weakly() -> None:
    assert same_etag('W/"v1"', '"v1"')
    assert same_etag('"v1-gzip"', '"v1"')
    assert same_etag('"v1;br"', 'W/"v1-gzip"')
    assert not same_etag('"v1"', '"v2"')
    assert not same_etag("", "")
    assert not contradicts(Validators("u", '"v1"'), Validators("u", ""))
    assert not contradicts(None, Validators("u", '"v1"'))
