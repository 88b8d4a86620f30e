"""Policy-bearing or not: a change is, unless a named rule proves every atom harmless."""

from watcher.classify.annotation import Annotations, classify_annotation
from watcher.classify.beside import classify_whole
from watcher.classify.classifier import classify, classify_passage
from watcher.classify.context import (
    Context,
    Heading,
    IgnorePattern,
    Thresholds,
    UserRules,
)
from watcher.classify.effective import EffectiveDate, effective_dates
from watcher.classify.score import score_of
from watcher.classify.user import check_user_rules

__all__ = [
    "Annotations",
    "Context",
    "EffectiveDate",
    "Heading",
    "IgnorePattern",
    "Thresholds",
    "UserRules",
    "check_user_rules",
    "classify",
    "classify_annotation",
    "classify_passage",
    "classify_whole",
    "effective_dates",
    "score_of",
]
