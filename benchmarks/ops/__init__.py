"""What operating costs: a scrape, an audit, a log line, the supervisor at rest."""
