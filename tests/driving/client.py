"""The real program, driven through a socket or through its standard input and output."""

import json
import os
import socket
import subprocess
import time

# s, on a machine that does much else; the variable is a factor for slow builds (sanitizers).
PATIENCE = 60 * float(os.environ.get("HALOSCOPE_PATIENCE", "1"))
LOOK = 0.02  # s
LONGEST = 64 * 1024  # bytes of a line, app/viewer/remote/command_lines.h


class Failed(Exception):
    pass


def need(condition, sentence):
    if not condition:
        raise Failed(sentence)


class Client:
    """Who sends lines to a socket and reads the answers."""

    def __init__(self, path, greeted=True):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.answers = self.socket.makefile("rb")
        self.greeting = self.read()
        if greeted:
            need("fault" not in self.greeting, f"it was greeted by {self.greeting}")

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode())

    def read(self):
        line = self.answers.readline()
        need(line.endswith(b"\n"), f"half an answer: {line[-200:]}")
        return json.loads(line)

    def ask(self, line):
        self.send(line + "\n")
        return self.read()

    def done(self, line):
        answer = self.ask(line)
        need(answer["done"], f"{line}: {answer}")
        return answer

    def fault(self, line):
        answer = self.ask(line)
        need(not answer["done"] and answer["fault"], f"{line} is done: {answer}")
        return answer["fault"]

    def at_end(self):
        return self.answers.readline() == b""

    def close(self):
        self.answers.close()
        self.socket.close()


class Program:
    """`haloscope view --headless --listen PATH` in a folder of its own."""

    def __init__(self, program, folder, options=(), name="desk.sock"):
        self.folder = folder
        self.path = os.path.join(folder, name)
        self.stderr = open(f"{folder}/stderr.txt", "w+")
        self.process = subprocess.Popen(
            [program, "view", "--device", "cpu", "--headless", "--no-cache", "--listen", self.path,
             *options], cwd=folder, stdin=subprocess.DEVNULL, stdout=self.stderr,
            stderr=self.stderr, env={**os.environ, "XDG_CONFIG_HOME": f"{folder}/config"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.stderr.close()

    def client(self, greeted=True):
        end = time.time() + PATIENCE
        while time.time() < end:
            need(self.process.poll() is None, "it has ended: " + self.said())
            try:
                return Client(self.path, greeted)
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(LOOK)
        raise Failed("it does not listen")

    def free_client(self):
        """As soon as the one before has been let go."""
        end = time.time() + PATIENCE
        while time.time() < end:
            client = self.client(greeted=False)
            if "fault" not in client.greeting:
                return client
            client.close()
            time.sleep(LOOK)
        raise Failed(f"nobody is let in: {client.greeting}")

    def said(self):
        with open(self.stderr.name) as file:
            return file.read()

    def memory(self):
        """Resident, bytes."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def wait_end(self, code=0):
        found = self.process.wait(PATIENCE)
        need(found == code, f"it ended with {found}: {self.said()}")
        need(not os.path.lexists(self.path), "its socket is still there")
