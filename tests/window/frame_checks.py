"""The window's frame beside the picture, and its size."""

import os
import signal
import time

from driver import HEIGHT, PICTURE, PRESS, WIDTH, Window, need, set_resources, xdotool


def check_frame(program, snapshot, folder):
    """The words beside the inspector, the shelf's tabs and its edge, with a mouse."""
    window = Window(program, snapshot, folder)
    window.settle()

    def click(x, y, line, what):
        window.click(x, y)
        window.expect(line, what)

    words = WIDTH - 302 - 29
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
    window.quit()
    need("warning" not in window.said(), "it warns: " + window.said())


def check_fast_mouse(program, snapshot, folder):
    """A drag and a double-click, each over before the program draws its next frame."""
    window = Window(program, snapshot, folder)
    window.settle()

    def between_two_frames(*steps):
        window.process.send_signal(signal.SIGSTOP)
        for step in steps:
            xdotool(*step)
        window.process.send_signal(signal.SIGCONT)

    def to(x, y):
        return ("mousemove", "--window", window.id, x, y)

    down, up = ("mousedown", 1), ("mouseup", 1)
    window.click(WIDTH - 302 - 29, 755)
    window.expect("shelf toggle", "the word Shelf")
    between_two_frames(to(400, 590), down, to(400, 550), to(400, 470), up, to(400, 300))
    window.expect("shelf_height 0.4", "a fast drag of the shelf's edge")
    need(not any(line.startswith("orbit") for line in window.recorded()),
         "a fast drag of the shelf's edge turned the picture")
    between_two_frames(to(*PICTURE), down, up, down, up)
    window.expect("glide_to", "a fast double-click")
    window.quit()


def check_size_at_scale(program, snapshot, folder):
    set_resources("Xft.dpi:\t192\n")
    try:
        window = Window(program, snapshot, folder, options=["--size", "1000x700"])
        window.settle()
        need(window.size() == (1000, 700), f"--size 1000x700 made a window of {window.size()}")
        need(not any("size 2" in line for line in window.recorded()), "it recorded another size")
        window.resize(900, 600)
        window.expect("size 900 600", "a size that the user chose")
        window.quit()
        os.remove(f"{folder}/ready.toml")
        window = Window(program, snapshot, folder)
        window.settle()
        need(window.size() == (2 * WIDTH, 2 * HEIGHT), f"the usual window has {window.size()}")
        window.quit()
    finally:
        set_resources("")
