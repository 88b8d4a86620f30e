"""A small client of the HTTP API: it checks every hash itself, waits as it is told, spools.

with Client("http://127.0.0.1:9465", token="wt_...") as client:
passage = client.resolve("c1...")        # proven here, not believed
client.emit(Use("retention-policy", "answer-7", quote="365 days"), spool=folder)
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from watcher.alert.delivery import parse_retry_after
from watcher.domain.ids import citation_id as compute_citation_id
from watcher.errors import TemporaryError, WatcherError

_RETRIED = {408, 425, 429, 500, 502, 503, 504}
_FIRST_DELAY = 0.2
_LONGEST_DELAY = 30.0
_BATCH = 500


class ApiRefusalError(WatcherError):
    """The service answered with a problem; `problem` is its code."""

    code = "api"

    def __init__(self, status: int, members: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = str(members.get("code", ""))
        words = members.get("detail") or members.get("title") or "refused"
        super().__init__(f"{status} {self.problem}: {words}", hint=str(members.get("hint", "")))


class ProofError(WatcherError):
    """What the service sent does not have the hashes that it names: use none of it."""

    code = "proof"


@dataclass(frozen=True, slots=True)
class Use:
    """That an answer cites a passage, by quote or by ranges (start, end in `unit`)."""

    document_id: str
    answer_id: str
    ordinal: int = 0
    version: str = ""
    quote: str = ""
    ranges: tuple[tuple[int, int], ...] = ()
    unit: str = "utf-8-bytes"
    caller: str = ""
    answer_sha256: str = ""
    application: str = ""
    model: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Passage:
    """A citation that was proven here: its exact text, a string for each segment."""

    citation_id: str
    document_id: str
    version: str
    standing: str
    passages: tuple[str, ...]


class Client:
    """Asks one service. `deadline` is the most seconds for one call, all attempts together."""

    def __init__(
        self,
        base: str,
        *,
        token: str = "",
        deadline: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(
            base_url=f"{base.rstrip('/')}/api/v1/",
            headers=headers,
            timeout=deadline,
            trust_env=False,
        )
        self._deadline = deadline
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def text(self, document_id: str, version: str) -> bytes:
        """Return the canonical text of a version.

        Raises:
            ProofError: its SHA-256 is not the version.
        """
        data = self._ask("GET", f"documents/{document_id}/versions/{version}/text").content
        if "sha256:" + hashlib.sha256(data).hexdigest() != version:
            raise ProofError(f"the text of {version} has another hash", document_id=document_id)
        return data

    def resolve(self, citation_id: str) -> Passage:
        """Return the exact passages of a citation.

        Raises:
            ProofError: a passage has not the hash of its anchor, or the anchors
                are not those that the citation's id was made of.
            ApiRefusalError: it does not resolve; `problem` says why.
            TemporaryError: no answer within the deadline.
        """
        found = self._ask("GET", f"citations/{citation_id}").json()
        return _proven(found, citation_id)

    def emit(self, use: Use, *, spool: Path | None = None) -> str | None:
        """Record a use; return the citation's id. A retry doubles nothing.

        With a `spool` folder a use that cannot be sent now is kept there, durably,
        and None is returned: `flush` sends it later.
        """
        try:
            return str(self._ask("POST", "citations", asdict(use)).json()["citation_id"])
        except TemporaryError:
            if spool is None:
                raise
            _keep(spool, use)
            return None

    def flush(self, spool: Path) -> tuple[int, list[str]]:
        """Send what was spooled, oldest first; return how many were taken, and the refusals.

        A use that was sent or refused leaves the folder; one that could not be sent stays.
        """
        taken, refused = 0, []
        files = sorted(spool.glob("*.json"))
        for begin in range(0, len(files), _BATCH):
            batch = files[begin : begin + _BATCH]
            items = [json.loads(path.read_text(encoding="utf-8")) for path in batch]
            answer = self._ask("POST", "citations/batch", {"items": items}).json()
            for path, item in zip(batch, answer["items"], strict=True):
                if item["status"] in _RETRIED:
                    continue
                if "problem" in item:
                    refused.append(f"{path.stem}: {item['problem']['code']}")
                else:
                    taken += 1
                path.unlink()
        return taken, refused

    def _ask(self, method: str, path: str, body: object = None) -> httpx.Response:
        """Return the answer, tried again until the deadline where that may help."""
        ends, delay = time.monotonic() + self._deadline, _FIRST_DELAY
        while True:
            wish: float | None = None
            try:
                left = max(0.1, ends - time.monotonic())
                answer = self._http.request(method, path, json=body, timeout=left)
            except httpx.TransportError as error:
                reason = type(error).__name__
            else:
                if answer.is_success:
                    return answer
                if answer.status_code not in _RETRIED:
                    raise _refusal(answer)
                reason = str(answer.status_code)
                wish = parse_retry_after(answer.headers.get("retry-after"), datetime.now(UTC))
                if answer.status_code == httpx.codes.INTERNAL_SERVER_ERROR:
                    raise _refusal(answer)
            # Full jitter, never before the service's wish, never beyond the cap.
            wait = random.uniform(0, delay) if wish is None else wish + random.uniform(0, delay)  # noqa: S311
            wait = min(wait, _LONGEST_DELAY)
            if time.monotonic() + wait >= ends:
                raise TemporaryError(f"no answer ({reason})", hint="try again later")
            self._sleep(wait)
            delay = min(delay * 2, _LONGEST_DELAY)


def _refusal(answer: httpx.Response) -> ApiRefusalError:
    try:
        members = answer.json()
    except ValueError:
        members = {}
    return ApiRefusalError(answer.status_code, members if isinstance(members, dict) else {})


def _proven(found: Mapping[str, Any], citation_id: str) -> Passage:
    anchors, passages = found["anchors"], found["passages"]
    document, version = found["document_id"], found["version"]
    ranges = [(anchor["start"], anchor["end"]) for anchor in anchors]
    if compute_citation_id(document, version, ranges) != citation_id:
        raise ProofError(f"the answer is not about {citation_id}", document_id=document)
    for anchor, passage in zip(anchors, passages, strict=True):
        data = passage.encode()
        same_place = (anchor["document_id"], anchor["version"]) == (document, version)
        fits = len(data) == anchor["end"] - anchor["start"]
        if not (same_place and fits and hashlib.sha256(data).hexdigest() == anchor["sha256"]):
            raise ProofError(f"a passage of {citation_id} has another hash", document_id=document)
    return Passage(citation_id, document, version, found["standing"], tuple(passages))


def _keep(spool: Path, use: Use) -> None:
    """Write a use durably: a file of its own, renamed into place, its folder synced."""
    spool.mkdir(parents=True, exist_ok=True)
    name = f"{time.time_ns():020d}-{uuid.uuid4().hex[:8]}"
    unfinished = spool / f".{name}"
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump(asdict(use), file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(spool / f"{name}.json")
    folder = os.open(spool, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
