"""Keys that are pressed one by one, and lines that are typed faster than frames are drawn."""

import os
import time

from driver import PICTURE, PRESS, START_FIELD, Window, need, xdotool


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
    window.quit()


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
    window.quit()


def check_keys_behind_a_path(program, snapshot, folder):
    """What is typed behind the path of the start page, which is still being opened, is no hot key."""
    window = Window(program, None, folder)
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
    window.quit()


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
    window.settle()
    need(not window.recorded()[window.done:], "Tab opened no field: O is a key")
    window.key("Escape")
    window.settle()
    window.key("o")
    window.expect("projection", "key O")
    for digit, look in zip("1254", ("gas", "dark_matter", "map", "composite")):
        window.key(digit)
        window.expect(f"show_look {look}", f"key {digit}")
    window.key("6")
    window.settle()
    need(not window.recorded()[window.done:], "key 6 made a command")
    window.key("F1")
    window.expect("panel keys", "key F1")
    window.key("Escape")
    window.expect("panel keys", "Escape over the key sheet")
    window.key("Escape")
    window.expect("cancel", "Escape over nothing")
    names = [line.split()[0] for line in window.recorded()]
    need(names.count("cancel") == 1, f"Escape over the key sheet stopped a job: {names}")
    window.quit()
