"""Whatever is sent or not read, nothing is lost and the session goes on."""

import os
import random
import threading
import time

from client import LONGEST, PATIENCE, Program, need

MUCH = 100 * 2**20  # bytes, more than a session may ever need for lines and answers


def check_garbage(program, _, folder):
    chance = random.Random(7)
    with Program(program, folder) as session:
        client = session.client()
        for _ in range(300):
            line = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 200)))
            client.send(line.replace(b"\n", b" ") + b"\n")
            need("done" in client.read(), f"no answer to {line}")
        for line, part in ((b"orbit 1\0 2", "NUL"), (b"\0", "NUL"), (b'open "a', "not ended"),
                           (b"tell \xff\xfe", "\\xff"), ("tell größe".encode(), "größe"),
                           (b"{\"command\": 1}", "no command"), (b"orbit 1e999 1", "not a number")):
            client.send(line + b"\n")
            answer = client.read()
            need(not answer["done"] and part in answer["fault"], f"{line}: {answer}")
        need(client.ask("tell state\r")["done"], "lines that end in CR LF")
        need(client.done("quit"), "it does not go on")
        session.wait_end()


def check_long_lines(program, _, folder):
    with Program(program, folder) as session:
        client = session.client()
        client.send(b"x" * LONGEST + b"\n" + b"x" * (LONGEST + 1) + b"\ntell state\n")
        longest, too_long, after = (client.read() for _ in range(3))
        need("no command" in longest["fault"] and len(longest["fault"]) < 2000, str(longest))
        need("longer than 65536" in too_long["fault"] and too_long["command"] == 2, str(too_long))
        need(after["done"] and after["command"] == 3, str(after))
        # A line without an end takes no memory, and its fault comes while it still grows.
        before = session.memory()
        for _ in range(100):
            client.send(b"y" * 2**20)
        need("longer" in client.read()["fault"], "a line without an end")
        need(session.memory() - before < 50 * 2**20, "it keeps a line that is too long")
        client.send(b"\ntell state\n")
        need(client.read()["command"] == 5, "it does not find the next line")


def check_flood(program, snapshot, folder):
    """As fast as they can be sent, also faster than they are done: all are answered in order."""
    count = int(os.environ.get("HALOSCOPE_FLOOD", 100000))
    some = b"fnid\ntell camera\n" * 500

    def flood():
        # Each of these may take as long as the client is patient.
        for _ in range(count // 1000):
            client.send(some)

    with Program(program, folder, [snapshot]) as session:
        client = session.client()
        client.done("tell snapshot")
        sender = threading.Thread(target=flood)
        begin = time.time()
        sender.start()
        for number in range(count):
            answer = client.read()
            need(answer["command"] == number + 2, f"{answer} is not number {number + 2}")
            need(answer["done"] == (number % 2 == 1), str(answer))
        sender.join()
        print(f"{count / (time.time() - begin):.0f} lines a second")


def second_of_work(session):
    """Processor time that the program takes in the next second, s."""
    def taken():
        with open(f"/proc/{session.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before = taken()
    time.sleep(1)
    return taken() - before


def check_unread_answers(program, snapshot, folder):
    line, most = b"tell state\n", 100000
    with Program(program, folder, [snapshot]) as session:
        client = session.client()
        client.done("tell snapshot")
        before = session.memory()
        client.socket.settimeout(1)
        sent, end = 0, time.time() + PATIENCE
        # Under sanitizers lines are taken slowly: that none is taken for a second is not the end of
        # them. It is one once the program waits, and waits without work.
        while sent < most * len(line):
            try:
                sent += client.socket.send((line * 1000)[sent % len(line):])
            except TimeoutError:
                if all(second_of_work(session) < 0.1 for _ in range(2)):
                    break
                need(time.time() < end, "it is busy with waiting")
        lines = sent // len(line)
        need(1000 < lines < most, f"{lines} lines are taken though no answer is read")
        need(session.memory() - before < MUCH, f"{session.memory() - before} bytes are kept")
        client.socket.settimeout(PATIENCE)
        for number in range(lines):
            need(client.read()["command"] == number + 2, "an answer is lost")


def check_vanishing(program, snapshot, folder):
    # Lines that were sent whole are done before another is let in: no more of them than are done
    # within the patience of a client.
    count = int(os.environ.get("HALOSCOPE_FLOOD", 100000)) // 2
    with Program(program, folder, [snapshot, "--record", "record.txt"]) as session:
        for ending in (b"screenshot half", b"screenshot half.png\0", b"find halos\norbit 3 3\n",
                       b"tell picture\n" * 20, b"", b"fnid\n" * count + b"half"):
            client = session.free_client()
            try:
                client.socket.settimeout(1)
                client.send(ending)
            except TimeoutError:
                pass
            client.close()
        client = session.free_client()
        need(client.done("tell camera"), "it does not go on")
        need(client.done("tell structures halos"), "a line that was sent whole was not done")
        need(not os.path.exists(f"{folder}/half"), "half a line was done")
        client.done("quit")
        session.wait_end()
    with open(f"{folder}/record.txt") as file:
        text = file.read()
    need("orbit 3 3" in text and "half" not in text, text)
