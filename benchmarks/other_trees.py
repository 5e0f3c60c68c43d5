#!/usr/bin/env python3
"""Times what other packages make of the sets of haloscope_bench_topology.

Usage: other_trees.py path/to/haloscope_bench_topology [--sets gaussian,edges,image8,image16]
                      [--size N] [--edges-size N] [--image-size N] [--threads N] [--device cpu,cuda]
                      [--repeat N] [--repeat-others N] [--limit SECONDS]
- gaussian: persistence of GUDHI's cubical complex whose vertices are the cells (6 neighbors). It
  makes all dimensions; haloscope makes dimension 0 alone.
- edges: the set gaussian of --edges-size as cells and edges in GUDHI's SimplexTree, which makes
  dimension 0 alone, and takes more memory. Its time holds the building of the SimplexTree.
- image8, image16: max-trees of scikit-image and Higra (4 and 8 neighbors in the plane, haloscope's 6
  and 26). They have a parent for each pixel, as the triplets do; `reduced` has branches and basins.
  The time of scikit-image grows faster than the number of pixels where many are of one value:
  --limit ends it. Higra takes 180 bytes a pixel.
haloscope measures each set first, in the same run, and writes it. All figures are of one grid, and a
package must find as many pairs as haloscope: of a max-tree, nodes that no other node lies above.
Core-seconds are those of the whole process. Several runs of a package are preceded by one that is
not measured. A package that is missing is skipped with a sentence.
"""
import argparse
import collections
import importlib.metadata
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

IMAGES = ("image8", "image16")
TITLES = ("set", "cells", "type", "neighbors", "program", "runs", "ms", "range", "Mvoxel/s",
          "Mvoxel per core-second", "pairs")

Job = collections.namedtuple("Job", "name cells type neighbors values ours given")


def row_of(job, program, samples, pairs):
    """The medians of the wall time and of the core-seconds, as a line of the table."""
    walls = sorted(wall for wall, _ in samples)
    wall = walls[len(walls) // 2]
    cores = sorted(cores for _, cores in samples)[len(samples) // 2]
    voxels = job.values.size / 1e6
    return (job.name, job.cells, job.type, job.neighbors, program, len(samples),
            f"{1e3 * wall:.0f}", f"{1e3 * walls[0]:.0f} to {1e3 * walls[-1]:.0f}",
            f"{voxels / wall:.2f}", f"{voxels / cores:.2f}", pairs)


def measure(job, program, run, count):
    """Lines of run(), in whose result count() counts the pairs, in a process that ends after
    given.limit seconds: compiled code has no ear for anything else."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=measure_here, args=(job.given.repeat_others, run, count, sender))
    print(f"{program}: {job.name}, {job.cells}", flush=True)
    child.start()
    sender.close()
    found = None
    try:
        if receiver.poll(job.given.limit):
            found = receiver.recv()
    except EOFError:
        pass
    is_late = found is None and child.is_alive()
    child.terminate()
    child.join()
    if found is None:
        why = f"more than {job.given.limit:.0f} s" if is_late else "ended without a result"
        print(f"  {why}", flush=True)
        return [(job.name, job.cells, job.type, job.neighbors, program, "", why, "", "", "", "")]
    samples, pairs, kibibytes = found
    seconds = ", ".join(f"{wall:.2f} s ({cores:.2f} core-seconds)" for wall, cores in samples)
    print(f"  {seconds}; {pairs} pairs; at most {kibibytes * 1024 / 1e9:.2f} GB with the grid",
          flush=True)
    if pairs != job.ours:
        pairs = f"{pairs}, not {job.ours}"
    return [row_of(job, program, samples, pairs)]


def measure_here(repeats, run, count, sender):
    samples = []
    for _ in range(repeats + 1 if repeats > 1 else 1):
        made = None  # two at once may not fit
        wall, cores = time.perf_counter(), time.process_time()
        made = run()
        samples.append((time.perf_counter() - wall, time.process_time() - cores))
    kibibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sender.send((samples[-repeats:], count(made), kibibytes))


def time_cubical(job):
    import gudhi
    levels = -job.values.astype("float64")  # sublevels of it are superlevels of the grid

    def run():
        made = gudhi.CubicalComplex(vertices=levels)
        made.compute_persistence()
        return made.persistence_intervals_in_dimension(0)

    try:
        gudhi.CubicalComplex(vertices=levels[:2, :2, :2])
    except TypeError:
        print(f"GUDHI {gudhi.__version__} has no complex whose vertices are the cells; 3.8 has")
        return []
    return measure(job, f"GUDHI {gudhi.__version__}, CubicalComplex", run, len)


def time_edges(job):
    import gudhi
    import numpy
    levels = -job.values.astype("float64")
    index = numpy.arange(levels.size, dtype=numpy.int32).reshape(levels.shape)

    def run():
        made = gudhi.SimplexTree()
        made.insert_batch(index.reshape(1, -1), levels.reshape(-1))
        for axis in range(3):
            ends = [(slice(None),) * axis + (side,) for side in (slice(None, -1), slice(1, None))]
            made.insert_batch(numpy.stack([index[end].reshape(-1) for end in ends]),
                              numpy.maximum(levels[ends[0]], levels[ends[1]]).reshape(-1))
        made.compute_persistence()
        return made.persistence_intervals_in_dimension(0)

    return measure(job, f"GUDHI {gudhi.__version__}, SimplexTree of edges", run, len)


def count_leaves(parent, is_node):
    """How many nodes are no other node's parent. The root is its own."""
    import numpy
    nodes = numpy.flatnonzero(is_node)
    is_inner = numpy.zeros(parent.size, dtype=bool)
    is_inner[parent[nodes][parent[nodes] != nodes]] = True
    return int(nodes.size - numpy.count_nonzero(is_inner))


def time_skimage(job):
    import skimage
    from skimage.morphology import max_tree

    def run():
        return max_tree(job.values, connectivity=1 if job.neighbors == "6" else 2)

    def count(made):
        parent, values = made[0].reshape(-1), job.values.reshape(-1)
        is_node = values[parent] != values  # the others are of their parent's node
        is_node[made[1][0]] = True
        return count_leaves(parent, is_node)

    return measure(job, f"scikit-image {skimage.__version__}, max_tree", run, count)


def time_higra(job):
    import higra
    import numpy

    def run():
        graph = (higra.get_4_adjacency_graph if job.neighbors == "6" else
                 higra.get_8_adjacency_graph)(job.values.shape)
        return higra.component_tree_max_tree(graph, job.values)[0].parents()

    def count(parent):
        return count_leaves(parent, numpy.arange(parent.size) >= job.values.size)

    version = importlib.metadata.version("higra")
    return measure(job, f"Higra {version}, component_tree_max_tree", run, count)


def our_rows(given, name, size, neighbors, path):
    """Rows of haloscope's first table, by its titles. All that it prints is shown too."""
    command = [given.bench, "--device", given.device, "--set", name, "--size", str(size), "--threads",
               str(given.threads), "--repeat", str(given.repeat), "--write", path, "--neighbors",
               *neighbors]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bench:
        for line in bench.stdout:
            print(line, end="", flush=True)
            lines.append(line.strip())
    if bench.returncode != 0:
        sys.exit(bench.returncode)
    first = next(k for k, line in enumerate(lines) if line.startswith("| set |"))
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[first:]
             if line.startswith("|")]
    end = next((k for k, row in enumerate(cells) if k > 0 and row[0] == "set"), len(cells))
    return [dict(zip(cells[0], row)) for row in cells[2:end]]


def take(given, name):
    """All lines of one set: haloscope's, then those of the packages that do the same."""
    import numpy
    size, packages = {
        "gaussian": (given.size, {"gudhi": time_cubical}),
        "edges": (given.edges_size, {"gudhi": time_edges}),
    }.get(name, (given.image_size, {"scikit-image": time_skimage, "higra": time_higra}))
    set_name = "gaussian" if name == "edges" else name
    neighbors = ["6", "26"] if name in IMAGES else ["6"]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / f"{name}.npy")
        ours = our_rows(given, set_name, size, neighbors, path)
        values = numpy.load(path)
    lines = []
    for number in neighbors:
        rows = [row for row in ours if row["neighbors"] == number]
        for row in rows:
            where = row["device"] + (f", threads: {row['threads']}" if row["threads"] else "")
            lines.append((set_name, row["cells"], row["type"], number,
                          f"haloscope, {row['method']}, {where}", row["runs"], row["ms"],
                          row["range"], row["Mvoxel/s"], row.get("Mvoxel per core-second", ""),
                          row["pairs"]))
        job = Job(set_name, rows[0]["cells"], rows[0]["type"], number, values,
                  next(int(row["pairs"]) for row in rows if row["pairs"]), given)
        for package, time_it in packages.items():
            try:
                lines += time_it(job)
            except ImportError:
                print(f"{package} is skipped: there is no such package here")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench")
    parser.add_argument("--sets", default="gaussian,edges,image8,image16")
    parser.add_argument("--size", type=int, default=256, help="cells along each axis of gaussian")
    parser.add_argument("--edges-size", type=int, default=128, help="the same where it is edges")
    parser.add_argument("--image-size", type=int, default=8192)
    parser.add_argument("--threads", type=int, default=2, help="of haloscope")
    parser.add_argument("--device", default="cpu", help="of haloscope: cpu, cuda or cpu,cuda")
    parser.add_argument("--repeat", type=int, default=3, help="runs of haloscope")
    parser.add_argument("--repeat-others", type=int, default=1)
    parser.add_argument("--limit", type=float, default=600, help="seconds of a set in a package")
    given = parser.parse_args()
    names = given.sets.split(",")
    if unknown := set(names) - {"gaussian", "edges", *IMAGES}:
        parser.error(f"unknown sets: {', '.join(sorted(unknown))}")
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("all is skipped: there is no package numpy here")
        return
    lines = [line for name in names for line in take(given, name)]
    print("\n| " + " | ".join(TITLES) + " |\n" + "|---" * len(TITLES) + "|")
    for line in lines:
        print("| " + " | ".join(str(word) for word in line) + " |")
    if any("not" in str(line[-1]) for line in lines):
        sys.exit("a package finds other pairs than haloscope")


if __name__ == "__main__":
    main()
