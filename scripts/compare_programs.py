#!/usr/bin/env python3
"""Compares what two builds of haloscope make of the same files, and names each difference.

Usage: compare_programs.py OLD NEW [--data FOLDER] [--only WORD] [--expect FILE]
OLD and NEW are programs (build/PRESET/app/haloscope). FOLDER holds snapshots, catalogs and Splotch
parameter files in any folders (default: ../shared/data); the sample is always among them. FILE lists
differences that are meant, one per line: the beginning of the line that is printed without them, and
behind a "#" the reason. Exit status 1 where there are others.

Compared: pictures (bytes of .ppm), linear light and maps (.hdf5, every dataset and attribute), halo
catalogs (the same, but for date, command and version), converted snapshots, `info --json`, `catalog
--json`, keys of --stats, Splotch's pictures, what a session without display writes, and whether NEW
plays a recording of OLD's and opens its state to the same pixels. All on the CPU executor.
Needs h5py and numpy.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ["--size", "320x240", "--device", "cpu", "--no-cache", "--deterministic", "--quiet"]
PICTURES = {
    "default": [],
    "classic": ["--mode", "classic"],
    "paper": ["--strategy", "paper"],
}
CHANGES_EACH_RUN = {"Date", "Command", "Version", "Program", "Revision", "command", "version", "date"}
SESSION = """wait
orbit 30 20
screenshot orbit.png bare
color_map all viridis
exposure 0.5
screenshot looks.png
find_halos
wait
select_halo 0
fly_to_halo 0
wait
screenshot halo.png overlays
export_halos halos.hdf5
add_key 0
orbit 20 0
add_key 1
save_path path.toml
save_state state.toml
"""


class Comparison:
    def __init__(self, old, new, only):
        self.programs, self.only = {"old": old, "new": new}, only
        self.differences, self.count = [], 0

    def run(self, who, folder, words):
        environment = dict(os.environ, HALOSCOPE_NO_CACHE="1")
        done = subprocess.run([self.programs[who], *map(str, words)], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=1200)
        return done.returncode, done.stdout, done.stderr

    def tell(self, name, what):
        self.differences.append(f"{name}: {what}")

    def both(self, name, words, look):
        """Runs both programs in folders of their own and compares what `look` sees there."""
        if self.only and self.only not in name:
            return
        self.count += 1
        seen = {}
        for who in self.programs:
            with tempfile.TemporaryDirectory() as folder:
                code, out, err = self.run(who, folder, words)
                seen[who] = (code, look(folder, out) if code == 0 else {"error": err.strip()})
        if seen["old"][0] != seen["new"][0]:
            codes = f"exit code {seen['old'][0]} became {seen['new'][0]}"
            self.tell(name, f"{codes}: {seen['new'][1].get('error', '')[:200]}")
            return
        self.compare(name, seen["old"][1], seen["new"][1])

    def compare(self, name, old, new):
        for key in sorted(set(old) | set(new)):
            if key not in old or key not in new:
                self.tell(name, f"{key} is {'new' if key in new else 'gone'}")
            elif not same(old[key], new[key]):
                self.tell(name, f"{key} differs {how(old[key], new[key])}")


def same(a, b):
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and a == b


def how(a, b):
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.shape != b.shape:
            return f"(shape {a.shape} became {b.shape})"
        if a.dtype.kind in "fiu" and a.size:
            gap = np.abs(a.astype("f8") - b.astype("f8"))
            top = np.nanmax(np.abs(a.astype("f8"))) or 1
            return f"(in {np.count_nonzero(gap > 0)} of {a.size} values, by {np.nanmax(gap) / top:.2g} of the largest)"
    if isinstance(a, bytes) or len(str(a)) > 80:
        return ""
    return f"({a!r} became {b!r})"


def picture(folder, _):
    return {path.name: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def hdf5(folder, _):
    found = {}
    for path in sorted(Path(folder).glob("*.hdf5")):
        with h5py.File(path, "r") as file:

            def visit(name, item):
                for key, value in item.attrs.items():
                    if key not in CHANGES_EACH_RUN:
                        found[f"{name}@{key}"] = np.asarray(value) if not isinstance(value, str) else value
                if isinstance(item, h5py.Dataset):
                    found[name] = item[()]

            visit("", file)
            file.visititems(visit)
    return found


def flat(value, name=""):
    if isinstance(value, dict):
        return {k: v for key in value for k, v in flat(value[key], f"{name}/{key}").items()}
    return {name: json.dumps(value)}


def json_text(_, out):
    return flat(json.loads(out))


def json_keys(folder, _):
    report = json.loads((Path(folder) / "s.json").read_text())
    return dict.fromkeys(flat(report), "a value")


def png_parts(data):
    """A PNG's pixels, decompressed, and its text: a picture may be the same and tell another state."""
    at, pixels, text = 8, b"", b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        pixels += body if kind in (b"IHDR", b"IDAT") else b""
        text += body if kind in (b"tEXt", b"iTXt") else b""
        at += 12 + length
    return pixels[:13] + zlib.decompress(pixels[13:]), text


def session(folder, _):
    found = hdf5(folder, "")
    for name, data in picture(folder, "").items():
        if name.endswith(".toml"):
            found[name] = data
        elif name.endswith(".png"):
            found[f"{name} pixels"], found[f"{name} text"] = png_parts(data)
    return found


def compare_snapshot(c, label, path):
    c.both(f"info {label}", ["info", path, "--json"], json_text)
    for look, options in PICTURES.items():
        c.both(f"render {look} {label}", ["render", path, "-o", "p.ppm", *PICTURE, *options], picture)
    c.both(f"stats {label}", ["render", path, "-o", "p.ppm", *PICTURE, "--stats", "s.json"], json_keys)
    c.both(f"map {label}", ["render", path, "-o", "m.hdf5", "--map", "surface-density", "--size",
                            "128x128", "--device", "cpu", "--no-cache", "--quiet"], hdf5)
    c.both(f"halos {label}", ["halos", path, "-o", "h.hdf5", "--device", "cpu", "--quiet"], hdf5)
    c.both(f"convert {label}", ["convert", path, "c.hdf5", "--every", "7", "--quiet"], hdf5)


def compare_sessions(c, sample):
    name = "session"
    if c.only and c.only not in name:
        return
    base = ["view", sample, "--headless", "--device", "cpu"]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "commands.txt").write_text(SESSION)
        old_state = Path(folder) / "old"
        old_state.mkdir()
        commands = ["--run", Path(folder) / "commands.txt"]
        c.both(name, [*base, *commands], session)
        code, _, err = c.run("old", old_state, [*base, *commands, "--record", "recording.txt"])
        if code:
            c.tell(name, f"OLD does not play it: {err.strip()}")
            return
        c.both("recording of OLD played", [*base, "--replay", old_state / "recording.txt"], session)
        c.both("state of OLD rendered", ["render", sample, "--state", old_state / "state.toml", "-o",
                                         "p.ppm", "--device", "cpu", "--quiet"], picture)


def read_expected(name):
    lines = Path(name).read_text().splitlines() if name else []
    return [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--data", default=ROOT.parent / "shared" / "data")
    parser.add_argument("--only", help="a word of the names of the comparisons to make")
    parser.add_argument("--expect", help="a file of differences that are meant")
    words = parser.parse_args()
    c = Comparison(str(Path(words.old).resolve()), str(Path(words.new).resolve()), words.only)
    data = Path(words.data).resolve()
    if not data.is_dir():
        print(f"compare_programs: there is no {data}: the sample alone is compared")
    sample = ROOT / "assets" / "sample.hdf5"
    for path in [sample, *sorted(data.rglob("snap*")), *sorted(data.rglob("tiny.000???"))]:
        if path.is_dir() and any(path.rglob("snap*")):
            continue
        compare_snapshot(c, path.relative_to(data) if path != sample else "sample", path)
    for path in sorted([*data.rglob("fof_subhalo_tab*"), *data.rglob("*.AHF_halos")]):
        c.both(f"catalog {path.relative_to(data)}", ["catalog", path, "--json"], json_text)
    for path in sorted(data.rglob("*.par")):
        c.both(f"splotch {path.relative_to(data)}",
               ["splotch", path, "--output-folder", ".", "--device", "cpu", "--quiet"], picture)
    compare_sessions(c, sample)
    expected = read_expected(words.expect)
    others = [line for line in c.differences if not any(line.startswith(e) for e in expected)]
    for line in c.differences:
        print(("" if line in others else "meant: ") + line)
    print(f"compare_programs: {c.count} comparisons, {len(c.differences)} differences, "
          f"{len(others)} of them not meant")
    return 1 if others or not c.count else 0


if __name__ == "__main__":
    sys.exit(main())
