"""Tokens of the organisation's issuer: JWT, signed asymmetrically (RFC 7519, OIDC)."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from datetime import datetime

import jwt

from watcher import logs
from watcher.clock import Clock
from watcher.errors import ConfigError, TemporaryError
from watcher.logs import Event
from watcher.settings.web import OidcSettings
from watcher.web.outbound import get_json
from watcher.web.principals import Principal, Scope
from watcher.web.problems import unknown_caller

_log = logs.get(__name__)

_LEEWAY_SECONDS = 30.0
_KEYS_SECONDS = 3600.0
_AGAIN_SECONDS = 30.0
"""The least time between two fetches, whatever key ids callers make up."""
_FETCH_SECONDS = 5.0
_LONGEST_TOKEN = 8192
_MOST_GROUPS = 1000


class Issuer:
    """Checks tokens against the issuer's keys, which it fetches when it needs them."""

    def __init__(self, settings: OidcSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._asked_at: float | None = None
        if settings.jwks_file is not None:
            self._keys = _read_keys(settings)

    def principal(self, token: str) -> Principal:
        """Return whom `token` names.

        Raises:
            ApiError: `unauthenticated`: it proves nothing.
        """
        try:
            claims = self._claims(token)
        except (jwt.PyJWTError, ValueError, TypeError, KeyError, RecursionError):
            raise unknown_caller() from None
        settings = self._settings
        name = claims.get(settings.subject_claim)
        if not isinstance(name, str) or not name:
            raise unknown_caller()
        given = claims.get(settings.groups_claim, [])
        listed = given if isinstance(given, list) else []
        groups = frozenset(g for g in listed[:_MOST_GROUPS] if isinstance(g, str))
        scopes = {Scope.READ}
        if groups & set(settings.cite_groups):
            scopes.add(Scope.CITE)
        if groups & set(settings.review_groups):
            scopes.add(Scope.REVIEW)
        everything = bool(groups & set(settings.all_groups))
        return Principal(f"oidc:{name[:200]}", frozenset(scopes), groups, everything)

    def _claims(self, token: str) -> Mapping[str, object]:
        """Return the claims of a token whose signature, issuer, audience and times hold."""
        if len(token) > _LONGEST_TOKEN:
            raise ValueError
        header = jwt.get_unverified_header(token)
        # The algorithm must be one of ours and the key's own, so that nobody signs
        # with a public key as if it were a shared secret.
        key = self._key(header.get("kid"))
        if header.get("alg") not in self._settings.algorithms:
            raise ValueError
        claims: dict[str, object] = jwt.decode(
            token,
            key,
            algorithms=[str(header["alg"])],
            audience=self._settings.audience,
            issuer=self._settings.issuer,
            options={
                "require": ["exp", "iss", "aud"],
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
            },
        )
        self._check_times(claims, self._clock.now())
        return claims

    @staticmethod
    def _check_times(claims: Mapping[str, object], now: datetime) -> None:
        """Refuse what has expired or has not begun, by the service's clock."""
        seconds = now.timestamp()
        for name, sign in (("exp", 1), ("nbf", -1), ("iat", -1)):
            value = claims.get(name)
            if value is None and name != "exp":
                continue
            late = _seconds(value) - seconds
            if -sign * late > _LEEWAY_SECONDS:
                raise ValueError(name)

    def _key(self, kid: object) -> jwt.PyJWK:
        """Return the key of that id; without an id the only one.

        Raises:
            KeyError: there is none.
        """
        if kid is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        self._fetch(known=isinstance(kid, str) and kid in self._keys)
        if kid is None and len(self._keys) == 1:
            return next(iter(self._keys.values()))
        return self._keys[str(kid)]

    def _fetch(self, *, known: bool) -> None:
        """Fetch the keys where they are old, or where one is asked for that is not there."""
        if self._settings.jwks_file is not None:
            return
        with self._lock:
            now = self._clock.monotonic()
            age = None if self._asked_at is None else now - self._asked_at
            if age is not None and age < (_KEYS_SECONDS if known else _AGAIN_SECONDS):
                return
            self._asked_at = now
            try:
                self._keys = _keys_of(_fetch_keys(self._settings.issuer))
            except TemporaryError as error:
                _log.error(Event.ISSUER_FAILED, message=error.message)


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return float(value)


def _fetch_keys(issuer: str) -> object:
    found = get_json(f"{issuer.rstrip('/')}/.well-known/openid-configuration", _FETCH_SECONDS)
    if not isinstance(found, dict) or found.get("issuer") != issuer:
        raise TemporaryError("the issuer's description is not its own")
    address = found.get("jwks_uri")
    if not isinstance(address, str) or not address.startswith(("https://", "http://127.0.0.1:")):
        raise TemporaryError("the issuer's keys are not served over https")
    return get_json(address, _FETCH_SECONDS)


def _read_keys(settings: OidcSettings) -> dict[str, jwt.PyJWK]:
    path = settings.jwks_file
    assert path is not None
    try:
        keys = _keys_of(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TemporaryError) as error:
        raise ConfigError(
            f"web.oidc.jwks_file {path} cannot be read ({type(error).__name__})",
            hint="make it a JSON Web Key Set",
        ) from None
    if not keys:
        raise ConfigError(f"web.oidc.jwks_file {path} holds no public key for signatures")
    return keys


def _keys_of(found: object) -> dict[str, jwt.PyJWK]:
    """Return the public signature keys of a key set by their ids; others are left out."""
    keys = found.get("keys") if isinstance(found, dict) else None
    if not isinstance(keys, list):
        raise TemporaryError("that is no key set")
    usable: dict[str, jwt.PyJWK] = {}
    for number, key in enumerate(keys):
        if not isinstance(key, dict) or key.get("kty") == "oct" or key.get("use", "sig") != "sig":
            continue
        try:
            usable[str(key.get("kid", f"#{number}"))] = jwt.PyJWK.from_dict(key)
        except (jwt.PyJWTError, ValueError, TypeError, KeyError):
            continue
    return usable
