"""One map between two canonical texts, made once and used by all."""
