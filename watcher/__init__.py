"""watcher: keeps every version of a policy document and every citation of it exact."""

__version__ = "0.1.0"
