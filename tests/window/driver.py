"""A display of its own (Xvfb), the program's window on it, and a mouse and keys (xdotool)."""

import ctypes
import os
import re
import subprocess
import time

# Of user and system time in IDLE seconds; the loop wakes four times a second to look for Ctrl+C.
IDLE, IDLE_COST = 5, 0.1
TOAST = 5  # longer than one is shown, s
SLOWER = float(os.environ.get("HALOSCOPE_PATIENCE", "1"))  # a factor for slow builds (sanitizers)
# A search or a picture ends within a frame or two when it is cancelled; the rest is the machine's.
END_WITHIN = 5 * SLOWER
PATIENCE = 60 * SLOWER
PRESS = 0.15  # of a key, s
LOOK = 0.1  # between two looks at what goes on in the program, s
# What is at rest takes less than this in so many looks: longer together than between two turns of
# the loop, which would find what a thread has finished.
REST_LOOKS, REST_COST = 3, 0.015
WIDTH, HEIGHT = 1280, 800
PICTURE = (460, 402)  # the middle of the picture, left of the inspector
START_FIELD = (460, 408)  # the path's on the start page, where no file was opened before
LOOSE_ENDS = []  # what must be ended whatever happens, the display first


class Failed(Exception):
    pass


def need(condition, sentence):
    if not condition:
        raise Failed(sentence)


def end(process):
    process.kill()
    process.wait()


def start_display():
    """Chooses the number itself, so that several may start at once."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "3840x2160x24", "-nolisten", "tcp",
         "-noreset"],
        pass_fds=[write], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    LOOSE_ENDS.append(server)
    os.close(write)
    number = os.read(read, 16).decode().strip()
    need(number, "Xvfb did not start")
    return ":" + number


def xdotool(*words):
    return subprocess.run(["xdotool", *map(str, words)], capture_output=True, text=True,
                          timeout=PATIENCE).stdout.strip()


def wants_a_core(process):
    """Whether a thread of it runs, or would if the machine let it."""
    folder = f"/proc/{process.pid}/task"
    try:
        for thread in os.listdir(folder):
            with open(f"{folder}/{thread}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] in "RD":
                    return True
    except FileNotFoundError:  # a thread has ended meanwhile
        return True
    return False


def set_resources(text):
    """What xrdb does: the display's settings, of which Xft.dpi is the content scale (96: 1)."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    resource_manager, string, replace = 23, 31, 0  # Xatom.h, X.h
    data = text.encode()
    x11.XChangeProperty(display, ctypes.c_ulong(x11.XDefaultRootWindow(display)),
                        ctypes.c_ulong(resource_manager), ctypes.c_ulong(string), 8, replace, data,
                        len(data))
    x11.XCloseDisplay(display)


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent of Xlib.h, padded to an XEvent."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong),
                ("message_type", ctypes.c_ulong), ("format", ctypes.c_int),
                ("data", ctypes.c_long * 5), ("padding", ctypes.c_long * 12)]


def ask_to_close(window):
    """What a window manager does when its cross is pressed (ICCCM 4.2.8.1)."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    client_message = 33
    event = ClientMessage(type=client_message, window=window, format=32)
    event.message_type = x11.XInternAtom(display, b"WM_PROTOCOLS", 0)
    event.data[0] = x11.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
    x11.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(event))
    x11.XCloseDisplay(display)


class Window:
    """The program with its window, in a folder of its own with settings of its own."""

    def __init__(self, program, snapshot, folder, commands="", options=()):
        """`snapshot` None: the start page."""
        self.folder = folder
        commands += "wait\nsave_state ready.toml\n"
        with open(f"{folder}/commands.txt", "w") as file:
            file.write(commands)
        # The first words of the lines, in their order.
        self.told = ["size"] * ("--size" in options) + ["open"] * bool(snapshot)
        self.told += [line.split()[0] for line in commands.splitlines() if line.strip()]
        # A pointer that is inside already enters no window, and is not seen by it.
        xdotool("mousemove", 3800, 2100)
        self.stderr = open(f"{folder}/stderr.txt", "w+")
        self.process = subprocess.Popen(
            [program, "view", *([snapshot] if snapshot else []), "--device", "cpu", "--record",
             "record.txt", "--run", "commands.txt", *options], cwd=folder, stdout=self.stderr,
            stderr=self.stderr, env={**os.environ, "XDG_CONFIG_HOME": f"{folder}/config"})
        LOOSE_ENDS.append(self.process)
        self.id = self.find()

    def find(self):
        end = time.time() + PATIENCE
        while time.time() < end:
            need(self.process.poll() is None, "it ended at once: " + self.said())
            found = xdotool("search", "--all", "--pid", self.process.pid, "--name",
                            "haloscope").split()
            if found:
                return found[-1]
            time.sleep(LOOK)
        raise Failed("no window appeared")

    def said(self):
        self.stderr.flush()
        with open(self.stderr.name) as file:
            return file.read()

    def cpu(self):
        """User and system time of all its threads, s."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def settle(self):
        """Until its commands are done and it does nothing, nor would on a machine less busy."""
        end = time.time() + PATIENCE
        display = LOOSE_ENDS[0]
        while time.time() < end:
            need(self.process.poll() is None, "it has ended: " + self.said())
            if not os.path.exists(f"{self.folder}/ready.toml"):
                time.sleep(LOOK)
                continue
            before = self.cpu()
            at_rest = True
            for _ in range(REST_LOOKS):
                time.sleep(LOOK)
                at_rest = at_rest and not wants_a_core(self.process) and not wants_a_core(display)
            if at_rest and self.cpu() - before < REST_COST:
                return
        raise Failed("it does not come to rest")

    def recorded(self):
        """Without what it was told at its start: opening the snapshot, and its file of commands."""
        with open(f"{self.folder}/record.txt") as file:
            lines = [line.split(maxsplit=1)[1].strip() for line in file if line.startswith("@")]
        told, by_hand = list(self.told), []
        for line in lines:
            if told and line.split()[0] == told[0]:
                told.pop(0)
            else:
                by_hand.append(line)
        return by_hand

    def expect(self, beginning, what):
        """Waits until such a command stands behind those that were expected before."""
        end = time.time() + PATIENCE
        while time.time() < end:
            if any(line.startswith(beginning) for line in self.recorded()[self.done:]):
                self.settle()
                self.done = len(self.recorded())
                return
            time.sleep(LOOK / 2)
        raise Failed(f"{what} did not make '{beginning}' but {self.recorded()[self.done:]}: "
                     f"{self.said()}")

    done = 0

    def move(self, x, y):
        xdotool("mousemove", "--window", self.id, x, y)

    def click(self, x, y):
        """At a person's pace: each step is in a frame of its own."""
        self.move(x, y)
        time.sleep(PRESS)
        xdotool("mousedown", 1)
        time.sleep(PRESS)
        xdotool("mouseup", 1)

    def drag(self, button, dx, dy):
        self.move(*PICTURE)
        xdotool("mousedown", button)
        for step in range(1, 9):
            self.move(PICTURE[0] + dx * step // 8, PICTURE[1] + dy * step // 8)
            time.sleep(0.03)
        xdotool("mouseup", button)

    def key(self, name):
        """At a person's pace: Dear ImGui 1.86 misses a key that is let go within the frame."""
        self.move(*PICTURE)
        xdotool("keydown", name)
        time.sleep(PRESS)
        xdotool("keyup", name)

    def double_click(self, beginning):
        """Again where a busy machine drew too few frames to see two clicks."""
        for _ in range(5):
            for press in ("mousedown", "mouseup", "mousedown", "mouseup"):
                xdotool(press, 1)
                time.sleep(PRESS / 2)
            self.settle()
            if any(line.startswith(beginning) for line in self.recorded()[self.done:]):
                break
        self.expect(beginning, "a double-click")

    def burst(self, keys):
        """Keys that all go down and up before the next frame is drawn."""
        xdotool("key", "--delay", 0, *keys)

    def size(self):
        return tuple(int(side) for side in re.search(
            r"Geometry: (\d+)x(\d+)", xdotool("getwindowgeometry", self.id)).groups())

    def resize(self, width, height):
        xdotool("windowsize", self.id, width, height)

    def quit(self):
        self.key("ctrl+q")
        self.wait_end()

    def wait_end(self, code=0):
        begin = time.time()
        try:
            found = self.process.wait(END_WITHIN)
        except subprocess.TimeoutExpired:
            raise Failed(f"it did not end within {END_WITHIN} s") from None
        need(found == code, f"it ended with {found}: {self.said()}")
        return time.time() - begin
