"""What one whole check costs: fetch, read, judge, store, align, classify, re-anchor."""
