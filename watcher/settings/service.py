"""The service's own settings."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from watcher.alert.channels import Channel
from watcher.settings.dates import DateSettings
from watcher.settings.documents import DocumentEntry, ProxyUrl
from watcher.settings.durations import Duration
from watcher.settings.review import ReviewSettings
from watcher.settings.rules import RuleSettings
from watcher.settings.secrets import SecretReference
from watcher.settings.slo import CanarySettings, SloSettings
from watcher.settings.web import WebSettings


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ListenSettings(_Table):
    """Where metrics and health are served."""

    host: Literal["127.0.0.1", "::1"] = "127.0.0.1"
    """Loopback only: put a proxy in front to serve others."""
    port: int = Field(default=9464, ge=0, le=65535)
    """0 takes any free port and says which."""


class FetchPoliteness(_Table):
    """How sources are treated."""

    contact: str = Field(default="", max_length=200)
    """Who operates this watcher (URL or e-mail): part of the User-Agent."""
    concurrency: int = Field(default=32, ge=1, le=300)
    """Fetches under way at once."""
    per_host: int = Field(default=2, ge=1, le=20)
    """Fetches under way at once for one host."""
    spacing: Duration = timedelta(seconds=1)
    """The least time between two requests to one host."""
    timeout: Duration = timedelta(seconds=60)
    """The most one check may take, redirects included."""
    max_bytes: int = Field(default=64 * 1024 * 1024, ge=1024)
    """The largest body, after decoding."""
    proxy: ProxyUrl | None = None
    """An http or https proxy for every document that names none of its own."""
    proxy_secret: SecretReference | None = None
    """`user:password` for that proxy."""


class CheckSettings(_Table):
    """How checks are run."""

    tick: Duration = Field(default=timedelta(seconds=1), ge=timedelta(milliseconds=10))
    """How often due documents are looked for."""
    confirm: bool = True
    """Whether an alert waits for one confirming fetch."""
    confirm_after: Duration = timedelta(minutes=2)
    """When the confirming fetch is made."""
    confirm_deadline: Duration = timedelta(minutes=30)
    """When an unconfirmed alert is sent, marked so."""
    full_every: int = Field(default=24, ge=1)
    """Every so many checks the document is fetched without validators."""
    backoff_ceiling: Duration = timedelta(hours=6)
    """The longest wait after failures in a row."""
    held_fetches: int = Field(default=3, ge=2)
    """So many agreeing fetches end a hold..."""
    held_for: Duration = timedelta(hours=6)
    """...if they span at least this time."""
    refusal_alert_after: int = Field(default=3, ge=1)
    """So many refusals in a row are told, once."""


class CitationSettings(_Table):
    """How long emitted citations live."""

    expire_after: Duration = timedelta(days=400)


class LinkSettings(_Table):
    """What the links in alerts open."""

    base: str = Field(default="", pattern=r"^(https?://[^\s?#]+)?$")
    """Address of the viewer; empty: an alert names the command to run instead."""


class LogSettings(_Table):
    """What is logged."""

    level: Literal["debug", "info", "warning", "error"] = "info"


class Settings(BaseSettings):
    """Everything that can be set, frozen once loaded."""

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", env_prefix="WATCHER_", env_nested_delimiter="__"
    )

    data_dir: Path = Path("var")
    """SQLite database and blobs; relative to the working directory."""
    documents_dir: Path = Path("documents")
    """Folder of document entries; relative to the service file."""
    listen: ListenSettings = ListenSettings()
    fetch: FetchPoliteness = FetchPoliteness()
    check: CheckSettings = CheckSettings()
    citations: CitationSettings = CitationSettings()
    log: LogSettings = LogSettings()
    channels: tuple[Channel, ...] = ()
    links: LinkSettings = LinkSettings()
    rules: RuleSettings = RuleSettings()
    review: ReviewSettings = ReviewSettings()
    dates: DateSettings = DateSettings()
    web: WebSettings = WebSettings()
    slo: SloSettings = SloSettings()
    canary: CanarySettings = CanarySettings()
    documents: tuple[DocumentEntry, ...] = ()
    """Filled from `documents_dir`; not written in the service file."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment outrank the file, and nothing else take part."""
        del settings_cls, dotenv_settings, file_secret_settings
        return env_settings, init_settings
