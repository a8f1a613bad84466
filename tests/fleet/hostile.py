#!/usr/bin/env python3
"""hostile.py VERSION MODE FILE: says hello as an agent does, then for ever what no agent says. FILE appears when it was told
to start something."""

import json
import os
import pathlib
import re
import struct
import sys
import threading
import time

AGENT = pathlib.Path(os.environ["TUNE_SOURCE"], "tuner/worker/agent.h")
AGENT_VERSION = int(re.search(r"AGENT_VERSION = (\d+)", AGENT.read_text(encoding="utf-8")).group(1))
NUMBERS = range(1, 40)
FLOODS = {
    "flood": [{"beat": 1}, {"beat": [], "say": "x" * 4096}],
    "unknown": [{"what": "is this"}],
    "never": [{"answer": 1 << 40}],
    "answers": [{"answer": number, "devices": "none"} for number in NUMBERS],
    "children": [{"child": number, "frame": {"answer": number}} for number in NUMBERS],
    "ends": [{"ended": number, "how": "x" * 500, "end": 77} for number in NUMBERS] + [{"closed": number} for number in NUMBERS],
    "wants": [{"want": "/etc/passwd", "child": number} for number in NUMBERS],
}


def write(data):
    while data:
        data = data[os.write(1, data):]


def frame(message):
    text = (json.dumps(message) + "\n").encode()
    return b"TUN1" + struct.pack("<I", len(text)) + text


def listen(path):
    heard = b""
    while got := os.read(0, 65536):
        heard += got
        if b'"start"' in heard:
            with open(path, "w", encoding="utf-8") as told:
                told.write("told")


def main(version, mode, path):
    threading.Thread(target=listen, args=(path,), daemon=True).start()
    while mode == "banner":
        write(b"no agent, and no end of a line")
    write(b"Welcome.\ntune host agent\n")
    while mode == "bytes":
        write(b"TUN1TUN2\0\1nonsense")
    write(frame({"hello": AGENT_VERSION, "version": version, "name": mode, "cores": 1}) + frame({"beat": 1}))
    while mode == "trickle":  # a message that never comes to an end
        write(b"TUN1" + struct.pack("<I", 1 << 20) if os.path.exists(path) else b"")
        while os.path.exists(path):
            write(b" ")
            time.sleep(0.1)
        time.sleep(0.1)
    flood = b"".join(map(frame, FLOODS[mode]))
    while True:
        write(flood)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])  # the rest is the command line of an agent
    except BrokenPipeError:
        os._exit(1)
