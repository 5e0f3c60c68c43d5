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
        xdotool("key", "--delay", "5", "Escape")
        window.expect("panel commands", "Escape in the line, which stays open for the next one")
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
    line = ["grave", *"fov", "space", *"40", "Return", "Escape"]
    window.burst(line + ["m"])
    window.expect("next_color_map", "the key behind the line")
    names = [line.split()[0] for line in window.recorded()]
    need(names[-4:] == ["panel", "fov", "panel", "next_color_map"],
         f"a line that was typed ahead made {names}")
    window.quit()


def check_command_line(program, snapshot, folder):
    """Tab completes, Up brings back, also in the next session; what was refused can be mended."""
    window = Window(program, snapshot, folder)
    window.settle()
    window.move(*PICTURE)
    window.key("grave")
    window.expect("panel commands", "the key of the line for commands")
    xdotool("type", "--delay", "40", "gam")
    window.key("Tab")
    xdotool("type", "--delay", "40", "0")
    window.key("Return")
    window.settle()
    need(not window.recorded()[window.done:], "gamma 0 was not refused")
    window.key("Up")
    window.key("BackSpace")
    xdotool("type", "--delay", "40", "2")
    window.key("Return")
    window.expect("gamma 2", "a line that was brought back and mended")
    xdotool("type", "--delay", "40", "field gas temp")
    window.key("Tab")
    window.key("Return")
    window.expect("field gas Temperature", "a field that Tab completed")
    window.key("Escape")
    window.expect("panel commands", "Escape")
    window.quit()
    with open(f"{folder}/config/haloscope/commands.txt") as file:
        kept = file.read().splitlines()
    need(kept == ["gamma 0", "gamma 2", "field gas Temperature"], f"the history is {kept}")
    os.mkdir(f"{folder}/next")
    os.symlink(f"{folder}/config", f"{folder}/next/config")
    window = Window(program, snapshot, f"{folder}/next")
    window.settle()
    window.key("grave")
    window.expect("panel commands", "the key of the line for commands")
    xdotool("type", "--delay", "40", "ga")
    window.key("Up")
    window.key("Return")
    window.expect("gamma 2", "a line of the session before")
    window.key("Escape")
    window.expect("panel commands", "Escape")
    window.quit()


def check_settings(program, snapshot, folder):
    """What the user chooses by hand holds in the next session."""
    window = Window(program, snapshot, folder)
    window.settle()
    window.move(*PICTURE)
    window.key("F2")
    window.expect("panel settings", "key F2")
    window.key("Escape")
    window.expect("panel settings", "Escape over the settings")
    window.key("grave")
    window.expect("panel commands", "the key of the line for commands")
    for line in ("start_size 1000x700", "keep_lengths cache", "ui_scale 1.25"):
        xdotool("type", "--delay", "20", line)
        window.key("Return")
        window.expect(line, "a setting")
    window.key("Escape")
    window.expect("panel commands", "Escape")
    window.quit()
    os.mkdir(f"{folder}/next")
    os.symlink(f"{folder}/config", f"{folder}/next/config")
    window = Window(program, snapshot, f"{folder}/next", "keep_lengths nowhere\nwait\n")
    window.settle()
    need(window.size() == (1000, 700), f"the window opened with {window.size()}")
    need(window.recorded() == ["size 1000 700"], f"the recording begins with {window.recorded()}")
    window.quit()
    with open(f"{folder}/config/haloscope/window.toml") as file:
        kept = file.read()
    for entry in ('keep_lengths = "cache"', 'start_size = "1000x700"', "ui_scale = 1.25"):
        need(entry in kept, f"{entry} is not kept, but\n{kept}")


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
    for arrow, line in (("shift+Left", "orbit -3 0"), ("shift+Down", "orbit 0 3"),
                        ("alt+Right", "pan 0.02 0"), ("alt+Up", "pan 0 0.02")):
        window.key(arrow)
        window.expect(line, f"key {arrow}")
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
