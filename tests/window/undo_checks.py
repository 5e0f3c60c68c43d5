"""Steps that are taken back."""

import time

from driver import PICTURE, Window, need, xdotool


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
    window.quit()
    need("no step to undo" in window.said(), "it does not say that nothing is left: " + window.said())
