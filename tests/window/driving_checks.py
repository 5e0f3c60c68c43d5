"""A window that its user and a program share (view --listen)."""

import os
import signal
import sys
import time

from driver import Window, need

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../driving"))
from client import PATIENCE, Client  # noqa: E402


def open_window(program, snapshot, folder):
    window = Window(program, snapshot, folder, options=("--listen", "desk.sock"))
    window.settle()
    return window, Client(f"{folder}/desk.sock")


def check_driven_window(program, snapshot, folder):
    window, client = open_window(program, snapshot, folder)
    found = client.done("find halos min_members=100")
    need(found["values"]["count"] == 114, str(found))
    before = client.done("fly_to halos 0")["values"]
    window.done = len(window.recorded())
    window.drag(1, 60, 20)
    window.expect("orbit", "a drag in a window that a program drives")
    after = client.done("tell camera")["values"]
    need(after["eye"] != before["eye"] and after["center"] == before["center"],
         "the program does not see what the user has done")
    # A window takes some frames to follow: an answer before would tell of the old picture.
    pixels = client.done("size 1000 700")["values"]["pixels"]
    need(window.size() == (1000, 700), f"the window has {window.size()}")
    picture = client.done("tell picture")["values"]
    need([picture["width"], picture["height"]] == pixels, f"{pixels} and a picture of another size")
    need(client.done("screenshot all.png window")["files"][0].endswith("/all.png"), "no picture")
    need(os.path.exists(f"{folder}/all.png"), "an answer came before its picture")
    need([line.split()[0] for line in window.recorded()][:2] == ["find", "fly_to"],
         f"what a program did is recorded as {window.recorded()}")
    client.close()
    # It stays when the program leaves.
    window.settle()
    client = Client(f"{folder}/desk.sock")
    client.done("quit")
    window.wait_end()
    need(not os.path.exists(f"{folder}/desk.sock"), "the socket is still there")


def check_window_goes_on(program, snapshot, folder):
    window, client = open_window(program, snapshot, folder)
    # Nobody reads the answers: the program waits, and the window does not, nor is it busy.
    client.socket.settimeout(2)
    sent = 0
    try:
        while sent < 100000:
            client.send(b"tell state\n" * 1000)
            sent += 1000
    except TimeoutError:
        pass
    need(sent < 100000, "all is taken though no answer is read")
    window.settle()
    window.done = len(window.recorded())
    begin = time.time()
    window.drag(1, 60, 20)
    window.expect("orbit", "a drag beside a program that does not read")
    print(f"a drag beside {sent} unread lines: {time.time() - begin:.1f} s")
    # Garbage as fast as it can be sent.
    client.close()
    client = Client(f"{folder}/desk.sock", greeted=False)
    while "fault" in client.greeting:
        client.close()
        client = Client(f"{folder}/desk.sock", greeted=False)
    client.socket.settimeout(PATIENCE)
    client.send(b"\xff\0fnid\nfnid\n" * 500)
    for number in range(1000):
        need(client.read()["command"] == number + 1, "an answer is lost")
    need(client.done("tell camera"), "it does not go on")
    client.send(b"half a li")
    window.process.send_signal(signal.SIGINT)
    window.wait_end(130)
    need(not os.path.exists(f"{folder}/desk.sock"), "the socket is still there")
