"""Two ranks that are given different things."""
import subprocess

import made
from jobs import CHECKS, LAUNCHER, LIMIT_S, PROGRAM, environment, one_sentence


def run_pair(place, words, other_place, other_words, before_other=()):
    """Two ranks in two places with words of their own."""
    return subprocess.run(
        [*LAUNCHER, "-n", "1", "-wdir", str(place), str(PROGRAM), *words, ":", "-n", "1", "-wdir",
         str(other_place), *before_other, str(PROGRAM), *other_words], text=True, capture_output=True,
        env=environment(), timeout=LIMIT_S, check=False)


def check_other_grids(folder):
    for place, shape, seed, kind in (("a", (5, 4, 3), 5, "f4"), ("b", (5, 4, 6), 5, "f8"),
                                     ("d", (5, 4, 3), 6, "f4")):
        made.grid(folder / place / "cells.npy", shape, seed, kind)
    words = ["topology", "cells.npy", "-o", "peaks.csv"]
    for other, sentence in (
            ("b", r"error: cells.npy: rank 1 sees cells \(5 x 4 x 6 cells of 1 x 1 x 1, float64, .* where rank "
                  r"0 sees cells \(5 x 4 x 3 .*, float32, "),
            ("d", "error: cells.npy: rank 1 sees other contents of this file than rank 0; give a path")):
        one_sentence(run_pair(folder / "a", words, folder / other, words), f"another grid ({other})", sentence)


def check_other_words(folder, sample):
    """Other options, no command or no plugin on one of two ranks."""
    words = ["grid", sample, "-o", "mixed.npy", "--size"]
    for name, other, sentence in (
            ("other options", [*words, "20"], "rank 1 was given 'grid .* 20', and rank 0 'grid .* 16'"),
            ("--version on one", ["--version"], "rank 1 was given '--version', and rank 0 'grid .* 16'"),
            ("no words on one", [], "rank 1 was given no words, and rank 0 'grid .* 16'")):
        one_sentence(run_pair(folder, [*words, "16"], folder, other), name, sentence)
        CHECKS.that(not (folder / "mixed.npy").exists(), f"{name}: a grid was written")
    # MPI has not started then, so that nobody else knows. srun does not end the others.
    if "srun" not in LAUNCHER[0]:
        done = run_pair(folder, [*words, "16"], folder, [*words, "16"],
                        ("env", f"HALOSCOPE_MPI={folder / 'absent.so'}"))
        one_sentence(done, "no plugin on one", r"started 2 ranks, and there is no plugin .* \(rank 1 of 2 on ")
