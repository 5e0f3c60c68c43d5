#!/usr/bin/env python3
"""Runs every command line of README.md and docs/user, and follows every link of the documentation.

Usage: check_docs.py path/to/haloscope [PAGE...]    PAGE: only these, as docs/user/films.md
A command line is a line of a code block whose first word is haloscope or ends in /haloscope, or is
mkdir. Each runs in a scratch folder of its page, one after another, so that a line may read what
one above it has written; an exit code other than 0 is a fault. The files that the pages speak of
are made first (see FILES), and so is every block that is fenced with a name, as in
```toml orbit.toml. Pictures are drawn small, and a line that would open a window gets --headless.
A session that another program would drive (--listen) reads an empty input.
Options named in the text must exist, and every relative link must lead somewhere. Readers work in
one folder: a name that is written by lines of two commands, or an array that is written twice, is a
fault, as its second writer replaces what the first one wrote, or is refused.
Ends with 77 (skipped, for ctest) where h5py is missing, or with 1 if HALOSCOPE_REQUIRE names
"system".
Known weakness: nobody looks at what the commands write.
"""
import glob
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "assets" / "sample.hdf5"
REQUIRED = os.environ.get("HALOSCOPE_REQUIRE", "").split(",")
SECONDS = 300  # for one line, also under a sanitizer
SMALL = {"render": "160x120", "movie": "64x48"}
WAIT = "until_complete.txt"  # what a session does that a line has begun without saying more
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
# Options in the text that belong to other programs.
OF_OTHERS = {"--cpus-per-task", "--gpus-per-node", "--install", "--map-by", "--mpi", "--nodes",
             "--ntasks-per-node", "--oversubscribe", "--bind-to", "--prefix", "--preset", "--target", "--time"}


def copy_of_sample(program, path):
    """One particle of eight: the same halos, in an eighth of the time."""
    run_or_fail(program, path.parent, ["convert", SAMPLE, path, "--every", "8", "--quiet"])


def earlier_snapshot(program, path):
    import h5py

    copy_of_sample(program, path)
    with h5py.File(path, "r+") as file:
        file["Header"].attrs["Redshift"], file["Header"].attrs["Time"] = 0.25, 0.8


def folder_with_snapshot(program, path):
    path.mkdir()
    copy_of_sample(program, path / "snap_099.hdf5")


def catalog(program, path):
    words = ["halos", SAMPLE, "-o", path, "--attach", "gas,stars", "--quiet"]
    run_or_fail(program, path.parent, words)


def rockstar_list(_, path):
    shutil.copy(ROOT / "fuzz" / "corpus" / "catalogs_text" / "rockstar", path)


def places(count):
    """Points that fill a box of 100, the same in each run."""
    return [[(k * step) % 100 for step in (7.3, 31.7, 57.1)] for k in range(1, count + 1)]


def text_table(_, path):
    rows = "".join(f"{x:g}, {y:g}, {z:g}, 1\n" for x, y, z in places(200))
    path.write_text("x [kpc], y [kpc], z [kpc], mass [1e10 Msun]\n" + rows)


def write_array(path, rows):
    shape = f"({len(rows)}, {len(rows[0])})"
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    numbers = [x for row in rows for x in row]
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode()
                     + struct.pack(f"<{len(numbers)}d", *numbers))


def array_of_points(_, path):
    """An array of NumPy: 200 rows of three numbers."""
    write_array(path, [list(place) for place in places(200)])


def array_of_vectors(_, path):
    """The same of twelve numbers."""
    write_array(path, [[*place, *(x * x for x in place)] * 2 for place in places(200)])


def grid_values():
    """A grid of 16 cells along each axis, with some peaks."""
    return [float((x * 7 + y * 5 + z * 3) % 31) for x in range(16) for y in range(16)
            for z in range(16)]


def grid_array(_, path):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 16, 16), }".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode())
    with open(path, "ab") as file:
        file.write(struct.pack("<4096f", *grid_values()))


def raw_grid(_, path):
    path.write_bytes(struct.pack("<4096f", *grid_values()))


def mesh_snapshot(program, path):
    """The sample as AREPO would write it: its gas is a mesh of cells."""
    import h5py

    copy_of_sample(program, path)
    with h5py.File(path, "r+") as file:
        file["Config"].attrs["VORONOI"] = ""


def text_of_points(_, path):
    path.write_text("ra,dec\n" + "".join(f"{x:g},{y:g}\n" for x, y, _ in places(200)))


def text_of_weighted_points(_, path):
    path.write_text("ra,dec,flux\n" + "".join(
        f"{x:g},{y:g},{1 + k % 3}\n" for k, (x, y, _) in enumerate(places(200))))


def raw_table(_, path):
    """128 bytes of a header, a block of triples, a block of masses."""
    rows = [x for place in places(200) for x in place] + [1.0] * 200
    path.write_bytes(bytes(128) + struct.pack(f"<{len(rows)}f", *rows))


def raw_columns(_, path):
    columns = [*zip(*places(200)), [1.0] * 200]
    path.write_bytes(b"".join(struct.pack("<200f", *column) for column in columns))


def splotch_table(_, path):
    path.write_bytes(b"".join(struct.pack("<5f", *p, 5, p[0]) for p in places(200)))


def splotch_palette(_, path):
    path.write_text("two\n0100\n2\n255 0 0\n255 255 0\n")


# What stands for the names that the pages use.
FILES = {
    "assets/sample.hdf5": copy_of_sample,
    "snapshot_002.hdf5": earlier_snapshot,
    "snapshot_003.hdf5": copy_of_sample,
    "snapdir_099": folder_with_snapshot,
    "snap_099.hdf5": mesh_snapshot,
    "fof_subhalo_tab_003.hdf5": catalog,
    "out_12.list": rockstar_list,
    "points.csv": text_table,
    "points.npy": array_of_points,
    "vectors.npy": array_of_vectors,
    "grid.npy": grid_array,
    "grid.bin": raw_grid,
    "sky.csv": text_of_points,
    "fluxes.csv": text_of_weighted_points,
    "points.dat": raw_table,
    "columns.dat": raw_columns,
    "points.bin": splotch_table,
    "two.pal": splotch_palette,
}


def cannot_run(words):
    """Why a line is left out here; None: it runs."""
    if shutil.which("ffmpeg") is None and any(w.endswith((".mp4", ".mkv", ".mov")) for w in words):
        return "there is no ffmpeg"
    if "--gpus" in words and not glob.glob("/dev/nvidia[0-9]*"):
        return "there is no GPU"
    return None


def run(program, words, folder):
    homes = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), str(folder))
    return subprocess.run([program, *map(str, words)], cwd=folder, env={**os.environ, **homes},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=SECONDS)


def run_or_fail(program, folder, words):
    done = run(program, words, folder)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")


class Page:
    """Command lines, named files, links and options of one page."""

    def __init__(self, path):
        self.name = path.relative_to(ROOT).as_posix()
        self.commands, self.files, self.links, self.options = [], {}, [], []
        self.anchors = set()
        fence = None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("```"):
                words = line[3:].split()
                fence = None if fence is not None else words[1] if len(words) > 1 else ""
                if fence:
                    self.files[fence] = ""
            elif fence:
                self.files[fence] += line + "\n"
            elif fence is not None or line.startswith("    "):
                self.add_command(number, line)
            else:
                self.add_prose(number, line)

    def add_command(self, number, line):
        if not re.match(r"\s*(\S*/)?(haloscope|mkdir)\s", line):
            return
        self.commands.append((number, shlex.split(line, comments=True)))

    def add_prose(self, number, line):
        if line.startswith("#"):
            title = re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower())
            self.anchors.add(title.replace(" ", "-"))
        self.links += [(number, link) for link in re.findall(r"\]\(([^)]+)\)", line)]
        for code in re.findall(r"`([^`]+)`", line):
            self.options += [(number, option) for option in OPTION.findall(code)]


def faults_of_links(page, pages):
    """Relative links must lead to a file, and to a heading where they name one."""
    for number, link in page.links:
        target, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        path = (ROOT / page.name).parent / target if target else ROOT / page.name
        name = os.path.relpath(path, ROOT)
        if not path.exists():
            yield f"{page.name}:{number}: the link leads nowhere: {link}"
        elif anchor and name in pages and anchor not in pages[name].anchors:
            yield f"{page.name}:{number}: {name} has no heading #{anchor}"


def written_by(words):
    """The names that a line writes."""
    for option, value in zip(words, words[1:]):
        if option in ("-o", "--output", "--tree", "--pairs", "--plot", "--stats"):
            yield value.split("=", 1)[-1]


def faults_of_names(pages):
    """No line may be in the way of another one's output."""
    writers = {}
    for page in pages:
        for number, words in page.commands:
            for name in written_by(words):
                kind = (words[1], "--map" in words)
                writers.setdefault(name, []).append((kind, f"{page.name}:{number}"))
    for name, lines in writers.items():
        if len({kind for kind, _ in lines}) > 1:
            yield f"{name} is written by two commands: {', '.join(line for _, line in lines)}"
        elif name.endswith(".npy") and len(lines) > 1:
            yield f"{name} is written twice: {', '.join(line for _, line in lines)}"


def options_of_program(program):
    names = set(OF_OTHERS)
    commands = re.findall(r"^  (\w+)  ", run(program, ["--help"], ROOT).stdout, re.MULTILINE)
    for words in [["--help"], *([command, "--help"] for command in commands)]:
        names |= set(OPTION.findall(run(program, words, ROOT).stdout))
    return names


def made_small(words):
    """The program's words as they run here: small pictures, and no window."""
    words = list(words[1:])
    command = words[0]
    if "--help" in words:
        return words
    if command in SMALL:
        if "--size" in words:
            words[words.index("--size") + 1] = SMALL[command]
        elif "--state" not in words:  # which has a size of its own
            words += ["--size", SMALL[command]]
    opens_window = command == "view" or Path(command).suffix == ".hdf5"
    if "--listen" in words:  # nobody drives it here: at the end of an empty input it ends
        words[words.index("--listen") + 1] = "-"
    if opens_window and "--headless" not in words:
        words = [*(["view"] if command != "view" else []), *words, "--headless"]
        if "--replay" not in words:
            words += ["--run", WAIT]
    return words


def faults_of_commands(program, page, has_window):
    """Runs the lines of a page; a list of faults and one of the lines that were left out."""
    faults, left_out = [], []
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        lines = [" ".join(words) for _, words in page.commands]
        text = "\n".join([*lines, *page.files.values()])
        for file, make in FILES.items():
            if re.search(rf"(^|[\s=]){re.escape(file)}($|\s)", text):
                (scratch / file).parent.mkdir(exist_ok=True)
                make(program, scratch / file)
        for file, content in {**page.files, WAIT: "wait\n"}.items():
            (scratch / file).write_text(content)
        for number, words in page.commands:
            line = f"{page.name}:{number}: {' '.join(words)}"
            if words[0] == "mkdir":
                subprocess.run(words, cwd=scratch, check=True)
                continue
            small = made_small(words)
            why = cannot_run(words)
            if small[:1] == ["view"] and not has_window:
                why = "this program was built without the window"
            if why:
                left_out.append(f"{line}: left out: {why}")
                continue
            try:
                done = run(program, small, scratch)
            except subprocess.TimeoutExpired:
                faults.append(f"{line}: not done after {SECONDS} s")
                continue
            if done.returncode != 0:
                faults.append(f"{line}: exit code {done.returncode}: {done.stderr.strip()[-400:]}")
    return faults, left_out


def main(arguments):
    if not arguments:
        print(__doc__)
        return 2
    try:
        import h5py  # noqa: F401
    except ImportError:
        print("check_docs: h5py is missing, nothing was checked")
        return 1 if "system" in REQUIRED else 77
    program = str(Path(arguments[0]).resolve())
    pages = {page.name: page for page in map(Page, sorted(
        [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]))}
    for_users = [page for name, page in pages.items()
                 if (name == "README.md" or name.startswith("docs/user/"))
                 and (not arguments[1:] or name in arguments[1:])]
    faults = [fault for page in pages.values() for fault in faults_of_links(page, pages)]
    faults += faults_of_names(for_users)
    known = options_of_program(program)
    faults += [f"{page.name}:{number}: haloscope has no option {option}"
               for page in for_users for number, option in page.options if option not in known]
    has_window = "--headless" in known
    if not has_window and "window" in REQUIRED:
        faults.append("the window is required, but this program was built without it")
    left_out = []
    with ThreadPoolExecutor(2) as two:
        for found, not_run in two.map(lambda page: faults_of_commands(program, page, has_window),
                                      for_users):
            faults += found
            left_out += not_run
    for line in [*left_out, *faults]:
        print(line)
    count = sum(len(page.commands) for page in for_users)
    links = sum(len(page.links) for page in pages.values())
    print(f"check_docs: {count} command lines, {len(left_out)} of them left out, {links} links, "
          f"{len(faults)} faults")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
