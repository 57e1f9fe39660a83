"""A runner that says what a file tells it to say, and computes nothing. `python lying_runner.py MESSAGES.json`, started by a judge.

The file is a list of [how, text in Latin-1]; each request gets the next of them, and after the last the first again. Standard library
alone, and few of its modules: it is started thousands of times.
"""

import json
import os
import socket
import sys

_JUDGE = 3


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123 -- pathlib takes longer to import than this runs
        messages = json.load(file)
    judge = socket.socket(fileno=_JUDGE)
    for number in range(10_000):
        how, text = messages[number % len(messages)]
        data = text.encode("latin-1")
        frame = len(data).to_bytes(4, "little") + data
        if how == "unasked":
            judge.sendall(frame)
        if not asked(judge):
            return
        if how == "dies":
            os._exit(int.from_bytes(data[:1], "little"))
        if how == "closes":
            judge.shutdown(socket.SHUT_RDWR)
            return
        say(judge, how, frame, data)


def asked(judge: socket.socket) -> bool:
    head = judge.recv(4, socket.MSG_WAITALL)
    wanted = int.from_bytes(head, "little")
    return len(head) == 4 and len(judge.recv(wanted, socket.MSG_WAITALL)) == wanted


def say(judge: socket.socket, how: str, frame: bytes, data: bytes) -> None:
    if how == "bare":
        judge.sendall(data)
    elif how == "bytewise":
        for at in range(min(len(frame), 200)):
            judge.sendall(frame[at : at + 1])
        judge.sendall(frame[200:])
    elif how == "twice":
        judge.sendall(frame + frame)
    elif how == "half":
        judge.sendall(frame[: len(frame) // 2])
        os._exit(0)
    elif how == "long":
        judge.sendall((0xFFFFFFFF).to_bytes(4, "little") + data)
    elif how == "files":
        read, write = os.pipe()
        socket.send_fds(judge, [frame[:1]], [read, write] * 20)
        judge.sendall(frame[1:])
    else:
        judge.sendall(frame)


main()
