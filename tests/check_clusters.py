#!/usr/bin/env python3
"""Compares `haloscope clusters` of tables with SciPy, scikit-learn and the package hdbscan.

Usage: check_clusters.py path/to/haloscope [DEVICE]
Sets: uniform, blobs with a background, points of a lattice with many duplicates, and periodic ones
(against distances to the nearest image), in 2, 3 and 6 dimensions. For each:
- the linkage matrix is a valid one of SciPy's, its heights are those of SciPy's single linkage (of
  mutual reachability for HDBSCAN*) but for the steps of the lattice, its rows are the same where no
  two heights are that close, and the flat partitions at 100 heights are the same;
- cuts that the program makes are SciPy's, and scikit-learn's single linkage with a threshold;
- hdbscan's own condensing, selection, probabilities, persistence and outlier scores, fed our linkage
  matrix, are ours (labels exactly, numbers to 1e-6), for many options; its plots take our condensed
  tree, and its exact tree has our heights;
- trees of cuSLINK, also in 40 dimensions, are csgraph's minimum spanning forest of the graph of
  nearest neighbors, joined by the shortest distances between its trees;
- with weights, fast_hdbscan's leaf clusters of our tree are ours, and its clusters by excess of mass
  where each point counts by its weight; ranges of sizes, their persistence, the chosen size, and
  the labels of the best sizes are fast_plscan's of our tree (parts that are skipped with words
  where these packages are missing);
- of 20,000 rows in blobs its labels and scikit-learn's agree with ours to an adjusted Rand index of
  0.998, or to what ties alone do. Mutual reachability has many ties, in which trees are not unique:
  hdbscan's labels of the same rows in twelve other orders tell how far it agrees with itself.
Ends with 77 (skipped, for ctest) where one of the packages is missing, with 1 if anything differs.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import Checks

try:
    import h5py
    import hdbscan
    import numpy as np
    from hdbscan import _hdbscan_tree
    from hdbscan.plots import CondensedTree
    from scipy.cluster.hierarchy import dendrogram, fcluster, is_valid_linkage, linkage
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
    from scipy.spatial.distance import squareform
    from sklearn.cluster import HDBSCAN as SklearnHDBSCAN
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.metrics import adjusted_rand_score
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

try:
    from fast_hdbscan import cluster_trees as fast_trees
except ImportError as missing:
    fast_trees = None
    print(f"without fast_hdbscan: {missing}")
try:
    import fast_plscan
    from fast_plscan import _api as plscan_parts
    from fast_plscan.api import clusters_from_spanning_forest
    from scipy.signal import find_peaks
except ImportError as missing:
    fast_plscan = None
    print(f"without fast_plscan: {missing}")

ROWS, LARGE = 1200, 20_000
BOX = 3.0
THRESHOLDS = 100
LEAST_INDEX = 0.998
# Size, selection, single cluster, largest size, epsilon.
SELECTIONS = [(5, "eom", 0, 0, 0), (15, "eom", 0, 0, 0), (15, "leaf", 0, 0, 0),
              (15, "eom", 1, 0, 0), (5, "eom", 0, 200, 0), (5, "leaf", 0, 0, 0.03),
              (5, "eom", 0, 0, 0.03), (5, "eom", 1, 0, 0.03), (15, "leaf", 1, 0, 0.1),
              (60, "eom", 1, 0, 0)]


CHECKS = Checks()


def sets(columns):
    random = np.random.default_rng(3)
    uniform = random.random((ROWS, columns))
    yield "uniform", uniform, 0
    centers = random.random((12, columns))
    field = ROWS // 20
    spread = 0.01 * random.random((ROWS - field, 1))
    blobs = np.vstack([centers[random.integers(12, size=ROWS - field)]
                       + random.normal(size=(ROWS - field, columns)) * spread,
                       random.random((field, columns))])
    yield "blobs", blobs, 0
    yield "duplicates", np.round(random.random((ROWS, columns)) * 9) / 9, 0
    if columns > 3:
        return
    yield "periodic uniform", uniform * BOX, BOX
    # Some across the sides, some outside.
    centers = np.round(random.random((12, columns)) * 2) * BOX / 2
    yield "periodic blobs", np.vstack([
        centers[random.integers(12, size=ROWS - field)]
        + random.normal(size=(ROWS - field, columns)) * spread * BOX,
        random.random((field, columns)) * BOX]), BOX


def distances(points, box, samples):
    apart = points[:, None, :] - points[None, :, :]
    if box:
        apart -= box * np.round(apart / box)
    matrix = np.sqrt((apart ** 2).sum(-1))
    if samples > 1:
        core = np.sort(matrix, 1)[:, samples - 1]
        matrix = np.maximum(matrix, np.maximum(core[:, None], core[None, :]))
        np.fill_diagonal(matrix, 0)
    return matrix


class Ours:
    """What one run of the program wrote."""

    def __init__(self, program, device, folder, points, box, options):
        table, output = folder / "points.npy", folder / "clusters.hdf5"
        np.save(table, points)
        words = [program, "clusters", table, "-o", output, "--device", device, "--quiet", *options]
        if box:
            words += ["--box", repr(box)]
        subprocess.run([str(word) for word in words], check=True, capture_output=True)
        with h5py.File(output) as file:
            self.z = file["Dendrogram/Z"][:]
            self.step = file["Provenance/Parameters"].attrs.get("lattice step", 0)
            self.label = file["Labels/Label"][:].astype(int) if "Labels" in file else None
            self.tree = [file["Tree"][name][:] for name in ("i", "j", "weight")]
            self.ranges = None
            if "SizeRanges" in file:
                self.ranges = {name: file["SizeRanges"][name][:] for name in file["SizeRanges"]}
            if "Resolutions" in file:
                self.resolutions = {name: file["Resolutions"][name][:]
                                    for name in ("Size", "Above", "UpTo", "Persistence")}
                self.layers = [file[f"Resolutions/{k}/Label"][:].astype(int)
                               for k in range(len(self.resolutions["Size"]))]
            if "Condensed" in file:
                self.probability = file["Labels/Probability"][:]
                self.outlier = file["Labels/OutlierScore"][:]
                self.persistence = file["Group/GroupPersistence"][:]
                self.condensed = {name: file["Condensed"][name][:] for name in file["Condensed"]}


def same_partition(a, b):
    pairs = set(zip(a.tolist(), b.tolist()))
    return len(pairs) == len(set(a.tolist())) == len(set(b.tolist()))


def same_labels(a, b):
    return same_partition(a, b) and np.array_equal(a < 0, b < 0)


def numbered_by_first(label):
    """Clusters in the order of their first rows, as ours are."""
    numbers = {}
    return np.array([-1 if one < 0 else numbers.setdefault(one, len(numbers)) for one in label])


def thresholds(heights, bound):
    gaps = np.flatnonzero(np.diff(heights) > 4 * bound)
    chosen = gaps[np.linspace(0, len(gaps) - 1, min(THRESHOLDS, len(gaps))).astype(int)]
    return (heights[chosen] + heights[chosen + 1]) / 2


def check_tree(ours, theirs, columns, name):
    bound = 2 * np.sqrt(columns) * ours.step
    CHECKS.that(is_valid_linkage(ours.z), name + ": a linkage matrix")
    CHECKS.that(np.abs(ours.z[:, 2] - theirs[:, 2]).max() <= bound, name + ": heights")
    if np.diff(theirs[:, 2]).min() > 2 * bound:
        CHECKS.that(np.array_equal(ours.z[:, [0, 1, 3]], theirs[:, [0, 1, 3]]), name + ": rows")
    at = thresholds(theirs[:, 2], bound)
    CHECKS.that(all(same_partition(fcluster(ours.z, t, "distance"), fcluster(theirs, t, "distance"))
                    for t in at), f"{name}: partitions at {len(at)} heights")
    return at


def check_cuts(run, theirs, matrix, at, name):
    for t in at[:: max(1, len(at) // 3)]:
        label = run(["--cut", f"distance:{float(t)!r}"]).label
        expected = numbered_by_first(fcluster(theirs, t, "distance"))
        CHECKS.that(np.array_equal(label, expected), f"{name}: cut at {t:.4g}")
        model = AgglomerativeClustering(n_clusters=None, metric="precomputed", linkage="single",
                                        distance_threshold=t).fit(matrix)
        CHECKS.that(same_partition(label, model.labels_), f"{name}: scikit-learn at {t:.4g}")
        sizes = np.bincount(label)
        expected = np.where(sizes[label] >= 10, label, -1)
        label = run(["--cut", f"distance:{float(t)!r}", "--min-cluster-size", "10"]).label
        CHECKS.that(np.array_equal(label, numbered_by_first(expected)), name + ": cut with a size")
    label = run(["--cut", "count:7"]).label
    CHECKS.that(len(set(label.tolist())) == 7, name + ": cut by count")
    if np.diff(theirs[-8:, 2]).min() > 1e-6:
        CHECKS.that(same_partition(label, fcluster(theirs, 7, "maxclust")), name + ": seven of them")


def check_selection(ours, selection, name):
    size, method, single, most, epsilon = selection
    tree = _hdbscan_tree.condense_tree(ours.z.copy(), size)
    stability = _hdbscan_tree.compute_stability(tree)
    label, probability, persistence = _hdbscan_tree.get_clusters(
        tree, dict(stability), method, bool(single), False, float(epsilon), most)
    outlier = _hdbscan_tree.outlier_scores(tree)
    name = f"{name} {selection}"
    if not same_labels(ours.label, label):
        CHECKS.that(False, name + ": labels")
        return
    CHECKS.that(np.array_equal(ours.label, numbered_by_first(label)), name + ": numbers of clusters")
    CHECKS.that(np.allclose(ours.probability, probability, atol=1e-6), name + ": probabilities")
    CHECKS.that(np.allclose(ours.outlier, np.where(np.isnan(outlier), 1, outlier), atol=1e-6),
                name + ": outlier scores")
    theirs = {ours.label[p]: persistence[label[p]] for p in range(len(label)) if label[p] >= 0}
    CHECKS.that(np.allclose(ours.persistence, [theirs[c] for c in sorted(theirs)], atol=1e-6,
                            equal_nan=True), name + ": persistence")

    def rows(parent, child, value, count):
        return sorted(zip(parent.tolist(), child.tolist(), count.tolist(), value.tolist()))

    def structure(table):
        """Which clusters a cluster parts into, whatever their numbers: points under each."""
        return sorted(row[2:] for row in table)

    mine = rows(*(ours.condensed[k] for k in ("parent", "child", "lambda_val", "child_size")))
    given = rows(tree["parent"], tree["child"], tree["lambda_val"], tree["child_size"])
    same = len(mine) == len(given) and np.allclose(
        np.array(structure(mine)), np.array(structure(given)), rtol=1e-9)
    CHECKS.that(same, name + ": condensed tree")


def joined_heights(plain, matrix, neighbors):
    """Of the spanning forest of a graph of nearest neighbors, and of what joins its trees.

    Neighbors are near by plain distances, and edges have those of the matrix.
    """
    count = len(matrix)
    others = plain + np.diag(np.full(count, np.inf))
    nearest = np.argsort(others, axis=1, kind="stable")[:, :neighbors]
    rows = np.repeat(np.arange(count), neighbors)
    # Edges of weight 0 are none to csgraph: places among all weights stand for them.
    values, place = np.unique(matrix, return_inverse=True)
    place = place.reshape(matrix.shape) + 1
    graph = coo_matrix((place[rows, nearest.ravel()], (rows, nearest.ravel())),
                       shape=matrix.shape).tocsr()
    graph = graph.maximum(graph.T)
    heights = list(values[minimum_spanning_tree(graph).data.astype(int) - 1])
    trees, tree = connected_components(graph, directed=False)
    in_graph = trees
    while trees > 1:
        between = np.full((trees, trees), np.inf)
        np.minimum.at(between, (tree[:, None], tree[None, :]), matrix)
        np.fill_diagonal(between, np.inf)
        joined = coo_matrix((np.searchsorted(values, between.min(1)) + 1,
                             (np.arange(trees), between.argmin(1))), shape=between.shape).tocsr()
        joined = minimum_spanning_tree(joined.maximum(joined.T))
        heights += list(values[joined.data.astype(int) - 1])
        trees, number = connected_components(joined, directed=False)
        tree = number[tree]
    return np.sort(heights), in_graph


def check_cuslink(program, device, folder, points, name):
    # Ties are ties in whole numbers alone, for programs that round in other ways.
    points = np.round(points * 9) if "duplicates" in name else points.astype(np.float32).astype(float)

    def run(options):
        return Ours(program, device, folder, points.astype(np.float32), 0, options)

    def rounded(samples):
        return distances(points, 0, samples).astype(np.float32).astype(float)

    for samples in (1, 4):
        matrix = rounded(samples)
        kind = ["--linkage", "single"] if samples == 1 else ["--min-samples", samples]
        for neighbors in (3, 24):
            ours = run([*kind, "--method", "cuslink", "--k", neighbors])
            heights, trees = joined_heights(rounded(1), matrix, neighbors)
            words = f"{name}: cuslink, {neighbors} neighbors, {samples} samples, {trees} trees"
            bound = np.maximum(2 * np.sqrt(points.shape[1]) * ours.step, heights * 2.0 ** -23)
            CHECKS.that(is_valid_linkage(ours.z), words + ": a linkage matrix")
            CHECKS.that((np.abs(ours.z[:, 2] - heights) <= bound).all(), words + ": heights")


def check_plots(ours, name):
    kinds = [("parent", np.intp), ("child", np.intp), ("lambda_val", float), ("child_size", np.intp)]
    table = np.empty(len(ours.condensed["child"]), dtype=kinds)
    for key, _ in kinds:
        table[key] = ours.condensed[key]
    data = CondensedTree(table, ours.label).get_plot_data()
    CHECKS.that(len(data["bar_tops"]) > 0, name + ": hdbscan's plot of our condensed tree")
    tree = dendrogram(ours.z, no_plot=True, truncate_mode="lastp", p=20)
    CHECKS.that(len(tree["leaves"]) == 20, name + ": SciPy's plot of our linkage matrix")


def check_their_tree(ours, points, samples, name):
    """They count the neighbors without the point itself."""
    model = hdbscan.HDBSCAN(min_cluster_size=15, min_samples=samples - 1, algorithm="prims_kdtree",
                            approx_min_span_tree=False, gen_min_span_tree=True).fit(points)
    heights = np.sort(model.minimum_spanning_tree_.to_numpy()[:, 2])
    bound = 2 * np.sqrt(points.shape[1]) * ours.step
    CHECKS.that(np.abs(heights - ours.z[:, 2]).max() <= bound, name + ": hdbscan's heights")


def made_weights():
    """Eighths from 1/4 to 7/4 whose mean is 1: every program sums them exactly."""
    random = np.random.default_rng(5)
    away = random.integers(0, 7, ROWS // 2) / 8
    return random.permutation(np.concatenate([1 + away, 1 - away]))


def check_weights(run, weights, name):
    """fast_hdbscan counts a point that leaves as 1; as a weight it is put in here.

    It tells points from clusters by sizes up to 1, so that all weights are halved, which changes no
    choice.
    """
    for least in (15, 40):
        leaves = run(["--min-cluster-size", least, "--select", "leaf"])
        i, j, height = leaves.tree
        tree = np.column_stack([i, j, height]).astype(float)
        half = (weights / 2).astype(np.float32)
        # Its own search would sort edges anew, whose heights are equal but for what was rounded.
        merged = fast_trees.mst_to_linkage_tree_w_sample_weights(tree, half)
        condensed = fast_trees.condense_tree(merged, least / 2, sample_weights=half)
        parts = fast_trees.cluster_tree_from_condensed_tree(condensed)
        chosen = (fast_trees.cluster_tree_leaves(parts, len(weights)) if len(parts.child)
                  else np.empty(0, dtype=np.int64))
        label = fast_trees.get_cluster_label_vector(condensed, chosen, 0.0, len(weights))
        words = f"{name}, weights, {least}"
        CHECKS.that(same_labels(leaves.label, label), words + ": leaves of fast_hdbscan")
        of_clusters = condensed.child >= len(weights)
        ours = leaves.condensed
        mine = ours["child"] >= len(weights)
        CHECKS.that(of_clusters.sum() == mine.sum() and np.allclose(
            np.sort(ours["child_weight"][mine]) / 2, np.sort(condensed.child_size[of_clusters])),
            words + ": weights of condensed clusters")
        # There clusters begin and end at one height: stabilities of 0, which float32 rounds.
        if "duplicates" in name:
            continue
        sizes = condensed.child_size.copy()
        sizes[~of_clusters] = half[condensed.child[~of_clusters]]
        weighted = fast_trees.CondensedTree(condensed.parent, condensed.child,
                                            condensed.lambda_val, sizes)
        chosen = fast_trees.extract_eom_clusters(weighted, parts)
        label = fast_trees.get_cluster_label_vector(condensed, chosen, 0.0, len(weights))
        CHECKS.that(same_labels(run(["--min-cluster-size", least]).label, label),
                    words + ": excess of mass of fast_hdbscan")


def check_sizes(run, weights, samples, name):
    """Their sizes are those above a number, ours those above it and up to the next."""
    layers = 5
    ours = run(["--min-cluster-size", "auto", "--resolutions", layers, "--min-samples", samples])
    i, j, height = ours.tree
    count = len(height) + 1
    tree = plscan_parts.SpanningTree(i.astype(np.uint32), j.astype(np.uint32),
                                     height.astype(np.float32))
    single = None if weights is None else weights.astype(np.float32)
    labels, _, trace, leaf_tree, condensed, _ = clusters_from_spanning_forest(
        tree, count, min_cluster_size=float(samples - 1), sample_weights=single)
    words = f"{name}, sizes{'' if weights is None else ' by weight'}"
    if ours.ranges is None:
        CHECKS.that(not trace.persistence.any() and (ours.label < 0).all(),
                    words + ": nothing splits")
        return
    middle = (ours.ranges["Above"] + ours.ranges["UpTo"]) / 2
    at = np.searchsorted(trace.min_size, middle, side="right") - 1
    CHECKS.that(np.array_equal(trace.persistence[at], ours.ranges["Persistence"].astype(np.float32)),
                words + ": persistence of fast_plscan")
    CHECKS.that(ours.resolutions["Above"][0] == trace.min_size[np.argmax(trace.persistence)],
                words + ": the chosen size")
    CHECKS.that(same_labels(ours.label, np.asarray(tuple(labels)[0])), words + ": labels")
    padded = np.concatenate([[0], trace.persistence, [0]])
    peaks = np.sort(padded[find_peaks(padded)[0]])[::-1][:layers]
    CHECKS.that(np.array_equal(peaks, ours.resolutions["Persistence"].astype(np.float32)),
                words + ": best sizes")
    for k, label in enumerate(ours.layers):
        between = (ours.resolutions["Above"][k] + ours.resolutions["UpTo"][k]) / 2
        chosen = plscan_parts.apply_size_cut(leaf_tree, between)
        theirs = plscan_parts.compute_cluster_labels(leaf_tree, condensed, chosen, count)
        CHECKS.that(same_labels(label, np.asarray(tuple(theirs)[0])), f"{words}: labels of size {k}")


def check_sizes_and_weights(program, device, folder, points, samples, name):
    weights = made_weights()
    columns = points.shape[1]
    table = np.column_stack([points, weights])

    def run(options):
        return Ours(program, device, folder, points, 0, options)

    def run_weighted(options):
        return Ours(program, device, folder, table, 0, ["--weights", columns, *options])

    if fast_trees:
        check_weights(run_weighted, weights, name)
    if fast_plscan:
        check_sizes(run, None, samples, name)
        check_sizes(run_weighted, weights, samples, name)


def check_their_labels(program, device, folder, columns):
    """Of many points: of few, one that a tie puts elsewhere counts too much."""
    random = np.random.default_rng(11)
    field = LARGE // 20
    centers = random.random((40, columns))
    points = np.vstack([centers[random.integers(40, size=LARGE - field)]
                        + random.normal(size=(LARGE - field, columns)) * 0.01,
                        random.random((field, columns))])
    ours = Ours(program, device, folder, points, 0, ["--min-cluster-size", 50])

    def their_labels(rows):
        return hdbscan.HDBSCAN(min_cluster_size=50, min_samples=4, algorithm="prims_kdtree",
                               approx_min_span_tree=False).fit(rows).labels_

    theirs = their_labels(points)
    # What ties alone do: the same package, of the same points in other orders.
    least = 1
    for _ in range(12):
        order = random.permutation(LARGE)
        again = np.empty(LARGE, int)
        again[order] = their_labels(points[order])
        least = min(least, adjusted_rand_score(theirs, again))
    print(f"{columns}-D: hdbscan agrees with itself in other orders of rows to {least:.5f}")
    skl = SklearnHDBSCAN(min_cluster_size=50, min_samples=5, copy=True).fit(points).labels_
    if fast_plscan:
        # min_samples as hdbscan's.
        auto = Ours(program, device, folder, points, 0, ["--min-cluster-size", "auto"])
        labels = fast_plscan.PLSCAN(min_samples=4).fit(points).labels_
        index = adjusted_rand_score(auto.label, labels)
        print(f"{columns}-D, {LARGE} rows, auto: index {index:.5f} with fast_plscan")
        CHECKS.that(index >= LEAST_INDEX, f"{columns}-D: labels of fast_plscan")
    for name, labels in (("hdbscan", theirs), ("scikit-learn", skl)):
        index = adjusted_rand_score(ours.label, labels)
        clusters = len(set(ours.label.tolist()) - {-1})
        print(f"{columns}-D, {LARGE} rows, {clusters} clusters: index {index:.5f} with {name}")
        CHECKS.that(clusters > 10 and index >= min(LEAST_INDEX, least),
                    f"{columns}-D: labels of {name}")


def main():
    program, device = sys.argv[1], (sys.argv[2:] + ["cpu"])[0]
    with tempfile.TemporaryDirectory() as scratch:
        for columns in (2, 3, 6):
            for name, points, box in sets(columns):
                for samples in (1, 5, 12):
                    words = f"{columns}-D {name}, {samples} samples"

                    def run(options):
                        return Ours(program, device, Path(scratch), points, box, options)

                    kind = (["--linkage", "single"] if samples == 1
                            else ["--min-samples", samples])
                    matrix = distances(points, box, samples)
                    theirs = linkage(squareform(matrix, checks=False), "single")
                    at = check_tree(run(kind), theirs, columns, words)
                    check_cuts(lambda more: run(kind + more), theirs, matrix, at, words)
                    for selection in SELECTIONS:
                        size, method, single, most, epsilon = selection
                        options = ["--min-samples", samples, "--min-cluster-size", size,
                                   "--select", method, "--max-cluster-size", most]
                        options += ["--allow-single-cluster"] if single else []
                        options += ["--cluster-epsilon", epsilon] if epsilon else []
                        ours = run(options)
                        check_selection(ours, selection, words)
                    check_plots(ours, words)
                    if samples > 1 and not box:
                        check_their_tree(run(kind), points, samples, words)
                        check_sizes_and_weights(program, device, Path(scratch), points, samples,
                                                words)
                if not box:
                    check_cuslink(program, device, Path(scratch), points, f"{columns}-D {name}")
                print(f"{columns}-D {name}: {CHECKS.done} checks so far, {CHECKS.wrong} wrong",
                      flush=True)
            check_their_labels(program, device, Path(scratch), columns)
        for name, points, box in sets(40):
            check_cuslink(program, device, Path(scratch), points, f"40-D {name}")
    sys.exit(1 if CHECKS.wrong else 0)


if __name__ == "__main__":
    main()
