#!/usr/bin/env python3
"""Runs haloscope on several ranks of MPI and compares with one process.

Usage: check.py path/to/haloscope [GROUP...]      groups: same, clusters, topology, snapshot_grids,
                                             pictures, regions, states, stats, refused, gpus, ended;
                                             default: all
HALOSCOPE_LAUNCHER and HALOSCOPE_MPI name another launcher and the plugin for it (jobs.py).
Ends with 77 (skipped, for ctest) where there is no launcher or no plugin beside the program, or with
1 if HALOSCOPE_REQUIRE names "system"; with 1 if anything differs. The snapshots of the shared test
data ($HALOSCOPE_SHARED or ../shared) are left out, which is told, where these are not here.
"""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import ended  # noqa: E402
import films  # noqa: E402
import made  # noqa: E402
import mixed  # noqa: E402
import regions  # noqa: E402
import snapshot_grids  # noqa: E402
import states  # noqa: E402
from jobs import (CHECKS, LAUNCHER, LIMIT_S, PROGRAM, RANKS, environment, files_in, one_sentence,  # noqa: E402
                  pixels_alike, run, same_for_all)

SOURCE = Path(__file__).resolve().parents[2]
REQUIRED = os.environ.get("HALOSCOPE_REQUIRE", "").split(",")


def shared_snapshots():
    shared = Path(os.environ.get("HALOSCOPE_SHARED") or SOURCE.parent / "shared")
    folder = shared / "data" / "gadget4"
    if not folder.is_dir():
        CHECKS.that("shared" not in REQUIRED, f"{folder} is not there")
        print("skipped: the GADGET-4 snapshots are not here")
        return []
    formats = folder / "dm64_formats"
    # The same particles in several files, and by other readers, with one number of ranks each.
    return [*((snapshot, RANKS) for snapshot in sorted(folder.glob("*/snapshot_*.hdf5"))),
            (formats / "multi_hdf5" / "snapshot_006.0.hdf5", (3,)),
            (formats / "multi_format2" / "snapshot_006.0", (3,)),
            (formats / "snapshot_006.format1", (4,))]


def check_same(folder):
    universe = folder / "universe"
    made.universe(universe)
    halos = ["halos", str(universe), "-o", "halos.hdf5"]
    one = same_for_all(halos, ["halos.hdf5"], "a made universe")
    found = re.search(r"^(\d+) halos of 32 or more", one.stdout, re.MULTILINE)
    CHECKS.that(found and int(found.group(1)) > 20, f"a made universe: {one.stdout}")
    same_for_all(halos + ["--types", "gas,dm", "--min-members", "5"], ["halos.hdf5"], "two types")
    same_for_all(halos + ["--attach", "gas"], ["halos.hdf5"], "attached gas")
    same_for_all(halos + ["--attach", "gas", "--files", "3"],
                 [f"halos.{k}.hdf5" for k in range(3)], "a catalog as three files")
    clusters = same_for_all(halos + ["--min-points", "5", "--linking-length", "0.3"],
                            ["halos.hdf5"], "clusters of DBSCAN")
    found = re.search(r"^(\d+) halos of 32 or more", clusters.stdout, re.MULTILINE)
    CHECKS.that(found and int(found.group(1)) > 5, f"clusters of DBSCAN: {clusters.stdout}")
    same_for_all(halos + ["--types", "dm", "--attach", "gas", "--min-points", "8",
                          "--min-members", "5"], ["halos.hdf5"], "gas attached to clusters")
    few = folder / "few_gas"
    made.universe(few, gas_particles=3)
    same_for_all(["halos", str(few), "-o", "halos.hdf5", "--types", "gas,dm"], ["halos.hdf5"],
                 "a type of fewer particles than ranks")
    same_for_all(["halos", str(universe), "-o", "halos.csv", "--linking-length", "0.6"],
                 ["halos.csv"], "a table with long links")
    same_for_all(halos + ["--min-members", "100000"], ["halos.hdf5"], "no halos")
    lone = folder / "lone"
    made.gadget(lone, [], [(1.0, 2.0, 3.0)])
    for more in ([], ["--min-points", "5"]):
        same_for_all(["halos", str(lone), "-o", "halos.csv", "--linking-length", "0.5", *more],
                     ["halos.csv"], "one particle")
    same_for_all(["halos", str(SOURCE / "assets" / "sample.hdf5"), "-o", "halos.hdf5"],
                 ["halos.hdf5"], "the sample")
    same_for_all(["halos", str(SOURCE / "assets" / "sample.hdf5"), "-o", "halos.hdf5", "--attach",
                  "gas,stars"], ["halos.hdf5"], "the sample with attached types")
    # Not periodic: the domain hangs on all positions.
    same_for_all(["halos", str(universe), "-o", "halos.hdf5", "--periodic", "no"], ["halos.hdf5"],
                 "an open box")
    single = folder / "single"
    single.write_bytes(struct.pack("<3f", 0.5, 0.25, 0.75))
    same_for_all(["halos", str(single), "--raw", "Coordinates:f4x3", "--box", "1", "-o",
                  "halos.hdf5", "--min-members", "1"], ["halos.hdf5"], "a single particle")
    for snapshot, numbers in shared_snapshots():
        same_for_all(["halos", str(snapshot), "-o", "halos.hdf5"], ["halos.hdf5"],
                     "/".join(snapshot.parts[-2:]), numbers)


def check_clusters(folder):
    universe, sample = folder / "universe", str(SOURCE / "assets" / "sample.hdf5")
    made.universe(universe)
    files = ["clusters.hdf5", "tree.npy"]

    def find(name, *words, numbers=RANKS, files=files):
        return same_for_all(["clusters", *words, "-o", files[0], *(["--tree", files[1]] if files[1:] else [])],
                            files, f"clusters: {name}", numbers)

    one = find("a made universe", str(universe))
    found = re.search(r"^(\d+) clusters of 20 or more", one.stdout, re.MULTILINE)
    CHECKS.that(found and int(found.group(1)) > 20, f"clusters of a made universe: {one.stdout}")
    find("an open box", str(universe), "--periodic", "no", "--min-samples", "2", numbers=(3,))
    find("two types by mass", str(universe), "--types", "gas,dm", "--weights", "mass", numbers=(2, 4))
    find("single linkage", str(universe), "--linkage", "single", "--cut", "spacings:0.2",
         "--min-cluster-size", "32")
    find("phase space", sample, "--types", "stars", "--space", "phase", "--periodic", "no", numbers=(2, 3))
    find("a size that is chosen", str(universe), "--min-cluster-size", "auto", "--resolutions", "2",
         numbers=(4,))
    find("a selection", str(universe), "--sphere", "5000,5000,5000,3000", numbers=(3,))
    find("a table of clusters", str(universe), files=["clusters.csv"], numbers=(2,))
    rng = random.Random(7)

    def table(name, rows):
        path = folder / name
        path.write_text("\n".join(",".join(repr(x) for x in row) for row in rows) + "\n")
        return str(path)

    few = ("--min-samples", "2", "--min-cluster-size", "2")
    # Many equal distances, many rows of one place, and fewer rows than ranks.
    lattice = [(float(x), float(y), float(z)) for x in range(9) for y in range(9) for z in range(9)]
    rng.shuffle(lattice)
    for box in ((), ("--box", "9")):
        find("a lattice" + " ".join(("", *box)), table("lattice.csv", lattice), *box)
    find("rows of few places", table("places.csv", [rng.choice(lattice[:20]) for _ in range(700)]), *few)
    find("rows of one place", table("place.csv", [(1.0, 2.0)] * 300), numbers=(2, 4))
    find("a line", table("line.csv", [(rng.random(),) for _ in range(500)]), numbers=(3,))
    find("eight columns", table("eight.csv", [[rng.gauss(0, 1) for _ in range(8)] for _ in range(400)]),
         numbers=(2, 4))
    find("three rows", table("three.csv", lattice[:3]), *few)
    for name, numbers in (("clusters.csv", (2,)), ("labels.npy", (3,))):
        find("a table to " + name, str(folder / "places.csv"), *few, files=[name], numbers=numbers)
    single = folder / "single"
    single.write_bytes(struct.pack("<3f", 0.5, 0.25, 0.75))
    find("a single particle", str(single), "--raw", "Coordinates:f4x3", "--box", "1", "--linkage", "single",
         numbers=(4,))
    for snapshot, _ in shared_snapshots()[:1]:
        find("/".join(snapshot.parts[-2:]), str(snapshot), numbers=(4,))


def check_pictures(folder):
    sample = str(SOURCE / "assets" / "sample.hdf5")
    universe = folder / "universe"
    made.universe(universe)
    # What several ranks draw on, one process may not, where there are fewer GPUs than ranks.
    plain = ["--no-cache", "--size", "120x91", "--device", "cpu"]
    exact = [*plain, "--deterministic"]
    camera = ["--eye", "9,9,40", "--target", "9,9,9"]

    def draw(snapshot, *words, output="out.png", **more):
        return same_for_all(["render", str(snapshot), "-o", output, *words], [output],
                            f"{Path(snapshot).name} {' '.join(words)} to {output}", **more)

    draw(sample, "--types", "gas", *camera, "--color", "Temperature:log", "--range", "1e4,1e7",
         *exact)
    # Limits, camera and lengths are those of all particles; the sample's dark matter has no
    # lengths, and the universe's gas has none either.
    one = draw(sample, *exact)
    CHECKS.that(" mean radius " in one.stdout and "particles, color" in one.stdout, one.stdout)
    draw(sample, "--overlays", "usual", *exact)
    draw(universe, *exact)
    draw(universe, *exact, output="out.exr")
    draw(universe, *exact, "--periodic", "no")
    draw(universe, *exact, "--types", "dm", "--neighbors", "0")
    draw(universe, *exact, "--color", "Speed", "--smooth", "3")
    draw(sample, *exact, "--types", "stars", "--ortho", "4", "--exposure", "1")
    # Sums of floats hang on their order, in the last bits.
    draw(sample, *plain, alike=pixels_alike)
    draw(universe, *plain, alike=pixels_alike)
    draw(sample, *plain, "--mode", "classic", "--types", "gas", "--brightness", "1",
         alike=pixels_alike)
    # Maps are exact by themselves.
    for output in ("map.hdf5", "map.exr", "map.png"):
        draw(sample, *plain, "--map", "surface-density", output=output)
    draw(sample, *plain, "--map", "mean:Temperature", output="map.hdf5")
    draw(universe, *plain, "--map", "surface-density", "--periodic", "no", output="map.hdf5")
    single = folder / "single"
    single.write_bytes(struct.pack("<3f", 0.5, 0.25, 0.75))
    raw = ["--raw", "Coordinates:f4x3", "--box", "1"]
    # Of two particles the first of three ranks has none.
    pair = folder / "pair"
    pair.write_bytes(struct.pack("<6f", 0.5, 0.25, 0.75, 0.4, 0.3, 0.7))
    for words in (exact, [*plain, "--map", "surface-density"]):
        draw(single, *raw, *words, numbers=(2, 4))
        draw(pair, *raw, *words, numbers=(2, 3))
    for snapshot, numbers in shared_snapshots():
        draw(snapshot, *exact, numbers=numbers)
        draw(snapshot, *plain, "--map", "surface-density", output="map.hdf5", numbers=numbers)
    check_kept_lengths(folder)
    films.check(folder)


def check_topology(folder):
    """All files of a grid's peaks, of plateaus and of few planes, in each format that is read."""
    def topology(grid, *words, outputs=("all.hdf5", "peaks.csv", "cells.npy", "cells.vti"),
                 pairs=("pairs.csv", "pairs.npy", "pairs.vtu"), plots=("persistence_diagram.svg",),
                 **more):
        said = [word for name in outputs for word in ("-o", name)]
        said += [word for name in pairs for word in ("--pairs", name)]
        said += [word for name in plots for word in ("--plot", f"{Path(name).stem}={name}")]
        return same_for_all(["topology", str(grid), *said, *words],
                            [*outputs, *pairs, *plots],
                            f"topology of {Path(grid).name} {' '.join(words)}", **more)

    cells = folder / "cells.npy"
    made.grid(cells, (13, 11, 12), seed=1)
    one = topology(cells, "--periodic", "yes", "--persistence", "mean:0.2")
    found = re.search(r"^(\d+) peaks of (\d+) maxima", one.stdout, re.MULTILINE)
    CHECKS.that(found and int(found.group(1)) > 5, f"topology of made cells: {one.stdout}")
    topology(cells, "--levels", "sub", "--neighbors", "6", "--segments", "branch")
    topology(cells, "--smooth", "1cells", "--periodic", "x,z", "--log", "--threshold", "mean:0.7")
    topology(cells, "--voids", "0.9,0.8", "--smooth", "0cells")
    topology(cells, "--neighbors", "26", "--zero-pairs", outputs=(), plots=())
    topology(cells, "--neighbors", "18", outputs=("peaks.csv",), pairs=())
    # Values that single floats do not tell apart, and whole numbers.
    for name, kind in (("doubles", "f8"), ("whole", "i8"), ("bytes", "u1")):
        grid = folder / f"{name}.npy"
        made.grid(grid, (7, 6, 9), seed=2, kind=kind)
        topology(grid, "--persistence", "abs:2", numbers=(2, 3))
    # Fewer planes than ranks, images, one cell.
    for shape in ((3, 8, 9), (2, 9, 8), (1, 17, 19), (17, 19), (40, 1, 1), (1, 1, 1)):
        grid = folder / ("x".join(str(n) for n in shape) + ".npy")
        made.grid(grid, shape, seed=3)
        topology(grid, "--periodic", "yes", plots=())
        topology(grid, plots=(), numbers=(4,))
    # Many cells, so that sums run over several stretches, and more of them than one rank's planes.
    large = folder / "large.npy"
    made.grid(large, (5, 160, 170), seed=4)
    topology(large, "--persistence", "mean:0.5", numbers=(3, 4))
    sample = str(SOURCE / "assets" / "sample.hdf5")
    for name in ("density.hdf5", "density.vti"):
        grid = folder / name
        made_here = run(1, ["grid", sample, "-o", str(grid), "--size", "32", "--overdensity"], folder)
        CHECKS.that(made_here.returncode == 0, f"grid of the sample: {made_here.stderr}")
        topology(grid, "--threshold", "mean:5", numbers=(2, 4))
        topology(grid, "--persistence", "ratio:3", "--smooth", "1cells", numbers=(3,))


def check_kept_lengths(folder):
    """Lengths that were searched are kept as one process keeps them, and read again."""
    kept = {}
    for ranks in (1, 3):
        place = folder / f"kept{ranks}"
        place.mkdir()
        made.many(place / "many", 70000, seed=1)
        words = ["render", "many", "--raw", "Coordinates:u4x3", "--box", "4294967296", "-o", "out.png",
                 "--size", "64x64", "--deterministic"]
        one = run(ranks, words, place)
        CHECKS.that(one.returncode == 0 and "Kept the smoothing lengths" in one.stdout,
                    f"kept by {ranks} ranks: {one.stdout} {one.stderr}")
        again = run(ranks, [*words[:-1], "--overwrite", words[-1]], place)
        CHECKS.that(again.returncode == 0 and "as kept in" in again.stdout,
                    f"read again by {ranks} ranks: {again.stdout} {again.stderr}")
        kept[ranks] = (place / "many.haloscope-lengths").read_bytes()
    CHECKS.that(kept[1] == kept[3], "three ranks keep other lengths than one process")


def check_refused(folder):
    made.grid(folder / "grid.npy", (5, 4, 3), seed=5)
    whole = (folder / "grid.npy").read_bytes()
    (folder / "short.npy").write_bytes(whole[:-8])
    bad = len(whole) - 4 * (60 - (2 * 12 + 1 * 3))
    (folder / "nan.npy").write_bytes(whole[:bad] + struct.pack("<f", float("nan")) + whole[bad + 4:])
    sample = str(SOURCE / "assets" / "sample.hdf5")
    out = ["-o", "out.hdf5"]
    cases = [
        ("a command for one process", ["info", sample],
         "haloscope info cannot run on several ranks; start it as one process; .*: clusters, grid, halos, "
         "movie, render, topology"),
        ("cuslink", ["clusters", sample, *out, "--method", "cuslink"],
         "--method: several ranks cannot make cuslink's tree yet"),
        ("clusters on one GPU for all", ["clusters", sample, *out, "--device", "cuda:0"],
         "--device cuda:0: each of several ranks takes a GPU of its own; use --device cuda"),
        ("clusters on GPUs of one process", ["clusters", sample, *out, "--gpus", "0,1"],
         "--gpus 0,1: each of the ranks that a launcher started takes one GPU"),
        ("clusters to nowhere", ["clusters", sample, "-o", "absent/out.hdf5"],
         r"the folder absent does not exist.* \(rank 0 of 3 on "),
        ("a file that is not there", ["halos", "absent.hdf5", *out], "absent.hdf5: there is no such"),
        ("a wrong option", ["halos", sample, "--no-such-option", *out], "no option --no-such-option"),
        ("a search inside the halos", ["halos", sample, "--sub-linking-length", "0.1", *out],
         "--sub-linking-length: several ranks"),
        ("one GPU for all", ["halos", sample, "--device", "cuda:0", *out],
         "--device cuda:0: each of several ranks takes a GPU of its own; use --device cuda"),
        ("GPUs of one process", ["halos", sample, "--gpus", "all", *out],
         "--gpus all: each of the ranks that a launcher started takes one GPU"),
        ("a picture on GPUs of one process", ["render", sample, "-o", "out.png", "--gpus", "0,1"],
         "--gpus 0,1: each of the ranks that a launcher started takes one GPU"),
        ("a picture on one GPU for all", ["render", sample, "-o", "out.png", "--device", "cuda:0"],
         "--device cuda:0: each of several ranks takes a GPU of its own; use --device cuda"),
        ("a classic picture to the last bit",
         ["render", sample, "-o", "out.png", "--mode", "classic", "--deterministic"],
         "--deterministic: several ranks cannot draw classic pictures"),
        ("the paper's scheme", ["render", sample, "-o", "out.png", "--strategy", "paper"],
         "--strategy: several ranks cannot draw by the paper's scheme"),
        ("no overlay", ["render", sample, "-o", "out.png", "--overlays", "scale"],
         "--overlays: 'scale' is no overlay"),
        ("peaks of a region without particles", ["topology", sample, *out, "--region", "0,0,0,1,1,1"],
         "no particle lies in the region"),
        ("a grid of a region that is none", ["grid", sample, *out, "--region", "0,0,0,0,5,5"],
         "--region: the region holds nothing: it goes from 0 to 0 along x"),
        ("a grid on one GPU for all", ["grid", sample, *out, "--device", "cuda:0"],
         "--device cuda:0: each of several ranks takes a GPU of its own; use --device cuda"),
        ("a grid on GPUs of one process", ["grid", sample, *out, "--gpus", "0,1"],
         "--gpus 0,1: each of the ranks that a launcher started takes one GPU"),
        ("triplets", ["topology", str(folder / "grid.npy"), "--method", "triplet", *out],
         "--method: several ranks cannot make trees of triplets"),
        ("one GPU for several ranks", ["topology", str(folder / "grid.npy"), "--device", "cuda:0", *out],
         "--device cuda:0: each of several ranks takes a GPU of its own; use --device cuda"),
        ("GPUs beside a launcher", ["topology", str(folder / "grid.npy"), "--gpus", "all", *out],
         "--gpus all: each of the ranks that a launcher started takes one GPU"),
        ("a value that is no number", ["topology", str(folder / "nan.npy"), *out],
         r"nan.npy: .*cell \(2, 1, 0\) is not a number"),
        ("a grid that is cut short", ["topology", str(folder / "short.npy"), *out],
         "the file ends before the 5 x 4 x 3 values"),
        ("a turned grid that is cut short", ["topology", str(folder / "grid.npy"), "--raw-grid",
                                             "f4:9x5x4;order=fortran", *out],
         "the file has 368 bytes; 0 that are skipped and 9 x 5 x 4 values are 720"),
        ("a sample of fewer particles than types", ["render", sample, "-o", "out.png", "--max-particles", "2"],
         "--max-particles: 2 particles are fewer than the 3 particle types"),
        ("a region without particles", ["render", sample, "-o", "out.png", "--region", "0,0,0,1,1,1"],
         "no particle lies in the region"),
        ("a picture of no format", ["render", sample, "-o", "out.nothing"],
         r"out.nothing.* \(rank 0 of 3 on "),
        ("a picture where nothing can be written", ["render", sample, "-o", "/proc/out.png"],
         r"/proc.* \(rank 0 of 3 on "),
        ("a folder that is not there", ["halos", sample, "-o", "absent/out.hdf5"],
         r"the folder absent does not exist.* \(rank 0 of 3 on "),
    ]
    for name, words, sentence in cases:
        with tempfile.TemporaryDirectory() as empty:
            one_sentence(run(3, words, empty), name, sentence)
            CHECKS.that(not files_in(empty), f"{name}: left {list(files_in(empty))}")
    done = run(3, ["halos", sample, *out], folder, HALOSCOPE_MPI=str(folder / "absent.so"))
    one_sentence(done, "no plugin", "started 3 ranks, and there is no plugin")
    wrong = folder / "wrong.so"
    wrong.write_bytes(b"no library")
    done = run(3, ["halos", sample, *out], folder, HALOSCOPE_MPI=str(wrong))
    one_sentence(done, "a broken plugin", "the plugin cannot be loaded")
    # A launcher's environment without its launcher: the plugin's MPI sees one process.
    done = run(1, ["halos", sample, *out], folder, OMPI_COMM_WORLD_RANK="0",
               OMPI_COMM_WORLD_SIZE="2")
    one_sentence(done, "another MPI", "started 2 ranks, and the plugin's MPI .* sees 1 of them; build")
    done = run(1, ["halos", sample, *out], folder, SLURM_PROCID="0", SLURM_STEP_NUM_TASKS="2")
    one_sentence(done, "Slurm without PMIx", "Slurm started 2 ranks, .* sees 1 of them; "
                 r"start haloscope by srun --mpi=pmix \(MPICH: --mpi=pmi2\)")
    # Two places that are called the same and hold different snapshots, or one that holds none.
    for name in ("a", "b", "c", "d"):
        (folder / name).mkdir()
    made.gadget(folder / "a" / "snapshot", [], [(1.0, 2.0, 3.0)] * 5)
    made.gadget(folder / "b" / "snapshot", [], [(1.0, 2.0, 3.0)] * 7)
    made.gadget(folder / "d" / "snapshot", [], [(1.0, 2.0, 3.0)] * 4 + [(1.0, 2.0, 3.5)])
    for other, sentence in (
            ("b", "rank 1 sees .* 7 dm particles where rank 0 sees .* 5 dm"),
            ("c", r"there is no such file or folder; check the path \(rank 1 of 2 on "),
            ("d", "error: snapshot: rank 1 sees other contents of this file than rank 0; give a path")):
        words = ["halos", "snapshot", *out]
        one_sentence(mixed.run_pair(folder / "a", words, folder / other, words),
                     f"another snapshot ({other})", sentence)
    mixed.check_other_grids(folder)
    mixed.check_other_words(folder, sample)
    done = run(2, ["--help"], folder)
    CHECKS.that(done.returncode == 0 and done.stdout.count("Usage: haloscope SNAPSHOT") == 1,
                f"--help: {done.returncode} {done.stdout}")


def check_stats(folder):
    """--stats tells on how many ranks a job ran."""
    sample, grid = str(SOURCE / "assets" / "sample.hdf5"), folder / "cells.npy"
    made.grid(grid, (9, 8, 7), seed=5)
    jobs = {"halos": [sample, "-o", "halos.csv"],
            "clusters": [sample, "-o", "clusters.csv"],
            "topology": [str(grid), "--pairs", "pairs.csv"],
            "grid": [sample, "-o", "density.npy", "--size", "8"],
            "render": [sample, "-o", "picture.ppm", "--size", "64x48", "--device", "cpu"]}
    for command, words in jobs.items():
        for ranks in (1, 3):
            with tempfile.TemporaryDirectory() as place:
                done = run(ranks, [command, *words, "--stats", "stats.json", "--quiet"], place)
                stats = Path(place) / "stats.json"
                told = json.loads(stats.read_text()) if stats.exists() else {}
            CHECKS.that(done.returncode == 0, f"{command} --stats on {ranks} ranks: {done.stderr}")
            CHECKS.that(told.get("ranks") == ranks,
                        f"{command} --stats on {ranks} ranks tells {told.get('ranks')}")


def check_gpu_pictures(folder):
    sample = str(SOURCE / "assets" / "sample.hdf5")
    plain = ["--no-cache", "--size", "120x91"]
    for device in ("cuda", "auto"):
        words = ["render", sample, "-o", "out.png", *plain, "--device", device]
        same_for_all([*words, "--deterministic"], ["out.png"], f"a picture, --device {device}", (2,))
        same_for_all(words, ["out.png"], f"light, --device {device}", (2,), alike=pixels_alike)
    same_for_all(["render", sample, "-o", "map.hdf5", *plain, "--device", "cuda", "--map",
                  "mean:Temperature"], ["map.hdf5"], "a map on two GPUs", (2,))
    films.check(folder, "cuda", (2,))
    # A file without texts, in which command lines would differ.
    files = []
    for where in (["--device", "cpu"], ["--gpus", "0"], ["--gpus", "all"], ["--gpus", "1,0"]):
        with tempfile.TemporaryDirectory() as place:
            done = run(1, ["render", sample, "-o", "out.ppm", *plain, "--deterministic", *where], place)
            files.append(files_in(place))
        CHECKS.that(done.returncode == 0, f"a picture, {' '.join(where)}: {done.stderr}")
        CHECKS.that(files[-1] == files[0] and "out.ppm" in files[0],
                    f"the picture of {' '.join(where)} is not that of the processor")


def check_gpu_trees(folder):
    """Merge trees of grids and of a snapshot on two GPUs."""
    sample, grid = str(SOURCE / "assets" / "sample.hdf5"), folder / "gpu_cells.npy"
    made.grid(grid, (13, 11, 40), seed=6)
    words = ["topology", str(grid), "-o", "peaks.hdf5", "--periodic", "yes", "--smooth", "1cells"]
    for device in ("cuda", "auto"):
        same_for_all([*words, "--device", device], ["peaks.hdf5"], f"a tree, --device {device}", (2,))
    same_for_all(["topology", sample, "-o", "peaks.hdf5", "--grid", "16", "--device", "cuda"],
                 ["peaks.hdf5"], "a snapshot's tree on two GPUs", (2,))
    same_for_all(["grid", sample, "-o", "grid.hdf5", "--size", "16", "--smooth", "1cells", "--device",
                  "cuda"], ["grid.hdf5"], "a snapshot's grid on two GPUs", (2,))
    # A file without texts, in which command lines would differ.
    files = []
    for where in (["--device", "cpu"], ["--gpus", "0"], ["--gpus", "all"], ["--gpus", "1,0"]):
        with tempfile.TemporaryDirectory() as place:
            done = run(1, ["topology", str(grid), "--pairs", "pairs.npy", "-o", "labels.npy", *where],
                       place)
            files.append(files_in(place))
        CHECKS.that(done.returncode == 0, f"a tree, {' '.join(where)}: {done.stderr}")
        CHECKS.that(files[-1] == files[0] and "pairs.npy" in files[0],
                    f"the pairs of {' '.join(where)} are not those of the processor")


def check_gpus(folder):
    sample = str(SOURCE / "assets" / "sample.hdf5")
    halos = ["halos", sample, "-o", "halos.hdf5", "--attach", "gas"]
    second = run(1, [*halos[:3], str(folder / "second.hdf5"), "--device", "cuda:1"], folder)
    if second.returncode != 0:
        CHECKS.that("two-gpus" not in REQUIRED, "there are no two GPUs: " + second.stderr)
        print("skipped: there are no two GPUs")
        return
    for device in ("cuda", "auto"):
        same_for_all([*halos, "--device", device], ["halos.hdf5"], f"--device {device}", (2,))
    universe = folder / "universe"
    made.universe(universe)
    same_for_all(["halos", str(universe), "-o", "halos.hdf5", "--types", "gas,dm", "--device",
                  "cuda"], ["halos.hdf5"], "two types on two GPUs", (2,))
    for device in ("cuda", "auto"):
        same_for_all(["clusters", sample, "-o", "clusters.hdf5", "--tree", "tree.npy", "--device", device],
                     ["clusters.hdf5", "tree.npy"], f"clusters, --device {device}", (2,))
    check_gpu_pictures(folder)
    check_gpu_trees(folder)
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    gpus = listed.stdout.count("UUID: GPU")
    done = run(gpus + 1, [*halos, "--device", "cuda"], folder)
    one_sentence(done, "more ranks than GPUs",
                 f"--device cuda: {gpus + 1} ranks on .* are more than the {gpus} GPUs that they see")


def check_snapshot_grids(folder):
    snapshot_grids.check(folder, shared_snapshots())


GROUPS = {"same": check_same, "clusters": check_clusters, "topology": check_topology,
          "snapshot_grids": check_snapshot_grids, "pictures": check_pictures,
          "regions": regions.check, "states": states.check, "stats": check_stats,
          "refused": check_refused, "gpus": check_gpus, "ended": ended.check_ended}


def main():
    if not shutil.which(LAUNCHER[0]) or not (PROGRAM.parent / "haloscope_mpi.so").exists():
        print(f"skipped: there is no {LAUNCHER[0]}, or no plugin beside the program")
        return 1 if "system" in REQUIRED else 77
    for name in sys.argv[2:] or GROUPS:
        with tempfile.TemporaryDirectory() as folder:
            GROUPS[name](Path(folder))
    print(f"{CHECKS.done} checks, {CHECKS.wrong} wrong")
    return 1 if CHECKS.wrong else 0


sys.exit(main())
