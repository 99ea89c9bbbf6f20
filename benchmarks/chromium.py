"""A real Chromium, driven through the DevTools protocol over a pipe; no other package is needed."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next((path for name in NAMES if (path := shutil.which(name))), None)
_FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --hide-scrollbars
--disable-background-networking --disable-component-update --disable-sync --disable-extensions
--remote-debugging-pipe""".split()
_MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
_CODES = {
    "Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
    "ArrowRight": 39, "ArrowDown": 40, "Delete": 46,
}  # fmt: skip


class Chromium:
    """One tab. `with Chromium() as tab: tab.open(path)`.

    Args:
        size: Of the window, in CSS pixels.
        dark: Whether the system is dark.
    """

    def __init__(self, size: tuple[int, int] = (1280, 900), *, dark: bool = False) -> None:
        if BROWSER is None:
            raise RuntimeError("Chromium is not installed")
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.downloads = Path(self._folder.name) / "downloads"
        self.downloads.mkdir()
        their_in, our_out = os.pipe()
        our_in, their_out = os.pipe()
        self._out, self._in = os.fdopen(our_out, "wb"), os.fdopen(our_in, "rb")
        shell = f'exec "$0" "$@" 3<&{their_in} 4>&{their_out}'  # where Chromium looks for the pipes
        profile = f"--user-data-dir={self._folder.name}/profile"
        self._process = subprocess.Popen(
            ["bash", "-c", shell, BROWSER, *_FLAGS, profile, "about:blank"],
            pass_fds=(their_in, their_out),
            stderr=subprocess.DEVNULL,
        )
        os.close(their_in)
        os.close(their_out)
        self._number = 0
        self._session: str | None = None
        self._events: list[dict[str, Any]] = []
        self.errors: list[str] = []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(item["targetId"] for item in targets if item["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
        self.look(size, dark=dark)

    def __enter__(self) -> Chromium:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the browser."""
        self._out.close()  # at the end of the pipe, it ends
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._in.close()
        self._folder.cleanup()

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Calls a method of the protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while (answer := self._next()).get("id") != self._number:
            self._events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, page: Path) -> None:
        """Opens a file and waits until it is loaded."""
        self._load("Page.navigate", url=page.absolute().as_uri())

    def reload(self) -> None:
        """Loads the page again."""
        self._load("Page.reload")

    def js(self, expression: str) -> Any:
        """The value of an expression; a promise is awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def text_of(self, selector: str, seconds: float = 10) -> str | None:
        """The text of an element, as soon as there is one; None if there is none in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            text = self.js(f"document.querySelector({json.dumps(selector)})?.textContent")
            if text is not None:
                return str(text)
            time.sleep(0.02)
        return None

    def settle(self) -> None:
        """Waits until the page is drawn."""
        self.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def press(self, *keys: str) -> None:
        """Presses keys, as `press("Control+z", "a", "Enter")`."""
        for chord in keys:
            *held, key = chord.split("+") if len(chord) > 1 else [chord]
            modifiers = sum(_MODIFIERS[name] for name in held)
            text = "\r" if key == "Enter" else key if len(key) == 1 else ""
            letter = {"text": text} if text and modifiers in (0, 8) else {}
            code = _CODES.get(key, ord(key[0].upper()))
            pressed = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
            down = "keyDown" if letter else "rawKeyDown"
            self.call("Input.dispatchKeyEvent", type=down, **pressed, **letter)
            self.call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def type(self, text: str) -> None:
        """Types text into what has the focus."""
        self.call("Input.insertText", text=text)

    def point(self, x: float, y: float) -> None:
        """Moves the mouse."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x: float, y: float) -> None:
        """Moves the mouse and presses its left button."""
        self.point(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def look(self, size: tuple[int, int], *, dark: bool = False, media: str = "") -> None:
        """Sets the size of the window, light or dark, and `print` for the style of paper."""
        width, height = size
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def screenshot(self, target: Path) -> None:
        """What is in the window, as PNG."""
        target.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def _load(self, method: str, **params: Any) -> None:
        self._events.clear()
        self.call(method, **params)
        while not any(event.get("method") == "Page.loadEventFired" for event in self._events):
            self._events.append(self._next())

    def _next(self) -> dict[str, Any]:
        """The next message. What goes wrong in the page is kept in `errors`."""
        line = bytearray()
        while (byte := self._in.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("Chromium has ended")
            line += byte
        message: dict[str, Any] = json.loads(line)
        params = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif message.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        return message
