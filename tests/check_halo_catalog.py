"""Opens a halo catalog that haloscope wrote as HDF5 with h5py, yt and pynbody, and compares.

Run by hand: python3 tests/check_halo_catalog.py CATALOG.hdf5 [SNAPSHOT]
Needs numpy, h5py, yt 4 and pynbody, in a throw-away environment for example. h5py's reading is the
reference: counts, shapes, attributes, members by offset and length. yt and pynbody must give the
same masses in Msun, positions in kpc and, yt, members. pynbody opens catalogs beside a snapshot
only; its members are right only where the snapshot stands in the order of the halos, as GADGET-4's
own do: whether they are is told. The catalog is copied to the names that the two insist on.
"""

import os
import shutil
import sys
import tempfile
import warnings

import h5py
import numpy as np

KPC, MSUN = 3.0856775814913673e21, 1.98840987e33  # ours; codes and tools differ in the 4th digit
SOME_HALOS = 20


def check(right, what):
    print(("ok      " if right else "WRONG   ") + what)
    check.wrong += not right


check.wrong = 0


def close(values, reference):
    values, reference = np.asarray(values, "f8"), np.asarray(reference, "f8")
    return values.shape == reference.shape and np.allclose(values, reference, rtol=1e-3, atol=0)


class Reference:
    """The catalog as h5py sees it, in kpc and Msun."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.header = dict(file["Header"].attrs)
            self.parameters = dict(file["Parameters"].attrs)
            self.columns = {name: data[()] for name, data in file["Group"].items()}
            self.notes = {name: dict(data.attrs) for name, data in file["Group"].items()}
            self.subhalo_columns = list(file["Subhalo"])
            self.ids = {
                int(name[8:]): group["ParticleIDs"][()]
                for name, group in file["IDs"].items() if name.startswith("PartType")
            }
            self.all_ids = file["IDs/ID"][()] if "ID" in file["IDs"] else np.empty(0, "u8")
            self.provenance = dict(file["Provenance"].attrs)
            self.settings = dict(file["Provenance/Parameters"].attrs)
        self.count = int(self.header["Ngroups_Total"])
        comoving = bool(self.parameters["ComovingIntegrationOn"])
        self.scale = float(self.header["Time"]) if comoving else 1.0
        self.h = float(self.parameters["HubbleParam"])

    def physical(self, name):
        """A column of lengths or masses by the header's units, in kpc or Msun."""
        length = "Pos" in name
        unit = "UnitLength_in_cm" if length else "UnitMass_in_g"
        factor = self.parameters[unit] / self.h * (self.scale / KPC if length else 1 / MSUN)
        return self.columns[name].astype("f8") * factor

    def members(self, halo):
        offset, length = self.columns["GroupFirstIDType"][halo], self.columns["GroupLenType"][halo]
        parts = [self.ids[t][int(offset[t]):int(offset[t] + length[t])] for t in sorted(self.ids)]
        return np.concatenate(parts)


def check_h5py(reference):
    header, columns = reference.header, reference.columns
    check(header["NumFiles"] == 1 and header["Ngroups_ThisFile"] == header["Ngroups_Total"],
          f"h5py: one file of {reference.count} groups")
    check(all(len(data) == reference.count for data in columns.values()),
          f"h5py: {len(columns)} columns of as many rows")
    undescribed = [name for name, notes in reference.notes.items()
                   if "unit" not in notes or not notes.get("description")]
    check(not undescribed, f"h5py: unit and description of all columns {undescribed or ''}")
    scalings = {"to_cgs", "a_scaling", "h_scaling", "length_scaling", "mass_scaling",
                "velocity_scaling"}
    unscaled = [name for name, notes in reference.notes.items()
                if notes.get("unit") and not scalings <= set(notes)]
    check(not {"GroupPos", "GroupMass", "GroupVel"} & set(unscaled),
          f"h5py: scalings of columns with a unit, but for {unscaled or 'none'}")
    check(header["Nids_Total"] == sum(map(len, reference.ids.values())) == len(reference.all_ids),
          f"h5py: {header['Nids_Total']} members, types {sorted(reference.ids)}")
    if not {"GroupLen", "GroupLenType", "GroupFirstIDType"} <= set(columns):
        check(not reference.ids, "h5py: no columns of members where there are none")
        return
    check((columns["GroupLen"] == columns["GroupLenType"].sum(axis=1)).all(),
          "h5py: GroupLen is the sum of GroupLenType")
    check((np.diff(columns["GroupLen"].astype("i8")) <= 0).all(), "h5py: by decreasing size")
    if reference.ids:
        each = [reference.members(halo) for halo in range(reference.count)]
        together = np.concatenate(each) if each else np.empty(0, "u8")
        check((together == reference.all_ids).all(),
              "h5py: IDs/ID is what offset and length give, halo after halo")
    print("        " + ", ".join(f"{k} {v}" for k, v in
                                {**reference.provenance, **reference.settings}.items()))


def check_notes(reference):
    """GroupPos and GroupMass by their own attributes are what the header's units make of them."""
    for name, unit in (("GroupPos", KPC), ("GroupMass", MSUN)):
        notes = reference.notes[name]
        factor = (notes["to_cgs"] * reference.scale**notes["a_scaling"] *
                  reference.h**notes["h_scaling"] / unit)
        check(close(reference.columns[name] * factor, reference.physical(name)),
              f"h5py: {name} is the same by its attributes and by the header's units")


def check_yt(path, folder, reference):
    import yt

    yt.set_log_level(50)
    # yt opens no other name, whatever the number of files, and follows links to the true one.
    copy = shutil.copy(path, os.path.join(folder, "fof_subhalo_tab_000.0.hdf5"))
    # As docs/user/halos.md says: yt takes what it needs of them.
    ds = yt.load(copy, unit_base=dict(reference.parameters))
    check(type(ds).__name__ == "GadgetFOFDataset", f"yt {yt.__version__}: {type(ds).__name__}")
    if reference.count == 0:
        check(len(ds.field_list) == 0, "yt: no fields without halos")
        return
    data = ds.all_data()
    check(close(data["Group", "particle_mass"].to("Msun"), reference.physical("GroupMass")),
          "yt: masses in Msun")
    check(close(data["Group", "particle_position"].to("kpc"), reference.physical("GroupPos")),
          "yt: positions in kpc")
    seen = {name for _, name in ds.field_list}
    unseen = [name for name, values in reference.columns.items()
              if name not in seen and f"{name}_{values[0].size - 1}" not in seen]
    check(not unseen, f"yt: all columns are fields {unseen or ''}")
    if len(reference.all_ids) == 0:
        return
    some = np.unique(np.linspace(0, reference.count - 1, SOME_HALOS).astype(int))
    same = all((ds.halo("Group", int(i))["Group", "member_ids"].d == reference.members(i)).all()
               for i in some)
    check(same, f"yt: members of {len(some)} halos by IDs/ID")
    check(close(ds.halo("Group", 0).position.to("kpc"), reference.physical("GroupPos")[0]),
          "yt: position of the first halo as a container")


def check_pynbody(path, folder, reference, snapshot):
    import pynbody

    # pynbody wants this in the name.
    copy = shutil.copy(path, os.path.join(folder, "fof_subhalo_tab_000.hdf5"))
    sim = pynbody.load(snapshot)
    try:
        halos = sim.halos(filename=copy)
    except ZeroDivisionError:  # it divides by the number of groups
        if reference.count > 0:
            raise
        print("        pynbody opens no catalog without halos")
        return
    check(type(halos).__name__ == "Gadget4SubfindHDFCatalogue" and len(halos) == reference.count,
          f"pynbody {pynbody.__version__}: {type(halos).__name__} of {len(halos)}")
    every = halos.get_properties_all_halos()
    check(close(in_units(every["GroupMass"], "Msol", sim), reference.physical("GroupMass")),
          "pynbody: masses in Msol")
    check(close(in_units(every["GroupPos"], "kpc", sim), reference.physical("GroupPos")),
          "pynbody: positions in kpc")
    lengths = [len(halos[i]) for i in range(min(SOME_HALOS, reference.count))]
    check(lengths == list(reference.columns["GroupLen"][:SOME_HALOS]), "pynbody: numbers of members")
    same = sum(set(halos[i]["iord"].tolist()) == set(reference.members(i).tolist())
               for i in range(len(lengths)))
    if "GroupOffsetType" in reference.columns:
        check(same == len(lengths), f"pynbody: members of {same} of {len(lengths)} halos")
    else:
        print("        pynbody guesses where members are in the snapshot: right for "
              f"{same} of {len(lengths)} halos")


def in_units(values, unit, sim):
    return np.asarray(values.in_units(unit, **sim.conversion_context()))


def main():
    path = sys.argv[1]
    reference = Reference(path)
    check_h5py(reference)
    if reference.count > 0:
        check_notes(reference)
    warnings.simplefilter("ignore")  # pynbody's guesses at units, yt's age of an empty universe
    with tempfile.TemporaryDirectory() as folder:
        check_yt(path, folder, reference)
        if len(sys.argv) > 2:
            check_pynbody(path, folder, reference, sys.argv[2])
        else:
            print("        pynbody left out: it needs the snapshot")
    print(f"{check.wrong} wrong")
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
