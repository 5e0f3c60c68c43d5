"""Pictures of what a state shows, and their overlays, on one process and on several ranks."""
from pathlib import Path

from jobs import CHECKS, run, same_for_all

SAMPLE = str(Path(__file__).resolve().parents[2] / "assets" / "sample.hdf5")

# What is added to the session before its state is saved.
STATES = (("halos", "find halos\ncolor_by halos\n"),
          ("sets", "color_by off\nselect_members 0\nset first orange\nshow_sets only\n"),
          ("slice", "show_sets off\nfind peaks grid=16 persistence=mean:2\nwait\nslice z\n"))


def check(folder):
    commands = "".join(f'{more}wait\nsave_state "{folder / name}.toml"\n' for name, more in STATES)
    (folder / "commands.txt").write_text(commands)
    made = run(1, ["view", SAMPLE, "--headless", "--device", "cpu", "--run", str(folder / "commands.txt")],
               folder)
    CHECKS.that(made.returncode == 0, f"states are made: {made.stderr}")
    if made.returncode:
        return
    for name, _ in STATES:
        overlays = ["--overlays", "usual"] if name != "sets" else []
        for types in ([], ["--types", "dm"]) if name == "halos" else ([],):
            words = ["render", SAMPLE, "-o", "out.png", "--state", str(folder / f"{name}.toml"), "--no-cache",
                     "--size", "120x91", "--device", "cpu", "--deterministic", *overlays, *types]
            same_for_all(words, ["out.png"], f"a state with {name} {' '.join(types)}", (2, 3))
