#!/usr/bin/env python3
"""Checks who includes whom, and names file and line of each offence.

    core <- io, compute <- analysis <- render/scene <- render/film <- app/session <- app/viewer
    <- app/cli; io and compute don't know each other; the rest of render knows core and compute.
    Plots (render/plots) stand on analysis alone, and all of app may draw them.
    Within compute: distributed stands on all others; exec <- brute_force, spatial, hierarchy <- clusters <- halos; gravity and
    splotch stand on exec and spatial, grids on these and splotch's kernels, topology on exec and
    hierarchy.
    ImGui only in app/viewer; CLI11 only in app/cli; GLFW only in app/viewer and where render opens
    a context (render/*context*); OpenGL's loader only in render/gl/*; EGL only in render/*context*;
    HDF5 only in io; CUDA, Thrust and CUB only in compute, .cu, .cuh and render/*interop*.
    Includes are written from the root, never with ../.

Usage: check_layers.py [ROOT]      exit status 1 and one line per offence, or 0
       check_layers.py --self-test feeds it a bad tree and checks that each offence is found
Known weakness: includes made by macros, and CMake's own link lines, are not seen.
"""
import fnmatch
import re
import sys
import tempfile
from pathlib import Path

# A file belongs to the longest of these that its name begins with.
COMPUTE = {"core", "compute/exec"}
SPLOTCH = {"compute/spatial", "compute/splotch"}
MEASURES = {"compute/brute_force", "compute/spatial", "compute/clusters", "compute/gravity",
            "compute/halos", "compute/hierarchy"}
GRIDS = {*SPLOTCH, "compute/grids"}
BELOW_RENDER = {"core", "compute", *COMPUTE, *GRIDS, *MEASURES, "compute/topology",
                "compute/distributed"}
BELOW_SCENE = {*BELOW_RENDER, "io", "analysis", "render", "render/scene"}
BELOW_SESSION = {*BELOW_SCENE, "render/plots", "render/film", "app/session"}
MAY_INCLUDE = {
    "core": {"core"},
    "io": {"core", "io"},
    "compute": {"core", "compute"},
    "compute/exec": COMPUTE,
    "compute/brute_force": {*COMPUTE, "compute/brute_force"},
    "compute/spatial": {*COMPUTE, "compute/spatial"},
    "compute/splotch": {*COMPUTE, *SPLOTCH},
    "compute/clusters": {*COMPUTE, "compute/brute_force", "compute/spatial", "compute/hierarchy",
                         "compute/clusters"},
    "compute/hierarchy": {*COMPUTE, "compute/hierarchy"},
    "compute/grids": {*COMPUTE, *GRIDS},
    "compute/gravity": {*COMPUTE, "compute/spatial", "compute/gravity"},
    "compute/halos": {*COMPUTE, *MEASURES},
    "compute/topology": {*COMPUTE, "compute/hierarchy", "compute/topology"},
    "compute/distributed": {*COMPUTE, *MEASURES, *GRIDS, "compute/topology", "compute/distributed"},
    "analysis": {*BELOW_RENDER, "io", "analysis"},
    "render": {*BELOW_RENDER, "render"},
    "render/plots": {"core", "analysis", "render/plots"},
    "render/scene": BELOW_SCENE,
    "render/film": {*BELOW_SCENE, "render/film"},
    "app": set(),
    "app/session": BELOW_SESSION,
    "app/viewer": {*BELOW_SESSION, "app/viewer"},
    "app/cli": {*BELOW_SESSION, "app/viewer", "app/cli"},
}
# Tests, benchmarks and fuzz targets see every room, and write their own HDF5 files.
WATCHERS = ("tests", "benchmarks", "fuzz")
ROOMS = {room.split("/")[0] for room in MAY_INCLUDE}
EVERYTHING = ROOMS | set(WATCHERS)
SOURCES = {".h", ".hpp", ".cpp", ".inl", ".cu", ".cuh"}

# What may be included (a pattern of the header's name), by which files, and how to say so.
GUARDED = [
    (r"(imgui|implot|ImGui).*", ["app/viewer/*"], "ImGui belongs to app/viewer"),
    (r"CLI/.*", ["app/cli/*"], "CLI11 belongs to app/cli"),
    (
        r"GLFW/.*",
        ["app/viewer/*", "render/*context*"],
        "GLFW belongs to app/viewer and render/*context*",
    ),
    (r"(glad|GL|GLES\d?)/.*", ["render/gl/*"], "OpenGL belongs to render/gl/*"),
    (r"EGL/.*", ["render/*context*"], "EGL belongs to render/*context*"),
    (r"(hdf5|hdf5_hl|H5\w*)(\.h|/.*)", ["io/*"], "HDF5 belongs to io"),
    (
        r"(cuda[\w]*\.h|cuda[\w]*\.hpp|cuda/.*|thrust/.*|cub/.*|nvtx3/.*|cooperative_groups.*)",
        ["compute/*", "*.cu", "*.cuh", "render/*interop*"],
        "CUDA and Thrust belong to compute, .cu files and render/*interop*",
    ),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def blank_comment(match):
    """A block comment's line ends, so that line numbers stay right."""
    return "\n" * match.group().count("\n")


def includes(path):
    """Line number, quote and header of every include of a file."""
    text = COMMENT.sub(blank_comment, path.read_text(encoding="utf-8", errors="replace"))
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def room_of(name):
    """The room of a file or header by its name from the root; "" where it is in none."""
    fitting = [room for room in MAY_INCLUDE if name.startswith(room + "/")]
    return max(fitting, key=len, default=name.split("/")[0])


def offence(name, quote, header):
    """What is wrong with one include of the file `name` (relative to the root), or None."""
    room = room_of(name)
    if ".." in header.split("/"):
        return f'"{header}": write includes from the root'
    target = room_of(header) if "/" in header else ""
    if quote == '"' and header.split("/")[0] in EVERYTHING:
        if room in MAY_INCLUDE and target not in MAY_INCLUDE[room]:
            return f'"{header}": {room} must not know {target}'
        return None
    for pattern, homes, sentence in GUARDED:
        if re.fullmatch(pattern, header):
            if room in WATCHERS or any(fnmatch.fnmatch(name, home) for home in homes):
                return None
            return f"{header}: {sentence}"
    if quote == '"':
        return f'"{header}": write includes of ours from the root, others in angle brackets'
    return None


def offences(root):
    """Every offence below `root` as FILE:LINE: SENTENCE, and how many files were looked at."""
    found, count = [], 0
    for room in (*sorted(ROOMS), *WATCHERS):
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in SOURCES or not path.is_file():
                continue
            count += 1
            name = path.relative_to(root).as_posix()
            for number, quote, header in includes(path):
                sentence = offence(name, quote, header)
                if sentence:
                    found.append(f"{name}:{number}: {sentence}")
    return found, count


# One bad include each: file, line, text. Line 1 is a comment, so that wrong line numbers show.
BAD = [
    ("core/types.cpp", '#include "io/reader.h"'),
    ("analysis/a.cpp", '#include "render/camera.h"'),
    ("analysis/b.cpp", "#include <imgui.h>"),
    ("render/c.cpp", '#include "analysis/finding.h"'),
    ("render/scene/d.cpp", '#include "render/film/film.h"'),
    ("render/plots/d.cpp", '#include "render/scene/snapshot_scene.h"'),
    ("app/session/e.cpp", '#include "app/viewer/viewer.h"'),
    ("app/viewer/f.cpp", '#include "app/cli/render.h"'),
    ("app/viewer/g.cpp", "#include <CLI/CLI.hpp>"),
    ("app/loose.cpp", '#include "core/error.h"'),
    ("compute/topology/h.cpp", '#include "compute/spatial/points.h"'),
    ("compute/clusters/h.cpp", '#include "compute/halos/members.h"'),
    ("core/more.cpp", '#include "app/viewer/window.h"'),
    ("io/reader.cpp", '#include "compute/exec/cpu.h"'),
    ("compute/clusters/fof.cpp", '#include "io/reader.h"'),
    ("compute/splotch/a.cu", '#include "render/palette.h"'),
    ("render/frame.cpp", '#include "io/reader.h"'),
    ("render/panel.cpp", '#include "app/viewer/panel.h"'),
    ("render/view.cpp", "#include <imgui.h>"),
    ("render/window.cpp", "#include <GLFW/glfw3.h>"),
    ("app/viewer/window.cpp", "#include <glad/gl.h>"),
    ("render/frame2.cpp", "#  include <GL/gl.h>"),
    ("app/viewer/egl.cpp", "#include <EGL/egl.h>"),
    ("compute/load.cpp", "#include <hdf5.h>"),
    ("render/map.cpp", "#include <H5Cpp.h>"),
    ("io/gpu.cpp", "#include <cuda_runtime.h>"),
    ("render/sort.cpp", "#include <thrust/sort.h>"),
    ("app/cli/reduce.cpp", "#include <cub/cub.cuh>"),
    ("io/beside.cpp", '#include "reader.h"'),
    ("io/up.cpp", '#include "../core/error.h"'),
    ("tests/up_test.cpp", '#include "../core/error.h"'),
]
GOOD = [
    ("io/reader.cpp", '#include "core/error.h"'),
    ("io/reader2.cpp", "#include <hdf5.h>"),
    ("compute/exec/cpu.h", "#include <thrust/system/tbb/execution_policy.h>"),
    ("compute/clusters/fof.cu", "#include <cub/cub.cuh>"),
    ("render/palette.cpp", '#include "compute/exec/cpu.h"'),
    ("render/gl/texture.cpp", "#include <glad/gl.h>"),
    ("render/gl/egl_context.cpp", "#include <EGL/egl.h>"),
    ("render/glfw_context.cpp", "#include <GLFW/glfw3.h>"),
    ("render/cuda_interop.cpp", "#include <cuda_gl_interop.h>"),
    ("app/viewer/window.cpp", "#include <imgui.h>"),
    ("app/cli/main.cpp", '#include "io/reader.h"'),
    ("app/cli/view.cpp", '#include "app/viewer/viewer.h"'),
    ("render/scene/scene.cpp", '#include "analysis/finding.h"'),
    ("analysis/halos/search.cpp", '#include "compute/halos/finder.h"'),
    ("compute/halos/inside.cpp", '#include "compute/clusters/fof.h"'),
    ("tests/reader_test.cpp", "#include <hdf5.h>"),
    ("core/comment.cpp", '// #include "app/window.h"'),
    ("core/block.cpp", '/*\n#include "app/window.h"\n*/'),
]


def write_tree(root, files):
    for name, text in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("// one\n/* two\n three */\n" + text + "\n")


def self_test():
    """Both trees must give what they were made for."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        bad, good = Path(folder) / "bad", Path(folder) / "good"
        write_tree(bad, BAD)
        write_tree(good, GOOD)
        found, _ = offences(bad)
        for name, text in BAD:
            if sum(line.startswith(f"{name}:4: ") for line in found) != 1:
                failures.append(f"not found once: {name}: {text}")
        if len(found) != len(BAD):
            failures.append(f"{len(found)} offences instead of {len(BAD)}")
        failures += [f"wrongly reported: {line}" for line in offences(good)[0]]
        if offences(good)[1] != len(GOOD):
            failures.append("not every file of the good tree was looked at")
    for failure in failures:
        print(failure)
    print(f"check_layers self-test: {len(BAD)} bad and {len(GOOD)} good includes, "
          f"{len(failures)} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments[:1] == ["--self-test"]:
        return self_test()
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    found, count = offences(root)
    for line in found:
        print(line)
    if count == 0:
        print(f"check_layers: no source files below {root}")
        return 1
    print(f"check_layers: {count} files, {len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
