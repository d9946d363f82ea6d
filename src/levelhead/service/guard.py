"""What stands before the handlers of requests: limits of size and time of what clients send, and headers of answers."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from levelhead.service.submissions import Refused

SECONDS_FOR_A_PIECE = 30
"""How long a client may send nothing in the middle of a request."""

SECONDS_FOR_A_HEAD = 30
"""How long a client may take for the head of a request, or go on sending after it was answered."""

FORM_BESIDE_FILE = 1 << 16
"""How many bytes the form of an upload may have beside the archive."""

_SECONDS_FOR_ALL = 1800
_SMALL_BODY = 1 << 16
_UPLOADS = {"/submissions", "/api/v1/submissions"}
_HEADERS = (
    (b"content-security-policy",
     b"default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),  # without any, browsers would not say where our own forms come from
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)  # fmt: skip


_LENGTHS = {b"content-length", b"transfer-encoding"}

_two_lengths = JSONResponse(
    {"error": "give Content-Length or Transfer-Encoding, not both"}, 400, headers={"Connection": "close"}
)
"""A proxy may see another end of such a request than we do: whatever follows on the connection is not answered."""


class _Body:
    """The body of a request: handlers get no more of it than allowed, and do not wait for it for ever."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._left = receive, most
        self._until = asyncio.get_running_loop().time() + _SECONDS_FOR_ALL
        self._ended = False

    async def receive(self) -> Message:
        """Return the next piece; once all are there, wait for the client to go away, as long as that takes."""
        if self._ended:
            return await self._receive()
        try:
            now = asyncio.get_running_loop().time()
            async with asyncio.timeout_at(min(self._until, now + SECONDS_FOR_A_PIECE)):
                message = await self._receive()
        except TimeoutError as error:
            self._ended = True
            raise Refused("this arrives too slowly", 408) from error
        self._ended = message["type"] != "http.request" or not message.get("more_body", False)
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise Refused("this is larger than allowed", 413)
        return message

    async def drain(self) -> None:
        """Read for a while what no handler wanted: a client that still sends would not see the answer."""
        with suppress(TimeoutError, Refused):
            async with asyncio.timeout(SECONDS_FOR_A_PIECE):
                while not self._ended:
                    await self.receive()
        self._ended = True


class Guard:
    """Limits what clients send, and says to browsers what pages may do.

    Args:
        app: what answers requests.
        most: how many bytes of a submission are read.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app, self.most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = _Body(receive, self.most if scope["path"] in _UPLOADS else _SMALL_BODY)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                await body.drain()
                headers = message.get("headers", ())
                given = {name for name, _ in headers}
                message["headers"] = [*headers, *(one for one in _HEADERS if one[0] not in given)]
            await send(message)

        app = _two_lengths if {name for name, _ in scope["headers"]} >= _LENGTHS else self.app
        try:
            await app(scope, body.receive, answer)
        except ClientDisconnect:
            return  # nobody is left to answer; nothing of the upload is kept


class Protocol(H11Protocol):
    """HTTP that closes connections on which data trickle but no request is being answered."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._look = self.loop.call_later(SECONDS_FOR_A_HEAD, self._close_if_idle)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._look.cancel()
        super().connection_lost(exc)

    def _close_if_idle(self) -> None:
        answering = self.cycle is not None and not self.cycle.response_complete
        left = SECONDS_FOR_A_HEAD if answering else self._idle_since + SECONDS_FOR_A_HEAD - self.loop.time()
        if left <= 0:
            self.transport.close()
        else:
            self._look = self.loop.call_later(left, self._close_if_idle)
