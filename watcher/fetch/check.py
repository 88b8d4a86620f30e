"""One check: hop by hop from the document's URL to an answer.

Redirects are followed here and not by the client, because every hop is
checked anew: its address, its robots.txt, its host's turn, and what it may be
told. Credentials and document headers go to the first origin alone, cookies
to the origin that set them, and all of it is forgotten with the check.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

import httpx
from pydantic import SecretStr

from watcher.domain.verdicts import Evidence, Outcome, Refusal, Verdict
from watcher.extract.charset import charset_of
from watcher.fetch import failures, wire
from watcher.fetch.addresses import networks
from watcher.fetch.bodies import ACCEPT_ENCODING
from watcher.fetch.browser import Given
from watcher.fetch.clock import Clock
from watcher.fetch.guard import Reach, Resolver, checked
from watcher.fetch.model import (
    Answer,
    AnswerKind,
    BasicAuth,
    DeferredError,
    FetchSettings,
    Hop,
    Limits,
    OAuthClient,
    RefusedError,
    Request,
    refused,
)
from watcher.fetch.politeness import Hosts, retry_after
from watcher.fetch.redaction import stored_headers
from watcher.fetch.robots import MAX_BYTES, RobotsCache, read_rules
from watcher.fetch.status import status_verdict
from watcher.fetch.tokens import Tokens
from watcher.fetch.transport import Route, Transports
from watcher.fetch.urls import host_key, join, origin, parse, port_of, shown
from watcher.fetch.validators import conditional_headers, contradicts, from_headers

_ACCEPT = "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.8"
_TOKEN_LIMITS = Limits(total=20.0, raw_bytes=256 * 1024, decoded_bytes=256 * 1024)
_ROBOTS_LIMITS = Limits(total=20.0, raw_bytes=MAX_BYTES, decoded_bytes=4 * MAX_BYTES)
_UNSAID_PATIENCE = 60.0
"""Seconds to leave a host alone that says "too many requests" and not for how long."""
_RETRY_PAUSE = 0.5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Shared:
    """What all checks of a process share."""

    settings: FetchSettings
    clock: Clock
    hosts: Hosts
    robots: RobotsCache
    resolve: Resolver
    transports: Transports
    tokens: Tokens


class Check:
    """One run of one request. Not to be used twice."""

    def __init__(self, request: Request, shared: Shared) -> None:
        self._request = request
        self._shared = shared
        self._hops: list[Hop] = []
        self._cookies: dict[str, dict[str, str]] = {}
        self._left = request.limits.total
        self._home = ""
        self._reach = Reach((), frozenset())
        self._url = ""
        self._last: wire.Wire | None = None
        self._conditional = False
        self._token: SecretStr | None = None

    async def run(self) -> Answer:
        """Return the body or the 304; RefusedError and DeferredError are for the caller."""
        request = self._request
        self._url = request.url
        target = parse(request.url)
        self._home = origin(target)
        allowed = networks(request.allowed_networks)
        ports = {80, 443, port_of(target)}
        if isinstance(request.credentials, OAuthClient):
            ports.add(port_of(parse(request.credentials.token_url)))
        self._reach = Reach(allowed, frozenset(ports))
        seen: set[tuple[str, str]] = set()
        for _ in range(request.limits.redirects + 1):
            self._url = str(target)
            state = (str(target), str(self._cookies.get(origin(target))))
            if state in seen:
                raise self._redirects_end("redirects in a loop")
            seen.add(state)
            await self._obey_robots(target)
            answer = await self._visit(target)
            following = self._redirect(target, answer)
            if following is None:
                return self._conclude(answer)
            target = following
        raise self._redirects_end(f"redirects more than {request.limits.redirects} times")

    def given(self) -> Given:
        """Return what a browser is told that goes on where this check has ended."""
        home = {name: value.get_secret_value() for name, value in self._request.headers}
        cookies = self._cookies.get(origin(parse(self._url)), {})
        return Given(home | self._authorization(), cookies)

    def refusal(self, verdict: Verdict) -> Answer:
        """Return the answer of a refused check, with all that was seen until then."""
        return self._answer(AnswerKind.REFUSED, verdict)

    def deferred(self, error: DeferredError) -> Answer:
        """Return the answer of a check that is not made now."""
        return Answer(
            AnswerKind.DEFERRED,
            None,
            final_url=self._url,
            shown_url=shown(self._url),
            note=error.why,
            hops=tuple(self._hops),
            retry_after=error.wait,
        )

    # --- one hop ---------------------------------------------------------

    async def _visit(self, target: httpx.URL) -> wire.Wire:
        client = self._request.credentials
        if not isinstance(client, OAuthClient) or origin(target) != self._home:
            return await self._visit_as_is(target)
        self._token = await self._sign_in(client, rejected=None)
        answer = await self._visit_as_is(target)
        if answer.status == 401:
            # It may have been revoked since it was asked for: once more with a new one.
            self._token = await self._sign_in(client, rejected=self._token)
            answer = await self._visit_as_is(target)
        return answer

    async def _sign_in(self, client: OAuthClient, *, rejected: SecretStr | None) -> SecretStr:
        document_id = self._request.document_id
        return await self._shared.tokens.token(document_id, client, self._post, rejected=rejected)

    async def _post(self, target: httpx.URL, headers: dict[str, str], body: bytes) -> wire.Wire:
        """Send a form to a token endpoint; its answer is no hop of the check."""
        agent = {"User-Agent": self._shared.settings.user_agent}
        request = httpx.Request("POST", target, headers=agent | headers, content=body)
        try:
            answer = await self._send(target, request, _TOKEN_LIMITS)
        except httpx.TransportError as error:
            raise self._network(error, target) from None
        self._shared.hosts.reached(host_key(target))
        return answer

    async def _visit_as_is(self, target: httpx.URL) -> wire.Wire:
        conditional = self._validator_headers(target)
        headers = self._headers(target) | conditional
        answer = await self._ask_politely(target, headers, self._request.limits)
        sent = self._request.validators
        if answer.status == 304 and conditional:
            named = from_headers(answer.headers, shown(target))
            if not contradicts(sent, named):
                self._conditional = True
                return answer
            # It says "not modified" of another version than ours: ask for all of it.
            headers = self._headers(target) | {"Cache-Control": "no-cache"}
            answer = await self._ask_politely(target, headers, self._request.limits)
        return answer

    async def _ask_politely(
        self, target: httpx.URL, headers: dict[str, str], limits: Limits
    ) -> wire.Wire:
        """Ask once, and once more where no answer came at all."""
        try:
            answer = await self._ask(target, headers, limits)
        except httpx.TransportError as error:
            if not failures.may_retry(error):
                raise self._network(error, target) from None
            await self._shared.clock.sleep(_RETRY_PAUSE)
            try:
                answer = await self._ask(target, headers, limits)
            except httpx.TransportError as second:
                raise self._network(second, target) from None
        self._shared.hosts.reached(host_key(target))
        self._note(target, answer)
        return answer

    async def _ask(self, target: httpx.URL, headers: dict[str, str], limits: Limits) -> wire.Wire:
        return await self._send(target, httpx.Request("GET", target, headers=headers), limits)

    async def _send(self, target: httpx.URL, request: httpx.Request, limits: Limits) -> wire.Wire:
        shared, key = self._shared, host_key(target)
        async with shared.hosts.turn(key):
            lease = shared.transports.lease(self._route(target))
            async with lease as transport, self._deadline(target, limits):
                if self._request.proxy is not None:
                    await checked(target.host, port_of(target), self._reach, shared.resolve)
                return await wire.ask(transport, request, limits, shared.clock, shown(target))

    @asynccontextmanager
    async def _deadline(self, target: httpx.URL, limits: Limits) -> AsyncIterator[None]:
        """Bound the time on the wire, over all hops; waiting for a turn is not counted."""
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            async with asyncio.timeout(max(0.0, min(self._left, limits.total))):
                yield
        except TimeoutError as error:
            self._shared.hosts.failed(host_key(target))
            raise RefusedError(failures.explain(error, shown(target), answered=False)) from None
        except wire.BodyBrokenError as error:
            cause = error.__cause__
            assert isinstance(cause, Exception)
            raise RefusedError(failures.explain(cause, shown(target), answered=True)) from None
        finally:
            self._left -= loop.time() - started

    def _route(self, target: httpx.URL) -> Route:
        return Route(origin(target), self._reach, self._request.ca_file, self._request.proxy)

    def _network(self, error: Exception, target: httpx.URL) -> RefusedError:
        if failures.unreached(error):
            self._shared.hosts.failed(host_key(target))
        return RefusedError(failures.explain(error, shown(target), answered=False))

    # --- what is sent ----------------------------------------------------

    def _headers(self, target: httpx.URL) -> dict[str, str]:
        headers = {
            "User-Agent": self._shared.settings.user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": ACCEPT_ENCODING,
        }
        if origin(target) == self._home:
            headers |= {name: value.get_secret_value() for name, value in self._request.headers}
            headers |= self._authorization()
        cookies = self._cookies.get(origin(target))
        if cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        if self._request.full:
            headers["Cache-Control"] = "no-cache"
        return headers

    def _authorization(self) -> dict[str, str]:
        credentials = self._request.credentials
        if self._token is not None:
            return {"Authorization": f"Bearer {self._token.get_secret_value()}"}
        if not isinstance(credentials, BasicAuth):
            return {}
        auth = httpx.BasicAuth(credentials.username, credentials.password.get_secret_value())
        probe = next(auth.auth_flow(httpx.Request("GET", "http://probe.invalid")))
        return {"Authorization": probe.headers["Authorization"]}

    def _validator_headers(self, target: httpx.URL) -> dict[str, str]:
        if self._request.full:
            return {}
        return conditional_headers(self._request.validators, shown(target))

    # --- robots.txt ------------------------------------------------------

    async def _obey_robots(self, target: httpx.URL) -> None:
        if self._request.robots_override:
            return
        cache, where = self._shared.robots, origin(target)
        rules = cache.get(where)
        if rules is None:
            async with cache.lock(where):
                rules = cache.get(where) or cache.put(
                    where, await read_rules(target, self._ask_robots)
                )
            if rules.crawl_delay:
                self._shared.hosts.slow_down(host_key(target), rules.crawl_delay)
        if not rules.allows(str(target)):
            why = rules.problem or "its robots.txt disallows it"
            raise RefusedError(
                refused(
                    Refusal.ROBOTS_DENIED,
                    f"{shown(target)} may not be asked: {why}",
                    "ask the site, or set the document's robots_override with the reason",
                    ("robots", f"{where}/robots.txt"),
                    ("why", why),
                )
            )

    async def _ask_robots(self, robots: httpx.URL) -> wire.Wire:
        """Ask for a robots.txt; its answers are no hops of the check."""
        headers = {"User-Agent": self._shared.settings.user_agent, "Accept": "text/plain,*/*;q=0.5"}
        hops, last = list(self._hops), self._last
        answer = await self._ask_politely(robots, headers, _ROBOTS_LIMITS)
        self._hops, self._last = hops, last
        return answer

    # --- what came back --------------------------------------------------

    def _note(self, target: httpx.URL, answer: wire.Wire) -> None:
        location = answer.headers.get("location", "")
        where = shown(target)
        self._hops.append(
            Hop(where, answer.status, shown(location) if location else "", answer.peer)
        )
        self._last = answer
        self._keep_cookies(origin(target), answer.headers)
        if answer.status in (429, 503):
            wait = self._retry_after(answer)
            if wait is None and answer.status == 429:
                wait = _UNSAID_PATIENCE
            if wait:
                self._shared.hosts.hold(host_key(target), wait, f"it answered {answer.status}")

    def _retry_after(self, answer: wire.Wire) -> float | None:
        value = answer.headers.get("retry-after", "")
        now = self._shared.clock.time()
        return retry_after(value, now, self._shared.settings.retry_after_ceiling)

    def _keep_cookies(self, where: str, headers: httpx.Headers) -> None:
        for line in headers.get_list("set-cookie")[:20]:
            try:
                parsed = SimpleCookie(line[:4096])
            except CookieError:
                continue
            jar = self._cookies.setdefault(where, {})
            for name, morsel in parsed.items():
                if morsel["max-age"] == "0" or not morsel.coded_value:
                    jar.pop(name, None)
                elif len(jar) < 50:
                    jar[name] = morsel.coded_value

    def _redirect(self, target: httpx.URL, answer: wire.Wire) -> httpx.URL | None:
        location = answer.headers.get("location")
        if answer.status not in _REDIRECTS or not location:
            return None
        return join(target, location)

    def _redirects_end(self, what: str) -> RefusedError:
        chain = " -> ".join(hop.url for hop in self._hops[-6:])
        return RefusedError(
            refused(
                Refusal.HTTP_ERROR,
                f"{shown(self._request.url)} {what}",
                "look at it in a browser; it may want a cookie, a login or another address",
                ("hops", chain),
            )
        )

    def _conclude(self, answer: wire.Wire) -> Answer:
        if answer.status == 304 and self._conditional:
            verdict = Verdict(
                Outcome.NOT_MODIFIED,
                message=f"{shown(self._url)} says that it has not changed",
                evidence=(Evidence("status", "304"),),
            )
            return self._answer(AnswerKind.NOT_MODIFIED, verdict)
        if answer.status in (200, 203):
            return self._answer(AnswerKind.BODY, None)
        charset = charset_of(answer.headers.get("content-type")) or ""
        verdict = status_verdict(
            shown(self._url), answer.status, answer.headers, answer.body, charset
        )
        return self._answer(AnswerKind.REFUSED, verdict)

    def _answer(self, kind: AnswerKind, verdict: Verdict | None) -> Answer:
        last, url = self._last, self._url
        base = Answer(kind, verdict, url, shown(url), hops=tuple(self._hops))
        if last is None:
            return base
        content_type = last.headers.get("content-type", "")
        return Answer(
            kind,
            verdict,
            final_url=url,
            shown_url=shown(url),
            hops=tuple(self._hops),
            status=last.status,
            headers=stored_headers(last.headers.multi_items(), self._secrets()),
            body=last.body if kind is AnswerKind.BODY else b"",
            content_type=content_type,
            declared_charset=(charset_of(content_type) or "").lower(),
            validators=from_headers(last.headers, shown(url)),
            conditional=self._conditional,
            peer=last.peer,
            tls=last.tls,
            server_date=last.headers.get("date", ""),
            retry_after=self._retry_after(last),
            raw_bytes=last.raw_bytes,
        )

    def _secrets(self) -> list[str]:
        request = self._request
        secrets = [value.get_secret_value() for _, value in request.headers]
        if isinstance(request.credentials, BasicAuth):
            secrets.append(request.credentials.password.get_secret_value())
        if isinstance(request.credentials, OAuthClient):
            secrets.append(request.credentials.client_secret.get_secret_value())
        if self._token is not None:
            secrets.append(self._token.get_secret_value())
        return [secret for secret in secrets if len(secret) >= 6]
