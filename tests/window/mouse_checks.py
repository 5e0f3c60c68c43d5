"""What is dragged, rolled and clicked in the picture, and what the window costs at rest."""

import os
import time

from driver import (HEIGHT, IDLE, IDLE_COST, PICTURE, TOAST, WIDTH, Window, need, xdotool)

SEARCH_AND_FLY = "find_halos\nfly_to_halo 0\n"


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
    window.resize(1, 1)
    window.settle()
    window.resize(3840, 2160)
    window.expect("size 3840 2160", "a larger window")
    window.resize(WIDTH, HEIGHT)
    window.expect(f"size {WIDTH} {HEIGHT}", "the first size again")
    window.quit()
    need("warning" not in window.said(), "it warns: " + window.said())
    print(" ".join(line.split()[0] for line in window.recorded()))


def check_idle(program, snapshot, folder):
    """Processor time is the window's own, whatever else the machine does meanwhile."""
    window = Window(program, snapshot, folder)
    window.settle()
    window.drag(1, 120, 40)
    window.expect("orbit", "a drag with the left button")
    window.key("F12")
    window.expect("screenshot", "key F12")
    need(os.path.exists(f"{folder}/haloscope-0001.png"), "F12 wrote no haloscope-0001.png")
    time.sleep(TOAST)  # it is drawn once more when what F12 has told goes
    before = window.cpu()
    time.sleep(IDLE)
    cost = window.cpu() - before
    need(cost < IDLE_COST, f"an idle window takes {cost:.2f} s of CPU time in {IDLE} s")
    print(f"idle: {cost:.2f} s of CPU time in {IDLE} s")
    window.quit()
    need("warning" not in window.said(), "it warns: " + window.said())


def check_click_on_halo(program, snapshot, folder):
    window = Window(program, snapshot, folder, SEARCH_AND_FLY)
    window.settle()
    window.click(*PICTURE)
    window.expect("select halos", "a click on a halo")
    window.double_click("glide_to")
    window.quit()
    need("warning" not in window.said(), "it warns: " + window.said())
