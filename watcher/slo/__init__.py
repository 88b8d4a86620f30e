"""Objectives and alerts of the service itself: one source, and everything made from it.

Pure: text comes in, text goes out. `parse_source` reads the declarations of
`config/slo`; `render` gives the files for Prometheus, promtool and Alertmanager,
and the index of the runbooks.
"""

from watcher.slo.model import Source
from watcher.slo.render import all_alerts, render
from watcher.slo.source import parse_source

__all__ = ["Source", "all_alerts", "parse_source", "render"]
