"""Films on one process and on several ranks: as frames and in one file."""
import os
import tempfile
from pathlib import Path

from jobs import CHECKS, RANKS, run, same_for_all

SAMPLE = str(Path(__file__).resolve().parents[2] / "assets" / "sample.hdf5")


def check(folder, device="cpu", numbers=RANKS):
    """Ranks share the frames, or the particles."""
    path = folder / "path.toml"
    path.write_text("fps = 2\n[[key]]\ntime = 0\neye = [9, 9, 50]\ntarget = [9, 9, 9]\n"
                    "[[key]]\ntime = 3\neye = [40, 9, 9]\ntarget = [9, 9, 9]\n")
    words = ["movie", SAMPLE, "--path", str(path), "-o", "%03d.png", "--size", "80x60", "--no-cache",
             "--device", device]
    frames = [f"{n:03}.png" for n in range(7)]
    same_for_all(words, frames, f"a film, {device}", numbers)
    same_for_all([*words, "--from", "2", "--to", "3"], frames[2:4], f"a part of a film, {device}",
                 numbers[-1:])
    shared = [*words, "--split", "particles"]
    same_for_all([*shared, "--quiet"], frames, f"a film whose particles the ranks share, {device}",
                 numbers)
    with tempfile.TemporaryDirectory() as place:
        done = run(numbers[0], [*shared, "--to", "0"], place)
        CHECKS.that("has a part of the particles, and draws it in all frames" in done.stdout,
                    f"ranks that share the particles do not say so: {done.stdout} {done.stderr}")
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    encoder = programs / "ffmpeg"  # stands in for it: frames as they come
    encoder.write_text('#!/bin/sh\nfor last; do :; done\nexec cat > "$last"\n')
    encoder.chmod(0o755)
    former = os.environ["PATH"]
    os.environ["PATH"] = f"{programs}:{former}"
    try:
        same_for_all([*words[:5], "film.mp4", *words[6:]], ["film.mp4"],
                     f"a film in one file, {device}", numbers)
    finally:
        os.environ["PATH"] = former
