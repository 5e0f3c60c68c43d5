"""Sets of particles, kept and shown by the mouse."""

from driver import WIDTH, Window, xdotool

FIRST_COLUMN = WIDTH - 284  # of the inspector's page
MODES, NAME, KEEP = 438, 463, 488  # heights in the page Select, of a sphere that is selected


def check_sets(program, snapshot, folder):
    """The page Select keeps a selection as a set, shows it in each way, and forgets it."""
    window = Window(program, snapshot, folder, "inspector select\nselect_sphere 50% 50% 50% 20%\n")
    window.settle()

    def click(x, y, line, what):
        window.click(x, y)
        window.expect(line, what)

    click(WIDTH - 133, MODES, "show_sets dim", "the button Dim, of the selection")
    window.click(FIRST_COLUMN + 90, NAME)
    window.settle()
    xdotool("type", "--delay", "60", "core")
    window.settle()
    click(FIRST_COLUMN + 40, KEEP, "set core", "the button that keeps the selection")
    click(WIDTH - 93, MODES, "show_sets only", "the button Only")
    click(FIRST_COLUMN + 40, KEEP - 5, "show_set core off", "the set's tick")
    click(WIDTH - 15, KEEP - 5, "remove_set core", "the cross that removes")
    click(FIRST_COLUMN, MODES, "show_sets off", "the button Off")
    window.quit()
