"""What went wrong on the wire, in words: every client exception to a verdict."""

from __future__ import annotations

import ssl

import httpx

from watcher.domain.verdicts import Refusal, Verdict
from watcher.fetch.guard import UnresolvedError
from watcher.fetch.model import refused

_LASTING = "nothing to do unless it lasts; then look at the site from this machine"


def unreached(error: Exception) -> bool:
    """Tell whether the host as a whole could not be reached, whatever was asked."""
    return isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError)


def may_retry(error: Exception) -> bool:
    """Tell whether asking once more within the check is worth it.

    Only before any answer: no connection, or one that the server had already
    closed. A certificate does not get better in a second.
    """
    if _certificate_error(error) is not None:
        return False
    return isinstance(error, httpx.ConnectError | httpx.ReadError | httpx.RemoteProtocolError)


def explain(error: Exception, url: str, *, answered: bool) -> Verdict:
    """Return the verdict for `error` while `url` (shown form) was asked.

    `answered` tells whether the headers had come: then a broken stream is a
    truncated body, and no "network error" that might have brought nothing.
    """
    kind = type(error).__name__
    certificate = _certificate_error(error)
    if certificate is not None:
        return refused(
            Refusal.NETWORK_ERROR,
            f"{url}: its certificate is not trusted ({certificate})",
            "name the authority's certificate as the document's ca_file if it is private",
            ("error", kind),
            ("certificate", certificate),
        )
    if isinstance(error, UnresolvedError):
        return refused(
            Refusal.NETWORK_ERROR,
            f"{url}: {_text(error)}",
            "check the host's name and this machine's resolver",
            ("error", kind),
        )
    if isinstance(error, httpx.TimeoutException | TimeoutError):
        return refused(
            Refusal.TIMEOUT,
            f"{url}: {_TIMEOUTS.get(kind, 'the answer took too long')}",
            "raise the document's timeouts if the site is always this slow",
            ("error", kind),
            ("answered", answered),
        )
    if answered:
        return refused(
            Refusal.TRUNCATED,
            f"{url}: the body broke off before its end ({_text(error)})",
            _LASTING,
            ("error", kind),
        )
    if isinstance(error, httpx.LocalProtocolError):
        # Its text quotes the header, and the header may be a secret.
        return refused(
            Refusal.NETWORK_ERROR,
            f"{url}: the request cannot be written as HTTP",
            "look for line breaks or non-ASCII characters in the document's headers",
            ("error", kind),
        )
    return refused(
        Refusal.NETWORK_ERROR,
        f"{url}: {_NETWORK.get(kind, 'no usable answer')} ({_text(error)})",
        _LASTING,
        ("error", kind),
    )


_TIMEOUTS = {
    "ConnectTimeout": "no connection in time",
    "ReadTimeout": "the server went silent",
    "WriteTimeout": "the server does not take the request",
    "PoolTimeout": "no free connection to the host in time",
    "TimeoutError": "the check took longer than its deadline",
}
_NETWORK = {
    "ConnectError": "no connection",
    "ReadError": "the connection broke before an answer",
    "RemoteProtocolError": "the server does not speak HTTP properly",
    "ProxyError": "the proxy does not let us through",
}


def _text(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200]


def _certificate_error(error: BaseException) -> str | None:
    """Return what TLS says of a certificate that it does not trust."""
    seen: BaseException | None = error
    for _ in range(8):
        if seen is None:
            return None
        if isinstance(seen, ssl.SSLCertVerificationError):
            return seen.verify_message or "verification failed"
        seen = seen.__cause__ or seen.__context__
    return None
