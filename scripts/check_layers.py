#!/usr/bin/env python3
"""Checks who includes whom, and names file and line of each offence.

    core <- io, compute <- render <- app; io and compute don't know each other.
    ImGui only in app; GLFW only in app and where render opens a context (render/*context*);
    OpenGL's loader only in render/gl/*; EGL only in render/*context*;
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

MAY_INCLUDE = {
    "core": {"core"},
    "io": {"core", "io"},
    "compute": {"core", "compute"},
    "render": {"core", "compute", "render"},
    "app": {"core", "io", "compute", "render", "app"},
}
# Tests, benchmarks and fuzz targets see every room, and write their own HDF5 files.
WATCHERS = ("tests", "benchmarks", "fuzz")
EVERYTHING = set(MAY_INCLUDE) | set(WATCHERS)
SOURCES = {".h", ".hpp", ".cpp", ".inl", ".cu", ".cuh"}

# What may be included (a pattern of the header's name), by which files, and how to say so.
GUARDED = [
    (r"(imgui|implot|ImGui).*", ["app/*"], "ImGui belongs to app"),
    (r"GLFW/.*", ["app/*", "render/*context*"], "GLFW belongs to app and render/*context*"),
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


def offence(name, quote, header):
    """What is wrong with one include of the file `name` (relative to the root), or None."""
    room = name.split("/")[0]
    if ".." in header.split("/"):
        return f'"{header}": write includes from the root'
    target = header.split("/")[0] if "/" in header else ""
    if quote == '"' and target in EVERYTHING:
        allowed = MAY_INCLUDE.get(room, EVERYTHING)
        if target not in allowed:
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
    for room in (*MAY_INCLUDE, *WATCHERS):
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
    ("core/more.cpp", '#include "app/window.h"'),
    ("io/reader.cpp", '#include "compute/exec/cpu.h"'),
    ("compute/fof.cpp", '#include "io/reader.h"'),
    ("compute/splotch/a.cu", '#include "render/palette.h"'),
    ("render/frame.cpp", '#include "io/reader.h"'),
    ("render/panel.cpp", '#include "app/panel.h"'),
    ("render/view.cpp", "#include <imgui.h>"),
    ("render/window.cpp", "#include <GLFW/glfw3.h>"),
    ("app/window.cpp", "#include <glad/gl.h>"),
    ("render/frame2.cpp", "#  include <GL/gl.h>"),
    ("app/egl.cpp", "#include <EGL/egl.h>"),
    ("compute/load.cpp", "#include <hdf5.h>"),
    ("render/map.cpp", "#include <H5Cpp.h>"),
    ("io/gpu.cpp", "#include <cuda_runtime.h>"),
    ("render/sort.cpp", "#include <thrust/sort.h>"),
    ("app/reduce.cpp", "#include <cub/cub.cuh>"),
    ("io/beside.cpp", '#include "reader.h"'),
    ("io/up.cpp", '#include "../core/error.h"'),
    ("tests/up_test.cpp", '#include "../core/error.h"'),
]
GOOD = [
    ("io/reader.cpp", '#include "core/error.h"'),
    ("io/reader2.cpp", "#include <hdf5.h>"),
    ("compute/exec/cpu.h", "#include <thrust/system/tbb/execution_policy.h>"),
    ("compute/fof.cu", "#include <cub/cub.cuh>"),
    ("render/palette.cpp", '#include "compute/exec/cpu.h"'),
    ("render/gl/texture.cpp", "#include <glad/gl.h>"),
    ("render/gl/egl_context.cpp", "#include <EGL/egl.h>"),
    ("render/glfw_context.cpp", "#include <GLFW/glfw3.h>"),
    ("render/cuda_interop.cpp", "#include <cuda_gl_interop.h>"),
    ("app/window.cpp", "#include <imgui.h>"),
    ("app/main.cpp", '#include "io/reader.h"'),
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
