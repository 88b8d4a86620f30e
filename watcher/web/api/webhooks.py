"""What receivers of alerts tell back; a signature says who they are, not a token."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from watcher.alert.pagerduty_webhook import SIGNATURE_HEADER, WebhookRefusedError
from watcher.pipeline.answering import take_pagerduty
from watcher.settings.secrets import read_secret
from watcher.web.deps import state_of

router = APIRouter(tags=["alerts"])


class TakenOut(BaseModel):
    """What came of it, in one line."""

    outcome: str


@router.post("/webhooks/pagerduty", operation_id="takePagerDuty")
async def take(request: Request) -> TakenOut:
    """Take what PagerDuty tells of an incident: it was acknowledged or resolved."""
    body = await request.body()
    return TakenOut(outcome=await run_in_threadpool(_take, request, body))


def _take(request: Request, body: bytes) -> str:
    state = state_of(request)
    signature = request.headers.get(SIGNATURE_HEADER, "")
    try:
        return take_pagerduty(state.services(), body, signature, _secret)
    except WebhookRefusedError:
        state.access.failed(request.client.host if request.client else "")
        raise


def _secret(reference: str) -> str:
    return read_secret(reference).reveal()
