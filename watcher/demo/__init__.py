"""`watcher demo`: real policy histories, replayed through the real daemon.

A loopback site serves the versions in `histories/` one after the other. The
daemon, started as its own process, watches it in compressed time. What is
printed is read from the daemon's database, nothing else.
"""
