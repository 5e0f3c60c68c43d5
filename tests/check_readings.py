"""Compares `haloscope info --json` with an independent reading of every test file.

Run by hand: python3 tests/check_readings.py path/to/haloscope [--self-test]
Reads each file under data/ of $HALOSCOPE_SHARED (or ../shared) by h5py and numpy alone: counts, box,
redshift, h, masses, fields and mean positions by type must agree; files that are no snapshots must
be refused, or told as halo catalogs, as the table below says. Ends with 77 (skipped, for ctest)
where h5py, numpy or the files are missing. --self-test alters each expected quantity of the first
readings in turn and ends well only if every alteration is noticed.
"""

import copy
import json
import os
import re
import struct
import subprocess
import sys

# ctest counts 77 as skipped; 1 where HALOSCOPE_REQUIRE asks for the data.
SKIPPED = 1 if "shared" in os.environ.get("HALOSCOPE_REQUIRE", "").split(",") else 77
try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing} (packages python3-h5py, python3-numpy)")
    sys.exit(SKIPPED)

# What is neither snapshot nor catalog, by name, and a part of the sentence that refuses it; None:
# documents beside the data, which nobody opens.
REFUSED = [
    (r"\.amiga\.grp$|\.iord$", "no reader knows this file's format"),
    (r"\.pynbody-meta$|\.param$", "no table of particles"),
    (r"\.par$", "these are parameters of Splotch"),
    (r"\.AHF_mtree$|tiny\.log$", "no columns x, y and z"),
    (r"tiny\.BlackHoles$|\.md$|\.pal$|\.ppm$", None),
]


def mean_by_type(positions, box, low=0.0):
    x = positions.astype("f8")
    x = x[np.isfinite(x).all(axis=1)]
    if box > 0:
        # The far edge is the near one; a sum of a tiny negative number and the box rounds to it.
        x = low + (x - low) % box
        x[x >= low + box] = low
    return [float(v) for v in x.mean(axis=0)]


def number(value):
    return float(np.ravel(value)[0])


def header_number(file, name, default):
    for group in ("Parameters", "Header"):
        if group in file and name in file[group].attrs:
            return number(file[group].attrs[name])
    return default


def read_gadget_hdf5(paths):
    positions, masses, fields = {}, {}, {}
    for path in paths:
        with h5py.File(path, "r") as file:
            header = file["Header"].attrs
            box = float(np.max(header["BoxSize"]))
            want = {"box_size": box, "periodic": box > 0, "redshift": number(header["Redshift"]),
                    "hubble_param": header_number(file, "HubbleParam", 1)}
            for kind in range(len(header["MassTable"])):
                group = file.get(f"PartType{kind}")
                if group is None or "Coordinates" not in group:
                    continue
                positions.setdefault(kind, []).append(group["Coordinates"][:])
                masses[kind] = 0.0 if "Masses" in group else float(header["MassTable"][kind])
                group.visititems(lambda name, item, kind=kind: fields.setdefault(
                    kind, set()).add(name) if isinstance(item, h5py.Dataset) else None)
    positions = {kind: np.concatenate(parts) for kind, parts in positions.items()}
    return want | {"types": types_of(positions, box, masses, fields)}


def types_of(positions, box, masses, fields=None, low=0.0):
    return {kind: {"count": len(x), "mean": mean_by_type(x, box, low), "uniform_mass": masses[kind],
                   "fields": sorted((fields or {}).get(kind, []))}
            for kind, x in positions.items() if len(x) > 0}


def records(data, order):
    at = 0
    while at + 8 <= len(data):
        size = struct.unpack_from(order + "i", data, at)[0]
        assert struct.unpack_from(order + "i", data, at + 4 + size)[0] == size, "damaged record"
        yield data[at + 4:at + 4 + size]
        at += size + 8


def read_gadget_binary(paths):
    positions, masses = {}, {}
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        order = "<" if struct.unpack_from("<i", data)[0] in (8, 256) else ">"
        blocks = list(records(data, order))
        if len(blocks[0]) == 8:  # format 2: each block has a record with its name before it
            blocks = blocks[1::2]
        head, pos = blocks[0], blocks[1]
        counts = struct.unpack_from(order + "6I", head)
        table = struct.unpack_from(order + "6d", head, 24)
        redshift, = struct.unpack_from(order + "d", head, 80)
        box, omega, _, h = struct.unpack_from(order + "4d", head, 128)
        width = len(pos) // (3 * sum(counts))
        x = np.frombuffer(pos, f"{order}f{width}").reshape(-1, 3)
        begin = 0
        for kind, count in enumerate(counts):
            if count > 0:
                positions.setdefault(kind, []).append(x[begin:begin + count])
                masses[kind] = table[kind]
            begin += count
    positions = {kind: np.concatenate(parts) for kind, parts in positions.items()}
    return {"box_size": box, "periodic": box > 0, "redshift": redshift if omega > 0 else None,
            "hubble_param": h, "types": types_of(positions, box, masses)}


def tipsy_header(path):
    with open(path, "rb") as file:
        head = file.read(28)
    if len(head) < 28:
        return None
    for order in "><":
        time, n, dimensions, gas, dark, stars = struct.unpack(order + "d5i", head)
        size = 48 * gas + 36 * dark + 44 * stars
        if dimensions == 3 and n == gas + dark + stars > 0:
            for start in (28, 32):
                if os.path.getsize(path) == start + size:
                    return order, time, start, (gas, dark, stars)
    return None


def read_tipsy(path):
    order, time, start, counts = tipsy_header(path)
    folder = os.path.dirname(path)
    parameter_file, = [name for name in os.listdir(folder) if name.endswith(".param")]
    parameters = {}
    with open(os.path.join(folder, parameter_file), encoding="utf-8") as file:
        for line in file:
            found = re.match(r"\s*(\w+)\s*=\s*(\S+)", line)
            if found:
                parameters[found[1]] = found[2]
    box = float(parameters["dxPeriod"]) if parameters["bPeriodic"] == "1" else 0.0
    positions, masses = {}, {}
    with open(path, "rb") as file:
        file.seek(start)
        for kind, count, values in zip((0, 1, 4), counts, (12, 9, 11)):
            table = np.fromfile(file, order + "f4", count * values).reshape(count, values)
            positions[kind], masses[kind] = table[:, 1:4], 0.0
    # Hubble's constant in units where G, the length and the mass are 1.
    gram, centimeter = 1.98892e33 * float(parameters["dMsolUnit"]), 3.0857e21 * float(
        parameters["dKpcUnit"])
    per_second = np.sqrt(6.674e-8 * gram / centimeter**3)
    h = float(parameters["dHubble0"]) * per_second / (100e5 / 3.0857e24)
    return {"box_size": box, "periodic": box > 0, "redshift": 1 / time - 1, "hubble_param": h,
            "types": types_of(positions, box, masses, low=-box / 2)}


def read_splotch_table(path):
    keys = {}
    with open(os.path.join(os.path.dirname(path), "scene.par"), encoding="utf-8") as file:
        for line in file:
            name, _, value = line.partition("=")
            keys[name.strip()] = value.strip()
    columns = int(keys["num_blocks"])
    x = np.fromfile(path, "<f4").reshape(-1, columns)[:, :3]
    want = {"box_size": 0.0, "periodic": False, "redshift": None, "hubble_param": 1,
            "types": types_of({1: x}, 0, {1: 0.0})}
    return want, ["--raw", f"Coordinates:f4x3,Rest:f4x{columns - 3}"]


def numbered_set(path):
    """The files that belong to one with a number before .hdf5, or at the end of a binary one."""
    found = re.fullmatch(r"(.*?\.)(\d+)(\.hdf5)?", path)
    if not found:
        return [path]
    pattern = re.compile(re.escape(found[1]) + r"\d+" + re.escape(found[3] or ""))
    folder = os.path.dirname(path)
    return sorted(one for name in os.listdir(folder)
                  if pattern.fullmatch(one := os.path.join(folder, name)))


def first_int(path):
    with open(path, "rb") as file:
        head = file.read(4)
    return head if len(head) == 4 else b""


def expected(path):
    """("snapshot", reading, options), ("catalog", number of halos), or ("refused", why)."""
    for pattern, why in REFUSED:
        if re.search(pattern, path):
            return "refused", why
    if h5py.is_hdf5(path):
        with h5py.File(path, "r") as file:
            if "Ngroups_Total" in file["Header"].attrs:
                return "catalog", int(file["Header"].attrs["Ngroups_Total"])
            total = int(file["Header"].attrs["NumFilesPerSnapshot"])
        paths = numbered_set(path) if total > 1 else [path]
        options = ["--allow-missing"] if len(paths) < total else []
        return "snapshot", read_gadget_hdf5(paths), options
    if first_int(path) in [struct.pack(o + "i", n) for o in "<>" for n in (8, 256)]:
        with open(path, "rb") as file:
            files, = struct.unpack_from("<i", file.read(300), 124 + (20 if first_int(
                path)[0] == 8 else 4))
        return "snapshot", read_gadget_binary(numbered_set(path) if files > 1 else [path]), []
    if tipsy_header(path):
        return "snapshot", read_tipsy(path), []
    if path.endswith(".AHF_halos"):
        with open(path, encoding="utf-8") as file:
            return "catalog", sum(1 for line in file if line.strip() and line[0] != "#")
    if path.endswith("input.bin"):
        return ("snapshot", *read_splotch_table(path))
    return "unknown", None


def differences(got, want):
    found = []

    def compare(what, ours, theirs, tolerance=0.0):
        same = ours == theirs if ours is None or theirs is None else abs(ours - theirs) <= tolerance
        if not same:
            found.append(f"{what} {ours}, expected {theirs}")

    for name in ("box_size", "periodic"):
        compare(name, got[name], want[name])
    compare("redshift", got["redshift"], want["redshift"], 1e-6)
    compare("hubble_param", got["cosmology"]["hubble_param"], want["hubble_param"], 2e-4)
    if sorted(got["types"]) != sorted(str(kind) for kind in want["types"]):
        return found + [f"types {sorted(got['types'])}, expected {sorted(want['types'])}"]
    for kind, theirs in want["types"].items():
        ours = got["types"][str(kind)]
        label = f"type {kind}"
        compare(f"{label} count", ours["count"], theirs["count"])
        compare(f"{label} shown", ours["counts"]["shown"], theirs["count"])
        compare(f"{label} uniform_mass", ours["uniform_mass"], theirs["uniform_mass"],
                1e-6 * theirs["uniform_mass"])
        absent = set(theirs["fields"]) - set(ours["fields"])
        if absent:
            found.append(f"{label} lacks {sorted(absent)}")
        side = want["box_size"] or max(1e-30, max(abs(v) for v in theirs["mean"]))
        for axis in range(3):
            compare(f"{label} mean position {'xyz'[axis]}", ours["counts"]["mean_position"][axis],
                    theirs["mean"][axis], 1e-8 * side)
    return found


def run(program, path, options):
    done = subprocess.run([program, "info", path, "--json", *options], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout, done.stderr.strip()


def check(program, path):
    """What is wrong with the program's reading, and a few words of what was seen."""
    kind, *want = expected(path)
    if kind == "unknown":
        return ["nothing is known of this file: say in this script what it is"], ""
    if kind == "refused" and want[0] is None:
        return [], "not a snapshot, not opened"
    options = want[1] if kind == "snapshot" else []
    code, out, error = run(program, path, options)
    if kind == "refused":
        well = code == 2 and want[0] in error and "\n" not in error
        return ([] if well else [f"exit code {code}: {error or out[:80]}"]), "refused"
    if code != 0:
        return [f"exit code {code}: {error}"], ""
    got = json.loads(out)
    if kind == "catalog":
        count = got.get("tables", [{}])[0].get("count")
        return ([] if count == want[0] else [f"{count} halos, expected {want[0]}"],
                f"{got['format']}, {count} halos")
    if options and run(program, path, [])[0] != 2:
        return [f"opens without {' '.join(options)}"], ""
    total = sum(one["count"] for one in want[0]["types"].values())
    return differences(got, want[0]), " ".join([f"{got['format']}, {total} particles", *options[:1]])


def self_test(program, path):
    """Every altered quantity must be noticed."""
    _, want, options = expected(path)
    got = json.loads(run(program, path, options)[1])
    first = next(iter(want["types"]))
    alterations = [("box_size", lambda w: w.update(box_size=w["box_size"] + 1)),
                   ("periodic", lambda w: w.update(periodic=not w["periodic"])),
                   ("redshift", lambda w: w.update(redshift=(w["redshift"] or 0) + 0.001)),
                   ("hubble_param", lambda w: w.update(hubble_param=w["hubble_param"] + 0.01)),
                   ("types", lambda w: w["types"].pop(first)),
                   ("count", lambda w: w["types"][first].update(count=1)),
                   ("uniform_mass", lambda w: w["types"][first].update(uniform_mass=7)),
                   ("lacks", lambda w: w["types"][first]["fields"].append("Nothing")),
                   ("mean position y", lambda w: w["types"][first]["mean"].__setitem__(
                       1, w["types"][first]["mean"][1] + 1e-6 * (w["box_size"] or 1)))]
    unnoticed = []
    for name, alter in alterations:
        altered = copy.deepcopy(want)
        alter(altered)
        if not any(name in sentence for sentence in differences(got, altered)):
            unnoticed.append(name)
    return [f"an altered {name} is not noticed" for name in unnoticed]


def main():
    program = sys.argv[1]
    shared = os.environ.get("HALOSCOPE_SHARED") or os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "../../shared")
    data = os.path.join(shared, "data")
    if not os.path.isdir(data):
        print(f"skipped: test data {data} are not here")
        return SKIPPED
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(data)
                   for name in names)
    wrong = 0
    if "--self-test" in sys.argv:
        paths = [path for path in paths if expected(path)[0] == "snapshot"][:40:4]
    for path in paths:
        problems, seen = ((self_test(program, path), "alterations noticed")
                          if "--self-test" in sys.argv else check(program, path))
        wrong += bool(problems)
        print(f"{os.path.relpath(path, data)}: {'; '.join(problems) or seen}")
    print(f"{wrong} of {len(paths)} files are read wrongly" if wrong
          else f"{len(paths)} files: all as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
