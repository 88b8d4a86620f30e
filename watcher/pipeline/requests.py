"""From a document's entry to what fetch and extract are asked."""

from __future__ import annotations

from pydantic import SecretStr

from watcher.extract import Options
from watcher.fetch import BasicAuth, FetchSettings, Limits, Request, Validators
from watcher.settings import DocumentEntry, Settings
from watcher.settings.secrets import read_secret
from watcher.store.rows import Document


def fetch_settings(settings: Settings, version: str) -> FetchSettings:
    """Return what holds for every fetch of this process."""
    fetch = settings.fetch
    return FetchSettings(
        contact=fetch.contact or "no contact configured",
        version=version,
        concurrency=fetch.concurrency,
        per_host=fetch.per_host,
        spacing=fetch.spacing.total_seconds(),
    )


def fetch_request(
    settings: Settings, entry: DocumentEntry, document: Document, *, full: bool
) -> Request:
    """Return the request of one check; `full` leaves the validators out.

    Raises:
        ConfigError: a secret that the entry refers to cannot be read.
    """
    stored = document.validators
    validators = Validators(stored.final_url, stored.etag, stored.last_modified) if stored else None
    headers = [(name, SecretStr(value)) for name, value in entry.headers.items()]
    basic = None
    if entry.credentials is not None:
        secret = SecretStr(read_secret(entry.credentials.secret).reveal())
        if entry.credentials.kind == "basic":
            basic = BasicAuth(entry.credentials.user, secret)
        else:
            headers.append((entry.credentials.header, secret))
    return Request(
        document_id=entry.document_id,
        url=str(entry.url),
        validators=validators,
        headers=tuple(headers),
        credentials=basic,
        allowed_networks=entry.allowed_networks,
        ca_file=entry.ca_file,
        proxy=SecretStr(str(entry.proxy)) if entry.proxy else None,
        limits=Limits(
            total=settings.fetch.timeout.total_seconds(),
            raw_bytes=settings.fetch.max_bytes,
            decoded_bytes=settings.fetch.max_bytes,
        ),
        robots_override=entry.ignore_robots,
        full=full,
    )


def extract_options(entry: DocumentEntry | None, pinned_engine: str | None) -> Options:
    """Return how to read a document: the engine of its pinned rendition, if there is one."""
    engine = "pypdf" if entry is None else entry.pdf_engine
    if pinned_engine in ("pypdf", "pdfium"):
        engine = "pdfium" if pinned_engine == "pdfium" else "pypdf"
    return Options(
        pdf_engine=engine,
        select=entry.select if entry else (),
        remove=entry.remove if entry else (),
    )
