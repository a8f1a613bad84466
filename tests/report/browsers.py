"""Headless Chromium and Firefox, driven by what each brings: the DevTools protocol through a pipe, Marionette through a socket. A page is
opened, looked at by scripts, pointed at, clicked and typed into, as a person would; what it complains of and asks for is kept."""
import base64
import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import signal
import socket
import socketserver
import subprocess
import threading
import time

PATIENCE_S = 180  # on a machine that is slow and full; a browser that is well answers in milliseconds
KEYS = {"Enter": ("\ue007", 13, "\r"), "Tab": ("\ue004", 9, ""), "Escape": ("\ue00c", 27, ""), " ": (" ", 32, " "),
        "ArrowLeft": ("\ue012", 37, ""), "ArrowUp": ("\ue013", 38, ""), "ArrowRight": ("\ue014", 39, ""), "ArrowDown": ("\ue015", 40, ""),
        "Home": ("\ue011", 36, ""), "End": ("\ue010", 35, ""), "Backspace": ("\ue003", 8, "")}


class Proxy:
    """Whatever a browser asks of the network, it asks here; nobody answers, and it is written down."""

    def __init__(self):
        asked = self.asked = []

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                asked.append(self.rfile.readline().decode("latin-1").strip())

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Browser:
    """What both can do. Coordinates are those of the window, in CSS pixels."""

    name = ""

    def __init__(self, program, folder):
        self.folder = pathlib.Path(folder) / self.name
        self.folder.mkdir()
        self.proxy = Proxy()
        self.process = None
        try:
            self.start(program)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.proxy.close()

    def launch(self, arguments, **options):
        environment = dict(os.environ, HOME=str(self.folder), XDG_RUNTIME_DIR=str(self.folder), MOZ_HEADLESS="1")
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                                            start_new_session=True, **options)

    def log(self):
        return (self.folder / "log").read_text(errors="replace")[-2000:]

    def requests(self):
        """What pages asked the network for; what the browser asks for by itself is left out."""
        own = ("mozilla.", "firefox.", "google.com", "gvt1.com", "googleapis.com")
        return [line for line in self.proxy.asked if line and not any(word in line for word in own)]

    def place(self, selector):
        """The middle of the first such element, which is scrolled into the window."""
        found = None
        while found != (found := self._middle(selector)):  # may still move
            time.sleep(0.03)
        return found

    def _middle(self, selector):
        found = self.run("""const element = document.querySelector(%s);
            if (!element) return null;
            element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
            const box = element.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];""" % json.dumps(selector))
        assert found, f"{self.name}: nothing is {selector}"
        return found

    def hover(self, selector):
        self.point("move", *self.place(selector))

    def click(self, selector):
        self.click_at(*self.place(selector))

    def click_at(self, x, y):
        self.point("move", x, y)
        self.point("down", x, y)
        self.point("up", x, y)

    def drag(self, start, end):
        self.point("move", *start)
        self.point("down", *start)
        for part in (0.3, 0.6, 1):
            self.point("move", start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1]))
        self.point("up", *end)

    def type(self, text):
        for letter in text:
            self.key(letter)

    def until(self, script, what):
        """Waits until the script gives something true, and returns that."""
        end = time.monotonic() + PATIENCE_S
        while not (value := self.run(script)):
            assert time.monotonic() < end, f"{self.name}: {what}"
            time.sleep(0.02)
        return value


class Chromium(Browser):
    name = "chromium"
    least_width = 1
    programs = ["chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"]

    def start(self, program):
        to_read, self.write = os.pipe()
        self.read, to_write = os.pipe()
        self.unread = b""
        self.number = 0
        self.session = None
        self.seen = []
        # The program finds its pipes at 3 and 4.
        high = [os.dup(to_read), os.dup(to_write)]
        high = [self.move_high(end) for end in high]

        def give_pipes():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.launch([program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--disable-background-networking", "--disable-component-update", "--no-first-run", "--disable-sync",
                     "--disable-extensions", f"--proxy-server=http://127.0.0.1:{self.proxy.port}", "--remote-debugging-pipe",
                     f"--user-data-dir={self.folder / 'profile'}", "about:blank"], pass_fds=(3, 4, *high), preexec_fn=give_pipes)
        for end in (to_read, to_write, *high):
            os.close(end)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    @staticmethod
    def move_high(end):
        moved = fcntl.fcntl(end, fcntl.F_DUPFD, 30)
        os.close(end)
        return moved

    def close(self):
        super().close()
        for end in (self.read, self.write):
            os.close(end)

    def message(self):
        while b"\0" not in self.unread:
            part = os.read(self.read, 1 << 20)
            assert part, "chromium ended: " + self.log()
            self.unread += part
        one, self.unread = self.unread.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.write, data):]
        while True:
            message = self.message()
            if message.get("id") == self.number:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self.seen.append(message)

    def open(self, url):
        self.seen.clear()
        del self.proxy.asked[:]
        self.call("Page.navigate", url=url)
        while not any(message.get("method") == "Page.loadEventFired" for message in self.seen):
            self.seen.append(self.message())

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression="(async () => {" + script + "})()", awaitPromise=True, returnByValue=True,
                           userGesture=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def errors(self):
        self.run("return 0")
        said = []
        for message in self.seen:
            if message.get("method") == "Runtime.exceptionThrown":
                said.append(message["params"]["exceptionDetails"].get("exception", {}).get("description", "an exception"))
            elif message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                said.append(message["params"]["entry"]["text"])
            elif message.get("method") == "Runtime.consoleAPICalled" and message["params"]["type"] in ("error", "assert"):
                said.append(str(message["params"]["args"]))
        return said

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def paste(self):
        common = {"key": "v", "code": "KeyV", "windowsVirtualKeyCode": 86, "modifiers": 2}
        self.call("Input.dispatchKeyEvent", type="keyDown", commands=["paste"], **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def point(self, what, x, y):
        kinds = {"move": "mouseMoved", "down": "mousePressed", "up": "mouseReleased"}
        if what != "move":
            self.pressed = what == "down"
        held = getattr(self, "pressed", False)
        self.call("Input.dispatchMouseEvent", type=kinds[what], x=x, y=y, button="left" if what != "move" or held else "none",
                  buttons=1 if held else 0, clickCount=0 if what == "move" else 1)

    def key(self, name, shift=False):
        code, text = KEYS[name][1:] if name in KEYS else (ord(name.upper()[0]) if name.isalnum() else 0, name)
        common = {"key": name, "code": name, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def screenshot(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def print(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])


class Firefox(Browser):
    name = "firefox"
    least_width = 500  # size of its window
    programs = ["firefox-esr", "firefox"]
    preferences = {
        "network.proxy.type": 1, "network.proxy.no_proxies_on": "127.0.0.1, localhost", "marionette.port": 0,
        "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False,
        "extensions.update.enabled": False, "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
        "browser.safebrowsing.malware.enabled": False, "browser.safebrowsing.phishing.enabled": False, "toolkit.telemetry.enabled": False,
        "services.settings.server": "data:,", "browser.startup.page": 0, "browser.tabs.remote.autostart": True,
    }

    def start(self, program):
        profile = self.folder / "profile"
        profile.mkdir()
        preferences = dict(self.preferences)
        for kind in ("http", "ssl"):
            preferences |= {f"network.proxy.{kind}": "127.0.0.1", f"network.proxy.{kind}_port": self.proxy.port}
        (profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))
        self.launch([program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile])
        port = profile / "MarionetteActivePort"
        end = time.monotonic() + PATIENCE_S
        while not (port.exists() and port.read_text().strip()):
            assert self.process.poll() is None, "firefox ended: " + self.log()
            assert time.monotonic() < end, "firefox does not start: " + self.log()
            time.sleep(0.05)
        self.socket = socket.create_connection(("127.0.0.1", int(port.read_text())), timeout=PATIENCE_S)
        self.stream = self.socket.makefile("rb")
        self.number = 0
        self.message()
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": {"script": PATIENCE_S * 1000}}})

    def close(self):
        if hasattr(self, "socket"):
            self.stream.close()
            self.socket.close()
        super().close()

    def message(self):
        length = b""
        while not length.endswith(b":"):
            letter = self.stream.read(1)
            assert letter, "firefox ended: " + self.log()
            length += letter
        return json.loads(self.stream.read(int(length[:-1])))

    def call(self, name, **parameters):
        self.number += 1
        data = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(str(len(data)).encode() + b":" + data)
        _, number, error, result = self.message()
        assert number == self.number and not error, (name, error)
        return result.get("value") if isinstance(result, dict) and set(result) == {"value"} else result

    def privileged(self, script):
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self.call("WebDriver:ExecuteScript", script=script, args=[])
        finally:
            self.call("Marionette:SetContext", value="content")

    def open(self, url):
        self.privileged("Services.console.reset()")
        del self.proxy.asked[:]
        self.call("WebDriver:Navigate", url=url)

    def run(self, script):
        return self.call("WebDriver:ExecuteAsyncScript", args=[], sandbox=None, script="""
            const done = arguments[arguments.length - 1];
            (async () => {%s})().then((value) => done([value === undefined ? null : value]), (error) => done(String(error)));
            """ % script)[0]

    def errors(self):
        return self.privileged("""return Services.console.getMessageArray()
            .filter((said) => said instanceof Ci.nsIScriptError && !(said.flags & Ci.nsIScriptError.warningFlag) &&
                    /^(file|http|data|about:srcdoc)/.test(said.sourceName))
            .map((said) => said.errorMessage)""")

    def size(self, width, height):
        """Of the page, not the window around it."""
        for _ in range(2):
            frame = self.run("return [outerWidth - innerWidth, outerHeight - innerHeight]")
            self.call("WebDriver:SetWindowRect", width=width + frame[0], height=height + frame[1])
        self.until(f"return innerWidth === {max(width, self.least_width)}", "the window has another size")

    def scheme(self, name):
        self.privileged(f"gBrowser.selectedBrowser.browsingContext.prefersColorSchemeOverride = {json.dumps(name)}")
        self.until(f"return matchMedia('(prefers-color-scheme: {name})').matches", "the page is of another colour")

    def paste(self):
        self.actions("key", {"type": "keyDown", "value": "\ue009"}, {"type": "keyDown", "value": "v"}, {"type": "keyUp", "value": "v"},
                     {"type": "keyUp", "value": "\ue009"})

    def actions(self, kind, *actions, **parameters):
        self.call("WebDriver:PerformActions", actions=[{"type": kind, "id": kind, "actions": list(actions), **parameters}])

    def point(self, what, x, y):
        kinds = {"move": {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}, "down": {"type": "pointerDown", "button": 0},
                 "up": {"type": "pointerUp", "button": 0}}
        self.actions("pointer", kinds[what], parameters={"pointerType": "mouse"})

    def key(self, name, shift=False):
        value = KEYS[name][0] if name in KEYS else name
        presses = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        if shift:
            presses = [{"type": "keyDown", "value": "\ue008"}, *presses, {"type": "keyUp", "value": "\ue008"}]
        self.actions("key", *presses)

    def screenshot(self):
        return base64.b64decode(self.call("WebDriver:TakeScreenshot", full=False))

    def print(self):
        return base64.b64decode(self.call("WebDriver:Print", background=True))


def installed():
    """The browsers that are here, as (class, program)."""
    found = []
    for kind in (Chromium, Firefox):
        program = next(filter(None, map(shutil.which, kind.programs)), None)
        if program:
            found.append((kind, program))
    return found
