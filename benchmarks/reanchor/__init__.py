"""Accuracy and speed of re-anchoring."""
