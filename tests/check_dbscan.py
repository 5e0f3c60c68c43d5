"""Compares the clusters of `haloscope halos` with those of scikit-learn's DBSCAN.

Run by hand: python3 tests/check_dbscan.py path/to/haloscope [DEVICE]
Needs numpy, h5py and scikit-learn, in a throw-away environment for example. Takes sets of 100,000
points (uniform, clustered, both), every algorithm and minPts 2, 3, 5, 10 and 50. Noise and the
partition of the core points must be the same; a border point must be with the core neighbor that
comes first in the file, where scikit-learn takes the cluster that it meets first.
"""

import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from sklearn.cluster import DBSCAN
from sklearn.neighbors import KDTree

COUNT = 100_000
NOISE = -1


def sets():
    random = np.random.default_rng(7)
    uniform = random.random((COUNT, 3))
    centers = random.random((300, 3))
    spread = 10 ** random.uniform(-3, -1.5, 300)
    which = random.integers(0, 300, COUNT)
    clustered = centers[which] + spread[which, None] * random.normal(size=(COUNT, 3))
    both = np.where(random.random((COUNT, 1)) < 0.5, uniform, clustered)
    for name, points in (("uniform", uniform), ("clustered", clustered), ("both", both)):
        yield name, points.astype("f4").astype("f8")


def write_snapshot(path, points):
    with h5py.File(path, "w") as file:
        header = file.create_group("Header")
        counts = np.array([0, len(points), 0, 0, 0, 0])
        header.attrs["NumPart_ThisFile"] = counts.astype("i4")
        header.attrs["NumPart_Total"] = counts.astype("u4")
        header.attrs["MassTable"] = np.array([0, 1.0, 0, 0, 0, 0])
        header.attrs["BoxSize"], header.attrs["Time"], header.attrs["Redshift"] = 0.0, 1.0, 0.0
        header.attrs["NumFilesPerSnapshot"] = 1
        file["PartType1/Coordinates"] = points.astype("f4")
        file["PartType1/ParticleIDs"] = np.arange(len(points), dtype="u8")


def ours(program, device, snapshot, catalog, epsilon, min_points, algorithm):
    subprocess.run(
        [program, "halos", snapshot, "-o", catalog, "--epsilon", repr(epsilon), "--min-points",
         str(min_points), "--min-members", "2" if min_points == 2 else "1", "--algorithm",
         algorithm, "--device", device, "--quiet"], check=True)
    labels = np.full(COUNT, NOISE)
    with h5py.File(catalog, "r") as file:
        lengths = file["Group/GroupLen"][:].astype("i8")
        if len(lengths):
            labels[file["IDs/PartType1/ParticleIDs"][:]] = np.repeat(np.arange(len(lengths)), lengths)
    return labels


def same_partition(a, b):
    pairs = np.unique(np.stack([a, b]), axis=1).shape[1]
    return pairs == len(np.unique(a)) == len(np.unique(b))


def expected_borders(points, epsilon, core, labels):
    """Where each border point belongs by our rule; noise stays noise."""
    expected = labels.copy()
    rows = np.flatnonzero(~core)
    if len(rows):
        for row, near in zip(rows, KDTree(points).query_radius(points[rows], epsilon)):
            cores = near[core[near]]
            expected[row] = labels[cores.min()] if len(cores) else NOISE
    return expected


def main():
    program, device = sys.argv[1], (sys.argv[2:] + ["cpu"])[0]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        snapshot, catalog = os.path.join(folder, "points.hdf5"), os.path.join(folder, "fof.hdf5")
        for name, points in sets():
            write_snapshot(snapshot, points)
            for epsilon in (0.004, 0.012):
                for min_points in (2, 3, 5, 10, 50):
                    theirs = DBSCAN(eps=epsilon, min_samples=min_points).fit(points)
                    core = np.zeros(COUNT, bool)
                    core[theirs.core_sample_indices_] = True
                    for algorithm in ("grid", "fdbscan", "densebox"):
                        labels = ours(program, device, snapshot, catalog, epsilon, min_points, algorithm)
                        good = (same_partition(labels[core], theirs.labels_[core])
                                and np.array_equal(labels == NOISE, theirs.labels_ == NOISE)
                                and np.array_equal(labels, expected_borders(points, epsilon, core, labels)))
                        wrong += not good
                        print(f"{name} epsilon {epsilon} minPts {min_points} {algorithm}: "
                              f"{theirs.labels_.max() + 1} clusters, {(~core).sum()} not core: "
                              f"{'the same' if good else 'DIFFERENT'}", flush=True)
    print(f"{wrong} differences" if wrong else "all the same")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
