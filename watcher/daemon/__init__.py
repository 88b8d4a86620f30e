"""The long-running process: housekeeping jobs, supervision, health, signals.

`serve` runs one `DaemonApp` until it is told to stop. What the jobs do is the
pipeline's; this room decides when they run, for how long they may, and tells
when something is wrong.
"""
