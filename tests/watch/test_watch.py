#!/usr/bin/env python3
"""What serves the page of `tune run --watch` and `tune watch`: who gets it and who does not, what slow, many and hostile clients
come to, and that it begins and ends with the run. Skipped (77) without libmicrohttpd."""
import contextlib
import ctypes
import hashlib
import http.client
import json
import lzma
import os
import pathlib
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

TUNE, FIXTURE = os.environ["TUNE"], os.environ["FIXTURE"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_S = 240  # for steps that take a moment on an idle machine
HOSTILE = "</script><img src=http://example.invalid onerror=alert(1)>'\"&\u2028"


def hurry(pid):
    """It runs when nothing else does, which is never on a machine that is full of tests."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))


class Served:
    """A tune that serves, and how to ask it."""

    def __init__(self, process, url):
        self.process = process
        self.url = url
        parts = urllib.parse.urlsplit(url)
        self.port, self.path = parts.port, parts.path
        self.token = parts.path.strip("/")
        assert re.fullmatch("[0-9a-f]{32}", self.token), url

    def ask(self, path, method="GET", host=None, body=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            if host != "":
                connection.putheader("Host", host or f"127.0.0.1:{self.port}")
            for name, value in headers:
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer, answer.read().decode()
        finally:
            connection.close()

    def live(self):
        answer, text = self.ask(self.path + "live.json")
        assert answer.status == 200, (answer.status, text)
        return json.loads(text)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def raw(self, data):
        """What comes back until the other side closes."""
        with self.connect() as client:
            client.sendall(data)
            parts = []
            with contextlib.suppress(ConnectionResetError):
                while part := client.recv(65536):
                    parts.append(part)
            return b"".join(parts)


@contextlib.contextmanager
def watching(folder, *arguments, note=""):
    process = subprocess.Popen([TUNE, "watch", "--port", "0", *arguments], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline().strip()
        assert url, process.stderr.read()
        hurry(process.pid)
        yield Served(process, url)
        assert process.poll() is None, "it ended: " + process.stderr.read()
        process.send_signal(signal.SIGINT)
        code = process.wait(PATIENCE_S)
        said = process.stderr.read()
        assert code == 0 and note in said and (note != "" or said == ""), (code, said)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def listeners(port):
    """Local addresses that listen at the port, as the system has them."""
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(OSError), open(table, encoding="ascii") as lines:
            for line in list(lines)[1:]:
                _, local, _, state = line.split()[:4]
                if state == "0A" and int(local.split(":")[1], 16) == port:
                    found.append(local.split(":")[0])
    return found


def test_an_older_database(folder):
    path = folder / "older.db"
    path.write_bytes(lzma.decompress((SOURCE / "db" / "recorded" / "cpu-2-cores" / "tune.db.xz").read_bytes()))
    before = path.read_bytes()
    with watching(folder, "older.db", note="older.db is of an older tune (schema 7): a copy is read") as served:
        page, text = served.ask(served.path)
        assert page.status == 200 and "older.db" in text and "reduce.sum.i32" in text
        assert served.live()["database"]
    assert path.read_bytes() == before, "it was changed"


def test_who_gets_it(folder):
    with watching(folder) as served:
        assert listeners(served.port) in ([], ["0100007F"]), "it listens elsewhere than on 127.0.0.1"
        page, text = served.ask(served.path)
        assert page.status == 200 and "Fixture GPU" in text and 'id="watch"' in text
        wrong = ("0" if served.token[0] != "0" else "1") + served.token[1:]
        for path in ["/", "/live.json", "/favicon.ico", f"/{wrong}/", f"/{wrong}/live.json", f"/{wrong}/data.json", "/data.json", f"/{served.token[:-1]}/",
                     f"/{served.token}", f"/{served.token}x/", f"/{served.token}/../", f"/{served.token}/..%2f", "//",
                     f"//{served.token}/", f"/{served.token}/live.json/", f"/{served.token}/tune.db",
                     f"/{served.token.upper()}/", "/" + "a" * 8000, "/%00", "*", "http://127.0.0.1/"]:
            if path == served.path or path == f"/{served.token.upper()}/" and served.token.isdigit():
                continue
            answer, text = served.ask(path)
            assert answer.status == 404, (path, answer.status)
            assert served.token not in text and "Fixture" not in text, (path, text)
        # A page elsewhere whose name is made to resolve to this machine, or that puts this one into a frame.
        for host in ["example.invalid", "127.0.0.1.example.invalid", f"127.0.0.1:{served.port}.example.invalid", "localhost:", "localhost:1:2",
                     "localhost.", "xlocalhost", "127.0.0.1@example.invalid", "[::1", "0.0.0.0", ""]:
            for path in [served.path, served.path + "live.json"]:
                answer, text = served.ask(path, host=host)
                assert answer.status in (400, 403) and "Fixture" not in text, (host, answer.status)
        for host in ["localhost", "LocalHost:9000", "127.0.0.1", "[::1]:9000"]:
            assert served.ask(served.path, host=host)[0].status == 200, host
        policy = page.headers["Content-Security-Policy"]
        for word in ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"]:
            assert word in policy, policy
        assert "unsafe-inline" not in re.search("script-src ([^;]*)", policy)[1], policy
        nonce = re.search("'nonce-([0-9a-f]+)'", policy)[1]
        scripts = re.findall("<script[^>]*>", served.ask(served.path)[1])
        assert set(scripts) == {f'<script nonce="{nonce}">', '<script type="application/json" id="data">'}, scripts
        for name, value in [("X-Frame-Options", "DENY"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                            ("Cache-Control", "no-store"), ("Cross-Origin-Resource-Policy", "same-origin")]:
            assert page.headers[name] == value, (name, page.headers[name])
        assert "Access-Control-Allow-Origin" not in page.headers
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PATCH", "get", "CONNECT"]:
            assert served.ask(served.path, method, body=b"x" if method in ("POST", "PUT") else None)[0].status == 405, method
        assert served.live()["serves"] == "database"
    with watching(folder) as again:
        assert again.token != served.token and nonce not in again.ask(again.path)[1], "an old secret"


def test_hostile_clients(folder):
    """None of them keeps a browser from the page, and none of them stays."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    many = 3000 if hard == resource.RLIM_INFINITY or hard > 3200 else hard - 200
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, many + 200), hard))
    with watching(folder) as served:
        get = f"GET {served.path}live.json HTTP/1.1\r\nHost: localhost\r\n"
        answers = [
            served.raw(b"\x01\xff /\xfe HTTP/1.1\r\n\xff\r\n\r\n"),
            served.raw(b"GET " + b"/" * 100000 + b" HTTP/1.1\r\n\r\n"),
            served.raw((get + "X: " + "y" * 100000 + "\r\n\r\n").encode()),
            served.raw((get + "Connection: close\r\nContent-Length: 99999999999\r\n\r\n").encode() + b"z" * 300000),
            served.raw((get + "Content-Length: -1\r\n\r\n").encode()),
            served.raw((get.replace("GET", "POST") + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n").encode()),
            served.raw(b"GET / HTTP/9.9\r\n\r\n"),
        ]
        assert not any(b"winners" in answer for answer in answers), answers
        # Thousands that connect and send nothing; one that requests the page is answered all the
        # while.
        crowd = []
        for _ in range(many):
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", served.port))
            crowd.append(client)
            if len(crowd) % 1000 == 0:
                assert served.live()["database"]["winners"]
        threads = len(list(pathlib.Path(f"/proc/{served.process.pid}/task").iterdir()))
        files = len(list(pathlib.Path(f"/proc/{served.process.pid}/fd").iterdir()))
        assert threads <= 2 and files < 200, (threads, files)
        for client in crowd:
            client.close()
        # Many at once that know the token.
        seen = []
        askers = [threading.Thread(target=lambda: seen.append(served.live()["serves"])) for _ in range(50)]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        assert seen == ["database"] * 50, len(seen)
        # One that requests the page, reads nothing of it, and goes away.
        for _ in range(20):
            with served.connect() as client:
                client.sendall(f"GET {served.path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert served.live()["database"]["winners"]
        # A kept connection asks again and again.
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE_S)
        for _ in range(3):
            connection.request("GET", served.path + "live.json")
            answer = connection.getresponse()
            assert answer.status == 200 and answer.headers["Connection"] != "close" and answer.read()
        connection.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_only_reads(folder):
    """The database stays as it is, what others write into it is seen, and one that goes away is told of."""
    database = folder / "tune.db"
    with watching(folder, "tune.db") as served, served.connect() as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: loc")
        before = hashlib.sha256(database.read_bytes()).hexdigest()
        first = served.live()
        assert first["database"]["winners"] and first["database"]["latest"]["measured_at"] and first["revision"]
        served.ask(served.path)
        assert hashlib.sha256(database.read_bytes()).hexdigest() == before
        with sqlite3.connect(database) as sql:
            sql.execute("UPDATE problems SET key = ? WHERE id = (SELECT min(problem_id) FROM winners)", [HOSTILE])
            sql.execute("UPDATE winners SET chosen_at = '2099-01-01T00:00:00Z'")
        while (news := served.live())["revision"] == first["revision"]:
            time.sleep(0.05)
        assert any(winner["problem"] == HOSTILE for winner in news["database"]["winners"])
        while f'data-revision="{news["revision"]}"' not in (page := served.ask(served.path)[1]):
            time.sleep(0.05)
        assert "\\u003c/script>\\u003cimg" in page and "<img" not in page
        while (answer := served.ask(served.path + "data.json"))[0].headers["Tune-Revision"] != news["revision"]:
            time.sleep(0.05)
        assert HOSTILE in [problem["problem"] for part in json.loads(answer[1])["parts"] for problem in part["problems"]]
        database.rename(folder / "away.db")
        while not (news := served.live())["trouble"]:
            time.sleep(0.05)
        assert "no such database" in news["trouble"] and news["database"]["winners"], "what was known is kept"
        (folder / "away.db").rename(database)
        while served.live()["trouble"]:
            time.sleep(0.05)
        # A client that sends no request is dropped, whatever else happens.
        with contextlib.suppress(ConnectionResetError):
            assert slow.recv(100) == b"", "half a request was answered"


def run_tune(folder, *arguments, **options):
    return subprocess.Popen([TUNE, "run", "elementwise", "--device", "null", "--no-report", "--sizes", "2**16", *arguments], cwd=folder,
                            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, **options)


def cmdline_of(pid):
    with contextlib.suppress(OSError):  # may have ended
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def served_by(process):
    line = process.stderr.readline()
    match = re.match(r"tune: follow the run at (http://\S+) \(from elsewhere: ssh -L (\d+):127.0.0.1:\2 HOST\)$", line)
    assert match, line + process.stderr.read()
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
    server = next(int(child) for child in children if b"__watch" in cmdline_of(child))
    cmdline = pathlib.Path(f"/proc/{server}/cmdline").read_bytes().decode()
    environment = pathlib.Path(f"/proc/{server}/environ").read_bytes().decode(errors="replace")
    served = Served(process, match[1])
    assert served.token not in cmdline + environment, "any user can read what a command line holds"
    while os.sched_getscheduler(server) != os.SCHED_IDLE:
        time.sleep(0.01)
    hurry(server)
    return served, server


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] == "Z"
    except OSError:  # just now
        return True


def test_a_run(folder):
    """It begins before anything is measured, tells how far the run is, and ends with it."""
    process = run_tune(folder, "--watch", "0", "--quiet")
    served, server = served_by(process)
    states, last = [], None
    with contextlib.suppress(OSError, http.client.HTTPException):
        while True:
            last = served.live()
            states.append(last["state"])
            if last["serves"] == "ended":
                break
    rest = process.stderr.read()
    assert process.wait(PATIENCE_S) == 0, rest
    process.stderr.close()
    assert last["serves"] == "ended", "the end was not told"
    shares = [state["share"] for state in states if state]
    assert shares == sorted(shares) and 0 <= shares[0] and shares[-1] <= 1, shares  # the confirmation does not begin anew
    assert last["state"]["problem"].startswith("elementwise") and last["state"]["points_total"] > 0, last["state"]
    winners = [event for event in last["events"] if event["kind"] == "winner"]
    assert winners and all(re.match(r"elementwise\S* n=\d+: \S+ .s with ", event["text"]) for event in winners), winners
    assert len(last["database"]["winners"]) > 0 and last["database"]["runs"][0]["device"]
    assert gone(server) and not listeners(served.port)


def test_pages_get_the_end(folder):
    """A page that is hidden has one question held until the end; the server stays until each page says that it has drawn what the run ended with,
    and no longer."""
    process = run_tune(folder, "--watch", "0", "--quiet", "--db", "pages.db")
    served, server = served_by(process)
    pages = {"hidden": [], "visible": []}

    def follow(name):
        while True:
            answer, text = served.ask(f"{served.path}live.json?page={name}&drawn=" + ("&wait=1" if name == "hidden" else ""))
            assert answer.status == 200, (answer.status, text)
            pages[name].append(json.loads(text))
            if pages[name][-1]["serves"] == "ended":
                return
            time.sleep(0 if name == "hidden" else 0.5)

    threads = [threading.Thread(target=follow, args=(name,)) for name in pages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert pages["hidden"] and len(pages["hidden"]) < 20, len(pages["hidden"])
    final = pages["hidden"][-1]
    assert final["serves"] == pages["visible"][-1]["serves"] == "ended" and final["revision"] == pages["visible"][-1]["revision"] != ""
    with contextlib.closing(sqlite3.connect(folder / "pages.db")) as sql:
        assert len(final["database"]["winners"]) == sql.execute("SELECT count(*) FROM winners").fetchone()[0]
    for name in pages:  # has waited for both
        assert not gone(server), "a page had not drawn the end"
        answer, text = served.ask(f"{served.path}data.json?page={name}")
        assert answer.status == 200 and answer.headers["Tune-Revision"] == final["revision"] and json.loads(text)["parts"]
        with contextlib.suppress(OSError, http.client.HTTPException):  # the last one may not be answered any more
            served.ask(f"{served.path}live.json?page={name}&drawn=" + urllib.parse.quote(final["revision"]))
    assert process.wait(PATIENCE_S) == 0, process.stderr.read()
    process.stderr.close()
    assert gone(server) and not listeners(served.port)


def test_a_page_that_begins_late(folder):
    """A page that was sent and has asked for nothing yet, by a slow browser, gets the end as well."""
    process = run_tune(folder, "--watch", "0", "--quiet", "--db", "late.db")
    served, server = served_by(process)
    assert served.ask(served.path)[0].status == 200
    ended = 0
    while not ended:
        time.sleep(0.1)
        with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(folder / "late.db")) as sql:
            ended = sql.execute("SELECT count(*) FROM runs WHERE outcome IS NOT NULL").fetchone()[0]
    time.sleep(4)  # longer than for a page that nobody opened
    assert not gone(server), "the page got no end"
    last = served.live()
    assert last["serves"] == "ended" and last["revision"], last
    with contextlib.suppress(OSError, http.client.HTTPException):  # may not be answered any more
        served.ask(f"{served.path}live.json?page=late&drawn=" + urllib.parse.quote(last["revision"]))
    assert process.wait(PATIENCE_S) == 0, process.stderr.read()
    process.stderr.close()
    assert gone(server)


def test_ends_with_it(folder):
    """Ctrl-C ends both; a run that is killed leaves nobody behind; one that serves nobody ends at once."""
    for number in (signal.SIGINT, signal.SIGKILL):
        process = run_tune(folder, "--watch", "0", "--db", f"{number}.db", "--effort", "thorough")
        served, server = served_by(process)
        if number == signal.SIGINT:
            served.live()
        process.send_signal(number)
        process.communicate(timeout=PATIENCE_S)
        while not gone(server):
            time.sleep(0.02)
    # And the other way round: the run goes on without its page.
    process = run_tune(folder, "--watch", "0", "--db", "alone.db")
    server = served_by(process)[1]
    os.kill(server, signal.SIGKILL)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    with sqlite3.connect(folder / "alone.db") as sql:
        assert sql.execute("SELECT count(*) FROM winners WHERE stage = 'confirm'").fetchone()[0] > 0


def refused(folder, *arguments, code, words, **options):
    done = subprocess.run([TUNE, *arguments], cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False, **options)
    lines = done.stderr.splitlines()
    assert done.returncode == code and len(lines) == 1 and all(word in lines[0] for word in words), (done.returncode, done.stderr)
    assert done.stdout == "", done.stdout


def test_refusals(folder):
    """One line each, before anything is measured."""
    run = ["run", "elementwise", "--device", "null", "--no-report", "--db", "refused.db"]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused(folder, *run, "--watch", port, code=2, words=["--watch", "port " + port, "in use"])
        refused(folder, *run, "--watch=" + port, code=2, words=["in use"])
        refused(folder, "watch", "--port", port, code=2, words=["in use"])
    for word in ["99999", "-1", "x"]:
        refused(folder, *run, "--watch=" + word, code=2, words=["--watch", f"'{word}'", "65535"])
    refused(folder, "watch", "nowhere.db", code=3, words=["nowhere.db", "no such database"])
    # Where the library is not.
    (folder / "lib").mkdir()
    (folder / "lib" / "libmicrohttpd.so.12").touch()
    without = dict(os.environ, LD_LIBRARY_PATH=str(folder / "lib"))
    refused(folder, "watch", code=4, words=["libmicrohttpd", "install"], env=without)
    refused(folder, *run, "--watch", code=4, words=["--watch", "libmicrohttpd", "install"], env=without)
    with contextlib.closing(sqlite3.connect(folder / "refused.db")) as sql:
        assert sql.execute("SELECT count(*) FROM trials").fetchone()[0] == 0


def main():
    try:
        ctypes.CDLL("libmicrohttpd.so.12")
    except OSError:
        print("no libmicrohttpd")
        return 77
    with tempfile.TemporaryDirectory(prefix="tune-watch.") as name:
        for part in ("locks", "cache", "home"):
            (pathlib.Path(name) / part).mkdir(mode=0o700)
        os.environ.update(TUNE_LOCK_DIR=name + "/locks", TUNE_CACHE_DIR=name + "/cache", HOME=name + "/home")
        made = pathlib.Path(name) / "made.db"
        subprocess.run([FIXTURE, made], check=True)
        for test_name, test in list(globals().items()):
            if test_name.startswith("test_"):
                folder = pathlib.Path(name) / test_name
                folder.mkdir()
                (folder / "tune.db").write_bytes(made.read_bytes())
                begun = time.monotonic()
                test(folder)
                print(f"ok {test_name} {time.monotonic() - begun:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
