"""Which settings are in force: their digests, and the record of when they changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from watcher.pipeline.ruling import patterns
from watcher.pipeline.services import Services
from watcher.settings import Settings
from watcher.store.rows import DocumentState, OperatorAct

_NAMED = 20
_PARTS = {"documents": "documents", "channels": "channels", "rules": "rules"}
_last: tuple[Settings, Mapping[str, str]] | None = None


def digests(settings: Settings) -> Mapping[str, str]:
    """Return the SHA-256 of the whole settings (`all`) and of the parts that can hide something.

    Secrets are references in the settings, so none is in a digest. `service` is
    everything that is no other part.
    """
    global _last  # noqa: PLW0603 - making them for 10,000 documents takes a second
    if _last is not None and _last[0] is settings:
        return _last[1]
    whole = settings.model_dump(mode="json")
    parts = {part: whole.pop(name) for part, name in _PARTS.items()}
    parts["ignore"] = [[name, rule.model_dump(mode="json")] for name, rule in patterns(settings)]
    found = {part: _digest(value) for part, value in parts.items()} | {"service": _digest(whole)}
    found["all"] = _digest(found)
    _last = (settings, found)
    return found


def record_configuration(services: Services, actor: str) -> tuple[str, ...]:
    """Put every part that differs from the last recorded one on record; return those.

    To be called before the documents are synchronised, while it can be said
    which are new and which are gone.
    """
    acts, changed = services.store.acts, []
    for part, digest in digests(services.settings).items():
        if part == "all":
            continue
        before = acts.newest("config", part)
        if before is not None and before.after == digest:
            continue
        acts.record(
            OperatorAct(
                at=services.clock.now(),
                actor=actor,
                act="config",
                subject=part,
                reason=_said(services, part),
                before=before.after if before is not None else "",
                after=digest,
            )
        )
        changed.append(part)
    return tuple(changed)


def _said(services: Services, part: str) -> str:
    if part == "documents":
        return _documents_changed(services)
    if part == "ignore":
        names = sorted({rule.name for _, rule in patterns(services.settings)})
        return f"patterns: {', '.join(names[:_NAMED])}" if names else "no pattern"
    return ""


def _documents_changed(services: Services) -> str:
    known = {
        document.document_id
        for document in services.store.documents.list()
        if document.state is DocumentState.ACTIVE
    }
    now = set(services.entries)
    told = [("added", sorted(now - known)), ("removed", sorted(known - now))]
    return "; ".join(
        f"{word} {len(names)}: {', '.join(names[:_NAMED])}" for word, names in told if names
    )


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
