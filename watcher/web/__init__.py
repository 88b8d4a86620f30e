"""The HTTP API and the viewer.

    app = create_app(lambda: services)      # services of now: a reload replaces them
    with WebServer(app, settings.web) as server:
        server.address                      # host:port as bound

Handlers are plain functions, run in threads; what they ask for stands in their
arguments (`watcher.web.deps`): `DocumentDep` is a document that the caller may
see, decided before the handler runs. An error of ours that they raise is
answered as a problem (`watcher.web.problems`).
"""

from watcher.web.app import create_app
from watcher.web.server import WebServer

__all__ = ["WebServer", "create_app"]
