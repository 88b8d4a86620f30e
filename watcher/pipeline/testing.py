"""A test message through a channel's real sender."""

from __future__ import annotations

import secrets
from datetime import datetime

from watcher.alert.delivery import Delivery, DeliveryResult, Follower, FollowUp, Sender, Step
from watcher.alert.notice import Notice, NoticeKind
from watcher.domain.changes import Severity
from watcher.domain.ids import DocumentId


async def send_test(
    sender: Sender, channel: str, actor: str, at: datetime
) -> tuple[Delivery, Delivery | None]:
    """Send a message that says what it is; return the answers, to it and to its end.

    Where the receiver keeps a state for each alert, the test is resolved at once.
    """
    key = f"wt1-{secrets.token_hex(20)}"
    message = Notice(
        event_id=key,
        kind=NoticeKind.TEST,
        document_id=DocumentId("watcher-test"),
        title="",
        owner="",
        severity=Severity.INFO,
        reason="test",
        message=f"{actor} tries the channel {channel}; nothing has happened to any document",
        hint="",
        observed_at=at.isoformat(),
        link="watcher alerts list",
    )
    delivery = await sender.send(message, key)
    if delivery.result is not DeliveryResult.DELIVERED or not isinstance(sender, Follower):
        return delivery, None
    return delivery, await sender.follow(FollowUp(Step.RESOLVED, key, actor, message))
