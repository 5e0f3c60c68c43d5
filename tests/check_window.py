"""Drives the real window with a mouse and keys on a display of its own (Xvfb, xdotool).

Run by hand: python3 tests/check_window.py path/to/haloscope path/to/sample.hdf5 [CHECK...]
What is dragged, rolled, pressed and clicked must stand in the recording, the window must survive any
size, cost nothing while nothing happens, and end when it is told to. Ends with 77 (skipped, for
ctest) where Xvfb or xdotool are missing, or the program has no window.
"""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# ctest counts 77 as skipped; 1 where HALOSCOPE_REQUIRE asks for the window.
SKIPPED = 1 if "window" in os.environ.get("HALOSCOPE_REQUIRE", "").split(",") else 77
# Of user and system time in IDLE seconds; the loop wakes four times a second to look for Ctrl+C.
IDLE, IDLE_COST = 5, 0.1
TOAST = 5  # longer than one is shown, s
# A search or a picture ends within a frame or two when it is cancelled; the rest is the machine's.
END_WITHIN = 5
PATIENCE = 60
PRESS = 0.15  # of a key, s
WIDTH, HEIGHT = 1280, 800
PICTURE = (455, 402)  # the middle of the picture, left of the inspector
START_FIELD = (455, 408)  # the path's on the start page, where no file was opened before
LOOSE_ENDS = []  # what must be ended whatever happens

SEARCH_AND_FLY = "find_halos\nfly_to_halo 0\n"


class Failed(Exception):
    pass


def need(condition, sentence):
    if not condition:
        raise Failed(sentence)


def end(process):
    process.kill()
    process.wait()


def start_display():
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
    """The program with its window, in a folder of its own."""

    def __init__(self, program, snapshot, folder, commands="", options=()):
        """`snapshot` None: the start page."""
        self.folder = folder
        with open(f"{folder}/commands.txt", "w") as file:
            file.write(commands + "wait\nsave_state ready.toml\n")
        # A pointer that is inside already enters no window, and is not seen by it.
        xdotool("mousemove", 3800, 2100)
        self.stderr = open(f"{folder}/stderr.txt", "w+")
        self.process = subprocess.Popen(
            [program, "view", *([snapshot] if snapshot else []), "--device", "cpu", "--record",
             "record.txt", "--run", "commands.txt", *options], cwd=folder, stdout=self.stderr,
            stderr=self.stderr)
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
            time.sleep(0.1)
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
        """Until its commands are done and it has done nothing for a second."""
        end = time.time() + PATIENCE
        while time.time() < end:
            need(self.process.poll() is None, "it has ended: " + self.said())
            if not os.path.exists(f"{self.folder}/ready.toml"):
                time.sleep(0.1)
                continue
            before = self.cpu()
            time.sleep(1)
            if self.cpu() - before < 0.04:
                return
        raise Failed("it does not come to rest")

    def recorded(self):
        with open(f"{self.folder}/record.txt") as file:
            return [line.split(maxsplit=1)[1].strip() for line in file if line.startswith("@")]

    def expect(self, beginning, what):
        """Waits until such a command stands behind those that were expected before."""
        end = time.time() + PATIENCE
        while time.time() < end:
            if any(line.startswith(beginning) for line in self.recorded()[self.done:]):
                self.settle()
                self.done = len(self.recorded())
                return
            time.sleep(0.1)
        raise Failed(f"{what} did not make '{beginning}' but {self.recorded()[self.done:]}: "
                     f"{self.said()}")

    done = 0

    def move(self, x, y):
        xdotool("mousemove", "--window", self.id, x, y)

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

    def wait_end(self, code=0):
        begin = time.time()
        try:
            found = self.process.wait(END_WITHIN)
        except subprocess.TimeoutExpired:
            raise Failed(f"it did not end within {END_WITHIN} s") from None
        need(found == code, f"it ended with {found}: {self.said()}")
        return time.time() - begin


def check_mouse_and_keys(program, snapshot, folder):
    window = Window(program, snapshot, folder)
    window.settle()
    window.drag(1, 120, 40)
    window.expect("orbit", "a drag with the left button")
    window.drag(3, -80, 30)
    window.expect("pan", "a drag with the right button")
    window.move(*PICTURE)
    xdotool("click", 4)
    window.expect("zoom", "the wheel")
    window.key("f")
    window.expect("fit", "key F")
    window.key("m")
    window.expect("next_color_map", "key M")
    window.key("F12")
    window.expect("screenshot", "key F12")
    need(os.path.exists(f"{folder}/haloscope-0001.png"), "F12 wrote no haloscope-0001.png")
    time.sleep(TOAST)  # it is drawn once more when what F12 has told goes
    before = window.cpu()
    time.sleep(IDLE)
    cost = window.cpu() - before
    need(cost < IDLE_COST, f"an idle window takes {cost:.2f} s of CPU time in {IDLE} s")
    print(f"idle: {cost:.2f} s of CPU time in {IDLE} s")
    window.resize(1, 1)
    window.settle()
    window.resize(3840, 2160)
    window.expect("size 3840 2160", "a larger window")
    window.resize(WIDTH, HEIGHT)
    window.expect(f"size {WIDTH} {HEIGHT}", "the first size again")
    window.key("ctrl+q")
    window.wait_end()
    need("warning" not in window.said(), "it warns: " + window.said())
    print(" ".join(line.split()[0] for line in window.recorded()))


def check_click_on_halo(program, snapshot, folder):
    window = Window(program, snapshot, folder, SEARCH_AND_FLY)
    window.settle()
    window.move(*PICTURE)
    xdotool("mousedown", 1)
    time.sleep(PRESS)
    xdotool("mouseup", 1)
    window.expect("select_halo", "a click on a halo")
    window.double_click("glide_to")
    window.key("ctrl+q")
    window.wait_end()
    need("warning" not in window.said(), "it warns: " + window.said())


def check_undo(program, snapshot, folder):
    """A drag with a pause in it is one step; in a field Ctrl+Z is the field's."""
    window = Window(program, snapshot, folder)
    window.settle()
    window.move(*PICTURE)
    xdotool("mousedown", 1)
    for step in (1, 2):
        for dx in range(0, 80, 10):
            window.move(PICTURE[0] + step * dx, PICTURE[1])
            time.sleep(0.03)
        time.sleep(1)
    xdotool("mouseup", 1)
    window.expect("one_step off", "the end of a drag")
    names = [line.split()[0] for line in window.recorded()]
    turns = names.count("orbit")
    need(turns > 2 and names[-turns - 2:] == ["one_step", *["orbit"] * turns, "one_step"],
         f"a drag made {names}")
    window.key("ctrl+z")
    window.expect("undo", "Ctrl+Z")
    window.key("ctrl+shift+z")
    window.expect("redo", "Ctrl+Shift+Z")
    window.key("grave")
    window.expect("panel commands", "the key of the line for commands")
    xdotool("type", "--delay", "5", "gamma 3")
    window.key("ctrl+z")
    window.settle()
    need(not window.recorded()[window.done:], f"in a field: {window.recorded()[window.done:]}")
    window.key("Escape")
    window.expect("panel commands", "Escape")
    window.key("ctrl+z")
    window.expect("undo", "Ctrl+Z once more")
    window.key("ctrl+z")
    window.settle()
    need(not window.recorded()[window.done:], "the drag was more than one step")
    window.key("ctrl+q")
    window.wait_end()
    need("no step to undo" in window.said(), "it does not say that nothing is left: " + window.said())


def check_fast_typing(program, snapshot, folder):
    """Keys that go down and up between two frames, and the key behind them."""
    window = Window(program, snapshot, folder)
    window.settle()
    window.move(*PICTURE)
    for command in ("gamma 2", "exposure 1"):
        window.key("grave")
        window.expect("panel commands", "the key of the line for commands")
        xdotool("type", "--delay", "5", command)
        xdotool("key", "--delay", "5", "Return")
        window.expect(command, "a line that was typed fast")
    xdotool("key", "--delay", "5", "m")
    window.expect("next_color_map", "the first key after it")
    # Escape closes the line.
    window.key("grave")
    window.expect("panel commands", "the key of the line for commands")
    window.key("Escape")
    window.expect("panel commands", "Escape")
    window.key("ctrl+q")
    window.wait_end()


def check_typing_ahead(program, snapshot, folder):
    """Keys behind the one that opens a field, or leaves it, go where they belong."""
    window = Window(program, snapshot, folder)
    window.settle()
    window.move(*PICTURE)
    # The key behind is none of the line's: GLFW takes two presses of one key within a millisecond
    # for one that an input method repeated.
    line = ["grave", *"fov", "space", *"40", "Return"]
    window.burst(line + ["m"])
    window.expect("next_color_map", "the key behind the line")
    names = [line.split()[0] for line in window.recorded()]
    need(names[-4:] == ["panel", "fov", "panel", "next_color_map"],
         f"a line that was typed ahead made {names}")
    window.key("ctrl+q")
    window.wait_end()


def check_keys_behind_a_path(program, snapshot, folder):
    """What is typed behind the path of the start page, which is still being opened, is no hot key."""
    former = os.environ["XDG_CONFIG_HOME"]
    os.environ["XDG_CONFIG_HOME"] = folder
    window = Window(program, None, folder)
    os.environ["XDG_CONFIG_HOME"] = former
    window.settle()
    window.move(*START_FIELD)
    xdotool("click", 1)
    time.sleep(PRESS)
    os.symlink(snapshot, f"{folder}/s")
    window.burst(["s", "Return", "m", "l", "f"])
    window.expect("open", "a path that was typed")
    window.settle()
    need("no snapshot is open" not in window.said(), "letters ran as keys: " + window.said())
    need(window.recorded()[0] == "open s", f"the path became {window.recorded()}")
    window.key("m")
    window.expect("next_color_map", "key M once the snapshot is shown")
    window.key("ctrl+q")
    window.wait_end()


def check_panel_keys(program, snapshot, folder):
    window = Window(program, snapshot, folder)
    window.settle()
    window.key("F10")
    window.expect("panel all", "key F10")
    window.key("F10")
    window.expect("panel all", "key F10 again")
    for key, line in (("F9", "shelf toggle"), ("F9", "shelf toggle"), ("F11", "layout present"),
                      ("F10", "panel all")):
        window.key(key)
        window.expect(line, f"key {key}")
    window.key("Tab")
    window.settle()
    need(not window.recorded()[window.done:], f"Tab made {window.recorded()[window.done:]}")
    window.key("o")
    need(not window.recorded()[window.done:], "Tab opened no field: O is a key")
    window.key("Escape")
    window.settle()
    window.key("o")
    window.expect("projection", "key O")
    for digit in "12345":
        window.key(digit)
    window.settle()
    need(not window.recorded()[window.done:], "a digit made a command")
    window.key("ctrl+q")
    window.wait_end()


def check_frame(program, snapshot, folder):
    """The words beside the inspector, the shelf's tabs and its edge, with a mouse."""
    window = Window(program, snapshot, folder)
    window.settle()

    def click(x, y, line, what):
        window.move(x, y)
        time.sleep(PRESS)
        xdotool("mousedown", 1)
        time.sleep(PRESS)
        xdotool("mouseup", 1)
        window.expect(line, what)

    words = WIDTH - 312 - 29
    click(words, 81, "inspector camera", "the word Camera")
    xdotool("keydown", "Control_L")
    click(words, 114, "inspector find pin", "Ctrl+click on the word Find")
    xdotool("keyup", "Control_L")
    click(words, 755, "shelf toggle", "the word Shelf")
    click(81, 610, "shelf plots", "the tab Plots")
    window.move(400, 590)
    time.sleep(PRESS)
    xdotool("mousedown", 1)
    for y in range(590, 462, -10):
        window.move(400, y)
        time.sleep(0.05)
    xdotool("mouseup", 1)
    window.expect("shelf_height 0.4", "the shelf's edge")
    click(words, 81, "inspector off", "the word of the open page")
    window.key("ctrl+q")
    window.wait_end()
    need("warning" not in window.said(), "it warns: " + window.said())


def check_size_at_scale(program, snapshot, folder):
    set_resources("Xft.dpi:\t192\n")
    try:
        window = Window(program, snapshot, folder, options=["--size", "1000x700"])
        window.settle()
        need(window.size() == (1000, 700), f"--size 1000x700 made a window of {window.size()}")
        need(not any("size 2" in line for line in window.recorded()), "it recorded another size")
        window.resize(900, 600)
        window.expect("size 900 600", "a size that the user chose")
        window.key("ctrl+q")
        window.wait_end()
        os.remove(f"{folder}/ready.toml")
        window = Window(program, snapshot, folder)
        window.settle()
        need(window.size() == (2 * WIDTH, 2 * HEIGHT), f"the usual window has {window.size()}")
        window.key("ctrl+q")
        window.wait_end()
    finally:
        set_resources("")


def check_removed_file(program, snapshot, folder):
    copy = f"{folder}/copy.hdf5"
    shutil.copy(snapshot, copy)
    window = Window(program, copy, folder)
    window.settle()
    os.remove(copy)
    window.drag(1, 60, 20)
    window.expect("orbit", "a drag after the file was removed")
    # Fields that were not read before cannot be read now: a sentence, and the window stays.
    window.key("grave")
    window.settle()
    xdotool("type", "find_halos")
    window.settle()
    window.key("Return")
    window.expect("find_halos", "a command that is typed")
    window.key("ctrl+q")
    window.wait_end()
    need(copy in window.said(), "nothing is said of the file that is gone: " + window.said())


def check_close_during_search(program, snapshot, folder):
    # Each another one: what was found is kept.
    searches = "".join(f"find_halos {0.4 + k / 1000:.3f} 2\n" for k in range(300))
    window = Window(program, snapshot, folder, searches)
    time.sleep(4)
    before = window.cpu()
    time.sleep(0.5)
    need(window.cpu() > before, "no search runs that could be interrupted")
    ask_to_close(int(window.id))
    print(f"closed during a search: ended after {window.wait_end():.1f} s")


def check_interrupt(program, snapshot, folder):
    window = Window(program, snapshot, folder)
    window.settle()
    window.process.send_signal(signal.SIGINT)
    window.wait_end(130)
    need("nothing was written" not in window.said(), "it says: " + window.said())


def check_without_display(program, snapshot, folder):
    nowhere = {key: value for key, value in os.environ.items()
               if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    ended = subprocess.run([program, "view", snapshot], cwd=folder, env=nowhere, text=True,
                           capture_output=True, timeout=PATIENCE)
    need(ended.returncode == 2, f"without a display it ends with {ended.returncode}")
    need("--headless" in ended.stderr, "without a display it says: " + ended.stderr)
    ended = subprocess.run([program, "no_such.hdf5"], cwd=folder, env=nowhere, text=True,
                           capture_output=True, timeout=PATIENCE)
    need(ended.returncode == 2 and "there is no such file" in ended.stderr,
         "of a file that is not there it says: " + ended.stderr)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, snapshot = map(os.path.abspath, sys.argv[1:3])
    for tool in ("Xvfb", "xdotool"):
        if not shutil.which(tool):
            print(f"skipped: {tool} is not installed")
            return SKIPPED
    failed = 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CONFIG_HOME"] = folder + "/config"
            os.environ["DISPLAY"] = start_display()
            for check in (check_without_display, check_mouse_and_keys, check_undo, check_fast_typing,
                          check_typing_ahead, check_keys_behind_a_path, check_panel_keys, check_frame,
                          check_size_at_scale, check_click_on_halo, check_removed_file, check_close_during_search, check_interrupt):
                name = check.__name__
                if sys.argv[3:] and name not in sys.argv[3:]:
                    continue
                os.mkdir(f"{folder}/{name}")
                try:
                    check(program, snapshot, f"{folder}/{name}")
                    print(f"{name}: good")
                except (Failed, subprocess.TimeoutExpired) as fault:
                    if "built without its window" in str(fault):
                        print("skipped: the program was built without its window")
                        return SKIPPED
                    failed += 1
                    print(f"{name}: {fault}")
                while len(LOOSE_ENDS) > 1:  # the display stays
                    end(LOOSE_ENDS.pop())
    finally:
        while LOOSE_ENDS:
            end(LOOSE_ENDS.pop())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
