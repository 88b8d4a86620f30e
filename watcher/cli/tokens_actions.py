"""What the token commands do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from watcher.cli.opening import actor, opened
from watcher.cli.output import Row, show_json, show_lines, show_rows, when
from watcher.errors import UsageError
from watcher.settings.durations import parse_duration
from watcher.settings.web import GROUP
from watcher.store import NewApiToken, OperatorAct
from watcher.web.principals import Scope, hash_of, new_secret

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")


def add(
    config: Path,
    name: str,
    scopes: Sequence[str],
    groups: Sequence[str],
    *,
    all_documents: bool,
    expires: str,
    as_json: bool,
) -> None:
    """Store the hash of a new token, and print the token."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name[:60]!r} is not a name for a token",
            hint="use 1 to 100 of A-Z a-z 0-9 . _ @ - beginning with a letter or a digit",
        )
    for group in groups:
        if not GROUP.fullmatch(group):
            raise UsageError(f"{group[:60]!r} is not a group", hint="leave out white space")
    wanted = {Scope.READ, *map(_scope, scopes)}
    secret = new_secret()
    with opened(config, write=True) as services:
        now = services.clock.now()
        token = NewApiToken(
            name,
            hash_of(secret),
            tuple(scope.value for scope in Scope if scope in wanted),
            tuple(dict.fromkeys(groups)),
            all_documents,
            now,
            actor(),
            now + _lifetime(expires),
        )
        services.store.tokens.add(token)
        services.store.acts.record(OperatorAct(now, actor(), "add token", name))
    if as_json:
        show_json({"name": name, "token": secret, "expires_at": when(token.expires_at)})
        return
    show_lines([secret, f"counts until {when(token.expires_at)}; it is not shown again"])


def list_tokens(config: Path, *, as_json: bool) -> None:
    """Print what is kept of every token."""
    with opened(config) as services:
        now = services.clock.now()
        rows: list[Row] = [
            {
                "name": token.name,
                "scopes": list(token.scopes),
                "documents": "every" if token.everything else list(token.groups) or "open",
                "created_by": token.created_by,
                "expires_at": when(token.expires_at),
                "state": "revoked"
                if token.revoked_at
                else "expired"
                if token.expires_at <= now
                else "counts",
            }
            for token in services.store.tokens.list()
        ]
        show_rows(
            rows, as_json=as_json, columns=["name", "scopes", "documents", "expires_at", "state"]
        )


def revoke(config: Path, name: str) -> None:
    """Record that a token counts no more, and who said so."""
    with opened(config, write=True) as services:
        now = services.clock.now()
        services.store.tokens.revoke(name, at=now, actor=actor())
        services.store.acts.record(OperatorAct(now, actor(), "revoke token", name))
        show_lines([f"revoked {name}"])


def _scope(word: str) -> Scope:
    try:
        return Scope(word)
    except ValueError:
        known = ", ".join(Scope)
        raise UsageError(f"{word[:60]!r} is not a scope", hint=f"one of {known}") from None


def _lifetime(expires: str) -> timedelta:
    try:
        found = parse_duration(expires)
    except ValueError as error:
        raise UsageError(str(error), hint="for example --expires 90d") from None
    if not isinstance(found, timedelta) or not found:
        raise UsageError("a token counts for some time", hint="for example --expires 90d")
    return found
