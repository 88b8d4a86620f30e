"""The one place for settings: the service file, the watched documents, secrets.

`load(path)` reads `watcher.toml` and every file of its documents folder,
overlays environment variables (`WATCHER_CHECK__CONCURRENCY=4`) and returns one
frozen `Settings`. Unknown keys are errors; a mistake is reported with file,
line, key and the fix. Secrets are only ever references here; they are read
when they are used.
"""

from watcher.settings.documents import Credentials, DocumentEntry
from watcher.settings.load import load, load_documents
from watcher.settings.secrets import Secret, SecretReference
from watcher.settings.service import (
    CheckSettings,
    CitationSettings,
    FetchPoliteness,
    ListenSettings,
    Settings,
)
from watcher.settings.web import WebSettings

__all__ = [
    "CheckSettings",
    "CitationSettings",
    "Credentials",
    "DocumentEntry",
    "FetchPoliteness",
    "ListenSettings",
    "Secret",
    "SecretReference",
    "Settings",
    "WebSettings",
    "load",
    "load_documents",
]
