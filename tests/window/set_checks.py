"""Sets of particles, kept and shown by the mouse."""

from driver import WIDTH, Window, need, xdotool


def check_sets(program, snapshot, folder):
    """The page Select keeps a selection as a set, and shows it in each way."""
    window = Window(program, snapshot, folder, "inspector select\nselect_sphere 50% 50% 50% 20%\n")
    window.settle()
