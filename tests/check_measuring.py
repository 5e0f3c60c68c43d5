#!/usr/bin/env python3
"""Compares `haloscope profile` and `haloscope phase` with NumPy.

Usage: check_measuring.py path/to/haloscope
Makes a comoving snapshot at a = 0.5 with gas, dark matter whose mass stands in the header, and a
few stars far away; its center lies near a corner of the periodic box. NumPy measures the same from
the stored datasets, with GADGET's conventions written out here.
Ends with 77 (skipped, for ctest) where h5py or numpy is missing, with 1 if anything differs.
"""
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import Checks

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

BOX, SCALE, HUBBLE, OMEGA = 1000.0, 0.5, 0.7, 0.3
CENTER = np.array([3.0, 997.0, 500.0])
VELOCITY = np.array([120.0, -40.0, 15.0])
RADII, BINS = (2.0, 200.0), 16
MASS_OF_DARK = 0.0125


class MeasuringChecks(Checks):
    def close(self, found, wanted, tolerance, words):
        found, wanted = np.asarray(found, float), np.asarray(wanted, float)
        same = np.isnan(found) == np.isnan(wanted)
        near = np.abs(found - wanted) <= tolerance * np.abs(wanted) + 1e-300
        self.that(bool(np.all(same & (near | np.isnan(wanted)))),
                  f"{words}: {found} and not {wanted}")


CHECKS = MeasuringChecks()


def around(random, count):
    """As many at any radius as at any other, across the corner of the box."""
    radius = 300 * np.exp(-6 * random.random(count))
    way = random.normal(size=(count, 3))
    return (CENTER + radius[:, None] * way / np.linalg.norm(way, axis=1)[:, None]) % BOX


def make_snapshot(path):
    random = np.random.default_rng(5)
    counts = {0: 5000, 1: 7000, 4: 20}
    with h5py.File(path, "w") as file:
        head = file.create_group("Header").attrs
        numbers = np.array([counts.get(k, 0) for k in range(6)], "u4")
        head["NumPart_ThisFile"] = head["NumPart_Total"] = numbers
        head["MassTable"] = np.array([0, MASS_OF_DARK, 0, 0, 0, 0])
        head["NumFilesPerSnapshot"] = np.int32(1)
        for name, value in (("BoxSize", BOX), ("Time", SCALE), ("Redshift", 1 / SCALE - 1),
                            ("HubbleParam", HUBBLE), ("Omega0", OMEGA),
                            ("OmegaLambda", 1 - OMEGA)):
            head[name] = value
        for kind, count in counts.items():
            group = file.create_group(f"PartType{kind}")
            places = around(random, count) if kind < 4 else random.random((count, 3)) + 200
            group["Coordinates"] = places.astype("f8")
            group["Velocities"] = (random.normal(size=(count, 3)) * 90 + 30).astype("f4")
            group["ParticleIDs"] = np.arange(count, dtype="u4")
            if kind != 1:
                group["Masses"] = (0.001 + 0.01 * random.random(count)).astype("f4")
            if kind == 0:
                group["InternalEnergy"] = (100 * np.exp(3 * random.normal(size=count))).astype("f4")
                group["Density"] = (1e-6 * np.exp(2 * random.normal(size=count))).astype("f4")


def temperature(energy):
    """Of a fully ionized gas, in K."""
    electrons = 1 + 2 * 0.24 / (4 * 0.76)
    weight = 4 / (1 + 3 * 0.76 + 4 * 0.76 * electrons)
    return 2 / 3 * energy * 1e10 * weight * 1.67262192369e-24 / 1.380649e-16


def stored(path, kind):
    with h5py.File(path) as file:
        group = file[f"PartType{kind}"]
        place = (group["Coordinates"][:] - CENTER + BOX / 2) % BOX - BOX / 2
        # GADGET stores v / sqrt(a).
        velocity = group["Velocities"][:].astype("f8") * np.sqrt(SCALE)
        mass = group["Masses"][:].astype("f8") if "Masses" in group else np.full(
            len(place), MASS_OF_DARK)
        heat = temperature(group["InternalEnergy"][:].astype("f8")) if kind == 0 else None
    return place, velocity, mass, heat


def run(program, *words, threads=None):
    keep = (lambda: os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:threads]))
            ) if threads else None
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True,
                          preexec_fn=keep)


def run_well(program, *words, threads=None):
    done = run(program, *words, threads=threads)
    CHECKS.that(done.returncode == 0, f"{words}: {done.stderr}")
    return done


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return list(csv.DictReader(lines))


def column(rows, name):
    return np.array([float(row[name]) if row[name] else np.nan for row in rows])


def check_series(rows, parts, edges, frame, words):
    place, velocity, mass = (np.concatenate([part[k] for part in parts]) for k in range(3))
    radius = np.linalg.norm(place, axis=1)
    velocity = velocity - frame
    outwards = np.sum(velocity * place, axis=1) / radius
    want = {name: np.full(BINS, np.nan) for name in ("radial_velocity", "velocity_dispersion",
                                                      "temperature")}
    count, within, density, mass_within = (np.zeros(BINS) for _ in range(4))
    for k in range(BINS):
        here = (radius >= edges[k]) & (radius < edges[k + 1])
        count[k], m = here.sum(), mass[here]
        density[k] = m.sum() / (4 / 3 * np.pi * (edges[k + 1] ** 3 - edges[k] ** 3))
        within[k] = (radius < edges[k + 1]).sum()
        mass_within[k] = mass[radius < edges[k + 1]].sum()
        if count[k] == 0:
            continue
        want["radial_velocity"][k] = np.average(outwards[here], weights=m)
        if count[k] > 1:
            off = velocity[here] - np.average(velocity[here], axis=0, weights=m)
            want["velocity_dispersion"][k] = np.sqrt(
                np.average(np.sum(off ** 2, axis=1), weights=m) / 3)
        if parts[0][3] is not None:
            want["temperature"][k] = np.average(parts[0][3][here], weights=m)
    CHECKS.close(column(rows, "count"), count, 0, words + " counts")
    CHECKS.close(column(rows, "count_within"), within, 0, words + " counts within")
    CHECKS.close(column(rows, "density"), density, 1e-9, words + " densities")
    CHECKS.close(column(rows, "mass_within"), mass_within, 1e-9, words + " masses within")
    for name, tolerance in (("radial_velocity", 1e-4), ("velocity_dispersion", 1e-6),
                            ("temperature", 1e-5)):
        CHECKS.close(column(rows, name), want[name], tolerance, f"{words} {name}")


def check_profile(program, folder, snapshot):
    out, out5 = folder / "p.csv", folder / "p.hdf5"
    common = ["--center", ",".join(map(str, CENTER)), "--radii", f"{RADII[0]},{RADII[1]}",
              "--bins", BINS]
    words = ["profile", snapshot, "-o", out, "-o", out5, *common, "--velocity",
             ",".join(map(str, VELOCITY))]
    run_well(program, *words)
    rows = rows_of(out)
    edges = np.append(column(rows[:BINS], "r_low"), RADII[1])
    CHECKS.close(edges, np.geomspace(*RADII, BINS + 1), 1e-12, "edges")
    series = {name: [row for row in rows if row["type"] == name] for name in
              ("gas", "dm", "stars", "all")}
    parts = {0: stored(snapshot, 0), 1: stored(snapshot, 1)}
    check_series(series["gas"], [parts[0]], edges, VELOCITY, "gas")
    check_series(series["dm"], [parts[1]], edges, VELOCITY, "dark matter")
    both = [(*parts[0][:3], None), parts[1]]
    check_series(series["all"], both, edges, VELOCITY, "all")
    CHECKS.close(column(series["stars"], "count"), np.zeros(BINS), 0, "stars, which are far away")
    with h5py.File(out5) as file:
        CHECKS.close(file["PartType0/density"][:], column(series["gas"], "density"), 0, "HDF5")
        CHECKS.that(file["Provenance"].attrs["Program"] == "haloscope", "Provenance")
    # The mean velocity of the sphere is the frame where none is given.
    run_well(program, "profile", snapshot, "-o", out5, *common)
    place, velocity, mass = (np.concatenate([parts[t][k] for t in (0, 1)]) for k in range(3))
    near = np.linalg.norm(place, axis=1) < RADII[1]
    with h5py.File(out5) as file:
        CHECKS.close(file["FrameVelocity"][:], np.average(velocity[near], axis=0,
                                                          weights=mass[near]), 1e-6, "frame")
    first = out.read_bytes()
    run_well(program, *words, threads=1)
    CHECKS.that(out.read_bytes() == first, "other bytes on one thread")
    # The same place, boxes away.
    words[words.index("--center") + 1] = ",".join(map(str, CENTER + [BOX, -2 * BOX, 0]))
    run_well(program, *words)
    for name in ("count", "mass_within", "radial_velocity"):
        CHECKS.close(column(rows_of(out), name), column(rows, name), 1e-4, f"{name} boxes away")


def check_structure(program, folder, snapshot):
    catalog, out = folder / "halos.csv", folder / "s.hdf5"
    mpc = CENTER / 1000
    catalog.write_text(
        "x [Mpc/h],y [Mpc/h],z [Mpc/h],vx [km/s],vy [km/s],vz [km/s],mass [Msun/h],r200 [kpc/h]\n"
        "0.1,0.1,0.1,1,2,3,1e12,10\n"
        f"{mpc[0]:.17g},{mpc[1]:.17g},{mpc[2]:.17g},120,-40,15,1e11,100\n")
    run_well(program, "profile", snapshot, "-o", out, "--structure", 1, "--catalog", catalog)
    with h5py.File(out) as file:
        CHECKS.close(file["Center"][:], CENTER, 1e-12, "the structure's center")
        CHECKS.close(file["FrameVelocity"][:], VELOCITY, 1e-12, "the structure's velocity")
        CHECKS.close(file["R200"][:], [100], 1e-12, "the structure's R200")
        CHECKS.close(file["Edges"][-1:], [200], 1e-12, "twice R200")


def check_phase(program, folder, snapshot):
    out, table = folder / "h.hdf5", folder / "h.csv"
    words = ["phase", snapshot, "-o", out, "-o", table, "--bins", "20,15"]
    run_well(program, *words)
    with h5py.File(snapshot) as file:
        density = file["PartType0/Density"][:].astype("f8")
        heat = temperature(file["PartType0/InternalEnergy"][:].astype("f8")).astype("f4").astype("f8")
        mass = file["PartType0/Masses"][:].astype("f8")
    with h5py.File(out) as file:
        x, y, sums = (file[name][:] for name in ("XEdges", "YEdges", "Sum"))
        CHECKS.close(x, np.geomspace(density.min(), density.max(), 21), 1e-9, "edges of x")
        CHECKS.close(y, np.geomspace(heat.min(), heat.max(), 16), 1e-5, "edges of y")
        # The program's own float32 may round the other way at the ends.
        inside = np.clip(heat, y[0], y[-1])
        want, _, _ = np.histogram2d(density, inside, [x, y], weights=mass)
        CHECKS.close(np.sum(sums), mass.sum(), 1e-9, "sum of all bins")
        CHECKS.close(sums, want, 1e-9, "sums of bins")
    rows = rows_of(table)
    CHECKS.close(np.sort(column(rows, "sum")), np.sort(sums[sums > 0]), 0, "CSV")
    first = table.read_bytes()
    run_well(program, *words, "--overwrite")
    run_well(program, *words, threads=1)
    CHECKS.that(table.read_bytes() == first, "other bytes on one thread")
    run_well(program, "phase", snapshot, "-o", out, "--x", "Speed", "--bins", 9, "--weight", "count",
             "--x-scale", "linear", "--types", "gas,dm")
    with h5py.File(snapshot) as file:
        speed = np.concatenate([np.linalg.norm(file[f"PartType{k}/Velocities"][:].astype("f8"),
                                               axis=1).astype("f4").astype("f8") for k in (0, 1)])
    with h5py.File(out) as file:
        x = file["XEdges"][:]
        want, _ = np.histogram(np.clip(speed, x[0], x[-1]), x)
        CHECKS.that(np.abs(file["Sum"][:] - want).sum() <= 4, "histogram of one field")
        CHECKS.that(file["Sum"][:].sum() == len(speed), "all particles of one field")


def check_faults(program, folder, snapshot):
    before = snapshot.read_bytes()
    for words, part in (
            (["profile", snapshot, "-o", snapshot, "--center", "1,1,1"], "would overwrite"),
            (["profile", snapshot, "-o", folder / "f.csv", "--center", "500,500,500", "--radii",
              "1,2"], "a profile needs 10 particles"),
            (["profile", snapshot, "-o", folder / "f.csv", "--center", "1,1,1", "--radii",
              "1,501"], "half the periodic box"),
            (["phase", snapshot, "-o", folder / "f.csv", "--x", "Velocities"],
             "has 3 values per particle")):
        done = run(program, *words)
        CHECKS.that(done.returncode == 2 and part in done.stderr
                    and done.stderr.count("\n") == 1, f"{words}: {done.stderr}")
        CHECKS.that(not (folder / "f.csv").exists(), f"{words} wrote a file")
    CHECKS.that(snapshot.read_bytes() == before, "the snapshot has changed")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        snapshot = folder / "snap.hdf5"
        make_snapshot(snapshot)
        check_profile(program, folder, snapshot)
        check_structure(program, folder, snapshot)
        check_phase(program, folder, snapshot)
        check_faults(program, folder, snapshot)
    print(f"{CHECKS.done} checks, {CHECKS.wrong} wrong")
    return 1 if CHECKS.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
