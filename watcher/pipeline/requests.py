"""From a document's entry to what fetch and extract are asked."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

from pydantic import SecretStr

from watcher.extract import Options
from watcher.fetch import (
    BasicAuth,
    Credentials,
    FetchSettings,
    Limits,
    OAuthClient,
    Request,
    Validators,
)
from watcher.fetch.urls import origin, parse
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
    rendered = entry.render == "browser"
    # What a script makes of a page has no validators: the page alone may be unchanged.
    stored = None if rendered else document.validators
    validators = Validators(stored.final_url, stored.etag, stored.last_modified) if stored else None
    headers, credentials = _secrets(entry)
    return Request(
        document_id=entry.document_id,
        url=str(entry.url),
        validators=validators,
        headers=headers,
        credentials=credentials,
        allowed_networks=entry.allowed_networks,
        ca_file=entry.ca_file,
        proxy=_proxy(settings, entry),
        limits=Limits(
            total=settings.fetch.timeout.total_seconds(),
            raw_bytes=settings.fetch.max_bytes,
            decoded_bytes=settings.fetch.max_bytes,
        ),
        robots_override=entry.ignore_robots,
        full=full,
        render=rendered,
    )


def request_at(url: str, request: Request) -> Request:
    """Return `request` for another address; its secrets stay with the origin they are for."""
    if origin(parse(url)) == origin(parse(request.url)):
        return replace(request, url=url)
    return replace(request, url=url, headers=(), credentials=None)


def _secrets(
    entry: DocumentEntry,
) -> tuple[tuple[tuple[str, SecretStr], ...], Credentials | None]:
    """Return the headers of an entry, and its credentials where they are not one of these."""
    headers = tuple((name, SecretStr(value)) for name, value in entry.headers.items())
    given = entry.credentials
    if given is None:
        return headers, None
    secret = SecretStr(read_secret(given.secret, f"document {entry.document_id}").reveal())
    if given.kind == "basic":
        return headers, BasicAuth(given.user, secret)
    if given.kind == "oauth":
        return headers, OAuthClient(str(given.token_url), given.client_id, secret, given.scope)
    return (*headers, (given.header, secret)), None


def _proxy(settings: Settings, entry: DocumentEntry) -> SecretStr | None:
    """Return the proxy's URL with its user and password: the entry's, else the service's."""
    source = entry if entry.proxy else settings.fetch
    if source.proxy is None:
        return None
    url = str(source.proxy)
    if source.proxy_secret is None:
        return SecretStr(url)
    user, _, password = read_secret(source.proxy_secret).reveal().partition(":")
    scheme, _, rest = url.partition("://")
    return SecretStr(f"{scheme}://{quote(user, '')}:{quote(password, '')}@{rest}")


def extract_options(entry: DocumentEntry | None, pinned_engine: str | None) -> Options:
    """Return how to read a document: the engine of its pinned rendition, if there is one."""
    engine = "pypdf" if entry is None else entry.pdf_engine
    if pinned_engine in ("pypdf", "pdfium"):
        engine = "pdfium" if pinned_engine == "pdfium" else "pypdf"
    return Options(
        pdf_engine=engine,
        select=entry.select if entry else (),
        remove=entry.remove if entry else (),
        ocr=entry.ocr if entry else (),
    )
