"""What the application keeps for its handlers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from watcher.pipeline.services import Services
from watcher.web.access import Access


@dataclass(frozen=True, slots=True)
class WebState:
    """Handed to handlers through `watcher.web.deps`."""

    services: Callable[[], Services]
    access: Access
