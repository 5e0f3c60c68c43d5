"""Opens what `haloscope convert` writes with yt and pynbody, and compares with the input.

Run by hand: python3 tests/check_convert.py path/to/haloscope [SNAPSHOT...]
Needs numpy, h5py, yt and pynbody, in a throw-away environment for example. Compares counts, total
masses in Msun and positions in kpc of every type with an independent reading of the input (h5py,
numpy): Gadget-style HDF5, SWIFT, binary Gadget in one file, Tipsy with its .param file.
Without snapshots it takes the sample and four that it makes itself: one like TNG, one without
cosmology, one like SWIFT's and one like Gadget's binary format 2.
"""

import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

KPC, MSUN = 3.085678e21, 1.989e33


def attribute(file, name, default):
    for group in ("Parameters", "Header"):
        if group in file and name in file[group].attrs:
            return float(np.ravel(file[group].attrs[name])[0])
    return default


def expected(path):
    """Physical kpc and Msun by type."""
    if not h5py.is_hdf5(path):
        with open(path, "rb") as file:
            binary = np.frombuffer(file.read(4), "<i4")[0] in (8, 256)
        return expected_of_binary(path) if binary else expected_of_tipsy(path)
    with h5py.File(path, "r") as file:
        if np.ravel(file["Header"].attrs.get("Code", b""))[0] == b"SWIFT":
            return expected_of_swift(file)
    return expected_of_gadget(path)


def expected_of_swift(file):
    """Comoving without h."""
    scale = float(np.ravel(file["Header"].attrs["Scale-factor"])[0])
    length = float(np.ravel(file["Units"].attrs["Unit length in cgs (U_L)"])[0]) * scale / KPC
    mass = float(np.ravel(file["Units"].attrs["Unit mass in cgs (U_M)"])[0]) / MSUN
    box = float(np.ravel(file["Header"].attrs["BoxSize"])[0])
    types = {}
    for kind in range(7):
        group = file.get(f"PartType{kind}")
        if group is not None and "Coordinates" in group:
            masses = group["DynamicalMasses" if kind == 5 else "Masses"]
            types[kind] = ((group["Coordinates"][:] % box) * length, masses[:].astype("f8") * mass)
    return types


def expected_of_binary(path):
    """One little-endian file with single-precision positions, in kpc/h and 1e10 Msun/h."""
    with open(path, "rb") as file:
        data = file.read()
    blocks, at = [], 0
    while at < len(data):
        size = int(np.frombuffer(data, "<i4", 1, at)[0])
        blocks.append(data[at + 4:at + 4 + size])
        at += size + 8
    if len(blocks[0]) == 8:
        blocks = blocks[1::2]
    counts = np.frombuffer(blocks[0], "<u4", 6)
    table = np.frombuffer(blocks[0], "<f8", 6, 24)
    time = np.frombuffer(blocks[0], "<f8", 1, 72)[0]
    box, omega, _, h = np.frombuffer(blocks[0], "<f8", 4, 128)
    if omega == 0:
        time = h = 1
    x = np.frombuffer(blocks[1], "<f4").reshape(-1, 3).astype("f8")
    x = x % box if box > 0 else x
    stored = np.frombuffer(blocks[4], "<f4") if len(blocks) > 4 else np.empty(0)
    types, row, mass_row = {}, 0, 0
    for kind, count in enumerate(int(n) for n in counts):
        if count == 0:
            continue
        if table[kind] > 0:
            m = np.full(count, table[kind])
        else:
            m = stored[mass_row:mass_row + count].astype("f8")
            mass_row += count
        types[kind] = (x[row:row + count] * time / h, m * 1e10 / h)
        row += count
    return types


def expected_of_tipsy(path):
    """Big-endian with a padded header, comoving, a box around the origin."""
    folder = os.path.dirname(path)
    name, = [name for name in os.listdir(folder) if name.endswith(".param")]
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        keys = {k.strip(): v.split()[0] for k, _, v in (line.partition("=") for line in file) if v}
    length, mass = float(keys["dKpcUnit"]), float(keys["dMsolUnit"])
    types = {}
    with open(path, "rb") as file:
        scale = np.fromfile(file, ">f8", 1)[0]
        _, _, *counts, _ = np.fromfile(file, ">i4", 6)
        for kind, count, values in zip((0, 1, 4), counts, (12, 9, 11)):
            rows = np.fromfile(file, ">f4", count * values).reshape(count, values).astype("f8")
            # The copy's positions are measured from the low corner.
            types[kind] = ((rows[:, 1:4] + 0.5) % 1 * length * scale, rows[:, 0] * mass)
    return types


def expected_of_gadget(path):
    """By the conventions of Gadget."""
    types = {}
    with h5py.File(path, "r") as file:
        header = file["Header"].attrs
        box = float(np.max(header["BoxSize"]))
        omega = attribute(file, "Omega0", 0)
        comoving = box > 0 and omega > 0
        scale = 1 / (1 + float(np.ravel(header["Redshift"])[0])) if comoving else 1
        h = attribute(file, "HubbleParam", 1) if comoving else 1
        length = attribute(file, "UnitLength_in_cm", KPC) * scale / h / KPC
        mass = attribute(file, "UnitMass_in_g", 1e10 * MSUN) / h / MSUN
        for number in range(len(header["MassTable"])):
            group = f"PartType{number}"
            if group not in file or "Coordinates" not in file[group]:
                continue
            x = file[group]["Coordinates"][:].astype("f8")
            keep = np.isfinite(x).all(axis=1)
            x = x[keep] % box if box > 0 else x[keep]
            m = file[group]["Masses"][:][keep] if "Masses" in file[group] else np.full(
                len(x), header["MassTable"][number] or 1.0)
            types[number] = (x * length, m.astype("f8") * mass)
    return types


def compare(tool, number, x, m, want):
    wx, wm = want
    problems = []
    if len(x) != len(wx):
        problems.append(f"{len(x)} particles, expected {len(wx)}")
    else:
        # The tools' kpc differ in the seventh digit, their Msun in the third.
        if not np.allclose(x, wx, rtol=1e-6, atol=1e-6 * np.abs(wx).max()):
            problems.append(f"positions differ by up to {np.abs(x - wx).max():g} kpc")
        if not np.isclose(m.sum(), wm.sum(), rtol=2e-3):
            problems.append(f"mass {m.sum():g}, expected {wm.sum():g} Msun")
    print(f"  {tool} {number}: {len(x)} particles, {m.sum():.6g} Msun, mean position "
          f"{np.mean(x, axis=0)} kpc: {'; '.join(problems) or 'as expected'}")
    return not problems


def yt_units(path):
    """What yt must be told: of GADGET-4's files it takes kpc/h, 1e10 Msun/h and km/s for granted."""
    with h5py.File(path, "r") as file:
        units = {name: float(file["Parameters"].attrs[name])
                 for name in ("UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s")}
    custom = dict(zip(units, (KPC, 1e10 * MSUN, 1e5)))
    same = all(abs(units[name] / custom[name] - 1) < 1e-3 for name in units)
    return {} if same else {"unit_base": units}


def check_yt(path, types):
    import yt
    yt.set_log_level(50)
    options = yt_units(path)
    if options:
        print(f"  yt is told {options}")
    data = yt.load(path, **options)
    all_data = data.all_data()
    good = True
    for number, want in types.items():
        x = all_data[f"PartType{number}", "Coordinates"].to("kpc").d
        m = all_data[f"PartType{number}", "Masses"].to("Msun").d
        # yt hands particles over in its own order.
        order, other = np.lexsort(x.T), np.lexsort(want[0].T)
        good &= compare("yt", number, x[order], m[order], (want[0][other], want[1][other]))
    return good


def check_pynbody(path, types):
    import pynbody
    snap = pynbody.load(path)
    snap.physical_units()
    good = True
    families = {0: "gas", 4: "star", 5: "bh"}
    by_family = {}
    for number, (x, m) in types.items():
        by_family.setdefault(families.get(number, "dm"), []).append((x, m))
    for family, parts in by_family.items():
        part = getattr(snap, family)
        want = tuple(np.concatenate(columns) for columns in zip(*parts))
        good &= compare("pynbody", family, np.asarray(part["pos"].in_units("kpc")),
                        np.asarray(part["mass"].in_units("Msol")), want)
    return good


def make_input(path, cosmological):
    rng = np.random.default_rng(1)
    with h5py.File(path, "w") as file:
        header = file.create_group("Header").attrs
        counts = [5000, 3000, 0, 0, 500, 3]
        header["NumPart_ThisFile"] = np.array(counts, "i4")
        header["NumPart_Total"] = np.array(counts, "u4")
        header["NumPart_Total_HighWord"] = np.zeros(6, "u4")
        header["MassTable"] = np.array([0, 0.06, 0, 0, 0, 0])
        header["NumFilesPerSnapshot"] = 1
        header["BoxSize"] = 35000.0 if cosmological else 0.0
        header["Time"] = 0.5 if cosmological else 1.25
        header["Redshift"] = 1.0 if cosmological else 0.0
        header["HubbleParam"] = 0.6774 if cosmological else 1.0
        header["Omega0"] = 0.3089 if cosmological else 0.0
        header["OmegaLambda"] = 0.6911 if cosmological else 0.0
        header["UnitLength_in_cm"] = KPC
        header["UnitMass_in_g"] = 1.989e43
        header["UnitVelocity_in_cm_per_s"] = 1e5
        if cosmological:
            file.create_group("Config").attrs["VORONOI"] = 1
            parameters = file.create_group("Parameters").attrs
            for name in ("HubbleParam", "Omega0", "OmegaLambda", "BoxSize", "UnitLength_in_cm",
                         "UnitMass_in_g", "UnitVelocity_in_cm_per_s"):
                parameters[name] = header[name]
        for number, count in enumerate(counts):
            if count == 0:
                continue
            group = file.create_group(f"PartType{number}")
            group["Coordinates"] = rng.random((count, 3)) * 35000 * (1 if cosmological else 1e-3)
            group["Velocities"] = rng.normal(size=(count, 3)).astype("f4")
            group["ParticleIDs"] = (1 << 55) + np.arange(count, dtype="u8") + 10**6 * number
            if number != 1:
                group["Masses"] = rng.random(count).astype("f4")
            if number == 0:
                group["Density"] = rng.random(count).astype("f4")
                group["InternalEnergy"] = rng.random(count).astype("f4")
            if number == 4 and cosmological:
                group["GFM_StellarFormationTime"] = rng.random(count).astype("f4") - 0.1


def make_swift_input(path):
    rng = np.random.default_rng(2)
    counts = [4000, 3000, 0, 0, 200, 2, 0]
    with h5py.File(path, "w") as file:
        header = file.create_group("Header").attrs
        header["Code"] = np.bytes_("SWIFT")
        header["NumPart_ThisFile"] = np.array(counts, "i8")
        header["NumPart_Total"] = np.array(counts, "u4")
        header["NumPart_Total_HighWord"] = np.zeros(7, "u4")
        header["MassTable"] = np.zeros(7)
        header["NumFilesPerSnapshot"] = np.array([1], "i4")
        header["BoxSize"] = np.full(3, 25.0)
        header["Time"] = np.array([0.006])
        header["Redshift"] = np.array([1.0])
        header["Scale-factor"] = np.array([0.5])
        header["Dimension"] = np.array([3], "i4")
        cosmology = file.create_group("Cosmology").attrs
        for name, value in (("Cosmological run", 1), ("h", 0.681), ("H0 [internal units]", 68.1),
                            ("Omega_m", 0.306), ("Omega_lambda", 0.694), ("Redshift", 1.0),
                            ("Scale-factor", 0.5)):
            cosmology[name] = np.array([value])
        for group in ("Units", "InternalCodeUnits"):
            units = file.create_group(group).attrs
            for name, value in (("length in cgs (U_L)", 1000 * KPC), ("mass in cgs (U_M)", 1.989e43),
                                ("time in cgs (U_t)", 1000 * KPC / 1e5),
                                ("temperature in cgs (U_T)", 1.0), ("current in cgs (U_I)", 1.0)):
                units["Unit " + name] = np.array([value])
        file.create_group("HydroScheme").attrs["Kernel function"] = np.bytes_("Quartic spline (M5)")
        for kind, count in enumerate(counts):
            if count == 0:
                continue
            group = file.create_group(f"PartType{kind}")
            group["Coordinates"] = rng.random((count, 3)) * 25
            group["Velocities"] = rng.normal(size=(count, 3)).astype("f4")
            group["ParticleIDs"] = (1 << 55) + np.arange(count, dtype="u8") + 10**6 * kind
            group["DynamicalMasses" if kind == 5 else "Masses"] = rng.random(count).astype("f4")
            if kind == 0:
                group["SmoothingLengths"] = 0.1 + rng.random(count).astype("f4")
                group["Densities"] = rng.random(count).astype("f4")
                group["InternalEnergies"] = rng.random(count).astype("f4")


def make_binary_input(path):
    """Format 2; masses of dark matter in the header, of gas and stars in a block."""
    rng = np.random.default_rng(3)
    counts = np.array([2000, 1500, 0, 0, 300, 0], "<u4")
    total, massive = int(counts.sum()), 2300
    head = bytearray(256)
    head[0:24] = counts.tobytes()
    head[24:72] = np.array([0, 0.3, 0, 0, 0, 0], "<f8").tobytes()
    head[72:88] = np.array([0.25, 3.0], "<f8").tobytes()
    head[96:120] = counts.tobytes()
    head[124:128] = np.array([1], "<i4").tobytes()
    head[128:160] = np.array([20000, 0.3, 0.7, 0.7], "<f8").tobytes()
    blocks = [(b"HEAD", bytes(head)),
              (b"POS ", (rng.random((total, 3)) * 20000).astype("<f4").tobytes()),
              (b"VEL ", rng.normal(size=(total, 3)).astype("<f4").tobytes()),
              (b"ID  ", np.arange(total, dtype="<u4").tobytes()),
              (b"MASS", rng.random(massive).astype("<f4").tobytes()),
              (b"U   ", rng.random(2000).astype("<f4").tobytes())]
    with open(path, "wb") as file:
        for name, data in blocks:
            for part in (name + np.array([len(data) + 8], "<i4").tobytes(), data):
                size = np.array([len(part)], "<i4").tobytes()
                file.write(size + part + size)


def main():
    program, inputs = sys.argv[1], sys.argv[2:]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        if not inputs:
            inputs = [os.path.join(os.path.dirname(__file__), "../assets/sample.hdf5"),
                      *(os.path.join(folder, name) for name in
                        ("tng.hdf5", "isolated.hdf5", "swift.hdf5", "gadget_binary"))]
            make_input(inputs[1], True)
            make_input(inputs[2], False)
            make_swift_input(inputs[3])
            make_binary_input(inputs[4])
        for path in inputs:
            output = os.path.join(folder, "converted.hdf5")
            subprocess.run([program, "convert", path, output, "--quiet"], check=True)
            print(os.path.basename(path))
            want = expected(path)
            for check in (check_yt, check_pynbody):
                try:
                    good &= check(output, want)
                except Exception as error:  # whatever the package throws is the finding
                    print(f"  {check.__name__}: {type(error).__name__}: {error}")
                    good = False
            os.remove(output)
    print("all as expected" if good else "NOT as expected")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
