"""How the figures of the extract room are measured."""
