#!/usr/bin/env python3
"""Compares what a session of the window measures with `haloscope profile`, `phase` and NumPy.

Usage: check_measuring_window.py path/to/haloscope
The snapshot and NumPy's numbers are those of check_measuring.py: a comoving one at a = 0.5 whose
center lies near a corner of the periodic box. The still of a slab is the picture that `render
--state` draws, and its map has the mass of the particles that lie in it.
Ends with 77 (skipped, for ctest) where h5py or numpy is missing, with 1 if anything differs.
"""
import re
import sys
import tempfile
from pathlib import Path

import check_measuring as measuring
from check_measuring import BINS, BOX, CENTER, CHECKS, HUBBLE, RADII, SCALE, column, rows_of, run

import h5py
import numpy as np


def session(program, folder, snapshot, lines):
    commands = folder / "commands.txt"
    commands.write_text("\n".join([*lines, "wait", "quit", ""]))
    done = run(program, "view", snapshot, "--headless", "--device", "cpu", "--run", commands)
    CHECKS.that(done.returncode == 0, f"{lines}: {done.stderr}")
    return done.stdout + done.stderr


def check_profile(program, folder, snapshot):
    out = folder / "window.csv"
    place = " ".join(map(str, CENTER))
    session(program, folder, snapshot, [
        f"profile at {place} radii={RADII[0]},{RADII[1]} bins={BINS} "
        f"velocity={','.join(map(str, measuring.VELOCITY))}",
        f"export_plot profile_density {out}"])
    rows = rows_of(out)
    edges = np.append(column(rows[:BINS], "r_low"), RADII[1])
    series = {name: [row for row in rows if row["type"] == name] for name in ("gas", "dm", "all")}
    parts = {kind: measuring.stored(snapshot, kind) for kind in (0, 1)}
    for name, kind in (("gas", 0), ("dm", 1)):
        measuring.check_series(series[name], [parts[kind]], edges, measuring.VELOCITY,
                               f"window, {name}")
    measuring.check_series(series["all"], [(*parts[0][:3], None), parts[1]], edges,
                           measuring.VELOCITY, "window, all")


def check_phase(program, folder, snapshot):
    out = folder / "phase.csv"
    session(program, folder, snapshot, ["phase Density Temperature bins=20,15",
                                        f"export_plot phase {out}"])
    rows = rows_of(out)
    with h5py.File(snapshot) as file:
        density = file["PartType0/Density"][:].astype("f8")
        energy = file["PartType0/InternalEnergy"][:].astype("f8")
        mass = file["PartType0/Masses"][:].astype("f8")
    heat = measuring.temperature(energy).astype("f4").astype("f8")
    x = np.geomspace(density.min(), density.max(), 21)
    y = np.geomspace(heat.min(), heat.max(), 16)
    want, _, _ = np.histogram2d(density, heat, [x, y], weights=mass)
    CHECKS.close(np.sum(column(rows, "sum")), mass.sum(), 1e-9, "window, sum of all bins")
    # The program's float32 may put one at an edge into the next bin.
    found = np.zeros_like(want)
    for low, left, total in zip(column(rows, "x_low"), column(rows, "y_low"), column(rows, "sum")):
        found[np.argmin(np.abs(np.log(x[:-1] / low))), np.argmin(np.abs(np.log(y[:-1] / left)))] += total
    CHECKS.that((np.abs(found - want) > 1e-6 * mass.sum()).sum() <= 4, "window, sums of bins")


def check_ruler(program, folder, snapshot):
    ends = np.array([[3.0, 997.0, 500.0], [990.0, 12.5, 507.0]])
    said = session(program, folder, snapshot,
                   ["ruler " + " ".join(map(str, ends.ravel()))])
    way = ends[1] - ends[0]
    way -= BOX * np.round(way / BOX)
    comoving = np.linalg.norm(way)
    found = re.search(r"ruler: ([\d.e+-]+) kpc/h comoving, ([\d.e+-]+) (\w+) physical", said)
    CHECKS.that(found is not None, f"the ruler says nothing: {said}")
    if not found:
        return
    CHECKS.close(float(found[1]), comoving, 1e-5, "the ruler's comoving length")
    CHECKS.that(found[3] == "kpc", "the ruler's unit")
    CHECKS.close(float(found[2]), comoving * SCALE / HUBBLE, 1e-5, "the ruler's physical length")
    state = folder / "ruler.toml"
    session(program, folder, snapshot, ["ruler 1 2 3 4 5 6", f"save_state {state}"])
    CHECKS.that("[ruler]" in state.read_text(), "the state has no ruler")


def check_slab(program, folder, snapshot):
    state = folder / "slab.toml"
    still, rendered = folder / "still.png", folder / "rendered.png"
    session(program, folder, snapshot, [
        "size 640 480", "slab y 950 40", f"screenshot {still} bare 300x200",
        f"save_state {state}"])
    done = run(program, "render", snapshot, "-o", rendered, "--state", state, "--size", "300x200",
               "--device", "cpu")
    CHECKS.that(done.returncode == 0, f"render --state: {done.stderr}")
    CHECKS.that("[slab]" in state.read_text(), "the state has no slab")
    CHECKS.that(image_bytes(still) == image_bytes(rendered),
                "a slab's still is not the picture of render --state")
    whole = folder / "whole.png"
    session(program, folder, snapshot, ["size 640 480", f"screenshot {whole} bare 300x200"])
    CHECKS.that(image_bytes(still) != image_bytes(whole), "a slab leaves nothing out")
    # The map of a slab has the mass of its particles.
    with h5py.File(snapshot) as file:
        mass = 0
        for kind in (0, 1, 4):
            group = file[f"PartType{kind}"]
            place = group["Coordinates"][:, 1]
            inside = (place >= 950) | (place <= 40)
            weights = group["Masses"][:].astype("f8") if "Masses" in group else np.full(
                len(place), measuring.MASS_OF_DARK)
            mass += weights[inside].sum()
    chart = folder / "map.hdf5"
    view = ["--target", "500,500,500", "--ortho", str(BOX)]
    done = run(program, "render", snapshot, "-o", chart, "--map", "surface-density", "--state",
               state, "--size", "200x200", "--device", "cpu", *view)
    CHECKS.that(done.returncode == 0, f"render --map --state: {done.stderr}")
    if done.returncode == 0:
        with h5py.File(chart) as file:
            values = next(values for values in file.values()
                          if isinstance(values, h5py.Dataset) and values.shape == (200, 200))
            CHECKS.close(values[:].astype("f8").sum() * (BOX / 200) ** 2, mass, 1e-4,
                         "the mass of a slab's map")


def image_bytes(path):
    """Of a PNG the pixels alone: its texts tell who made it."""
    data, at, kept = path.read_bytes(), 8, b""
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] in (b"IHDR", b"IDAT"):
            kept += data[at + 8:at + 8 + size]
        at += size + 12
    return kept


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        snapshot = folder / "snap.hdf5"
        measuring.make_snapshot(snapshot)
        check_profile(program, folder, snapshot)
        check_phase(program, folder, snapshot)
        check_ruler(program, folder, snapshot)
        check_slab(program, folder, snapshot)
    print(f"{CHECKS.done} checks, {CHECKS.wrong} wrong")
    return 1 if CHECKS.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
