"""The steps from schema to schema, and how they are run."""
