"""Links, struck text and images that change beside an equal text."""

from __future__ import annotations

import pytest

from watcher.classify import Annotations, classify_annotation
from watcher.domain.changes import ChangeClass, Tier
from watcher.domain.ranges import Range

TEXT = b"See the DPA and write to desk@harbor.example."
DPA = Range(8, 11)
DESK = Range(25, 44)


def _links(target: str, place: Range = DPA) -> Annotations:
    return Annotations(links=((place, target),))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_links("/dpa-2025.pdf"), _links("/dpa-2026.pdf")),
        (_links("/v1/dpa.pdf"), _links("/v2/dpa.pdf")),
        (_links("mailto:a@harbor.example"), _links("mailto:b@harbor.example")),
        (Annotations(), Annotations(struck=(DPA,))),
        (Annotations(struck=(DPA,)), Annotations()),
    ],
)
def test_what_is_incorporated_addressed_or_struck_bears_policy(
    old: Annotations, new: Annotations
) -> None:
    judged = classify_annotation(TEXT, old, new)
    assert judged.change_class is ChangeClass.POLICY_BEARING
    assert judged.tier is Tier.PAGE
    assert judged.headline
    assert len(judged.headline) <= 140
    assert judged.atoms[0].old == DPA


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (_links("/blog?utm_source=a"), _links("/blog?utm_source=b")),
        (_links("/blog"), _links("/news")),
        (_links("/blog"), Annotations()),
        (_links("mailto:desk@harbor.example", DESK), Annotations()),
        (Annotations(), Annotations()),
    ],
)
def test_noise_in_targets_is_silent(old: Annotations, new: Annotations) -> None:
    assert classify_annotation(TEXT, old, new).tier is Tier.SILENT


def test_a_replaced_image_waits_for_a_person() -> None:
    old = Annotations(images=((Range(0, 0), "aa"),))
    new = Annotations(images=((Range(0, 0), "bb"),))
    assert classify_annotation(TEXT, old, new).tier is Tier.TICKET


def test_a_broken_annotation_fails_closed() -> None:
    broken = Annotations(links=((DPA, 5),))  # type: ignore[arg-type]
    judged = classify_annotation(TEXT, broken, Annotations())
    assert judged.tier is Tier.TICKET
    assert judged.atoms[0].rule == "unproven"
