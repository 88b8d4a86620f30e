"""The `watcher` command. Each command imports what it needs when it runs."""
