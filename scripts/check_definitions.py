#!/usr/bin/env python3
"""Checks that no two files define a type of the same name in the same namespace.

Each file compiles alone and the linker says nothing, but it keeps one of each pair of functions made
for the two (a std::vector's, say), which is then wrong for the other.

Usage: check_definitions.py [ROOT]      exit status 1 and one line per offence, or 0
       check_definitions.py --self-test feeds it files with and without such pairs
Known weakness: types inside functions and other types, types with attributes or in macros, and
inline functions of the same name are not compared; types in namespaces without a name are each
file's own.
"""
import re
import sys
import tempfile
from pathlib import Path

ROOMS = ("core", "io", "compute", "render", "app", "tests", "benchmarks", "fuzz")
SOURCES = {".h", ".hpp", ".cpp", ".inl", ".cu", ".cuh"}

# Comments and literals, which may hold braces.
SKIPPED = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
TOKEN = re.compile(
    r"\bnamespace\b\s*(?P<namespace>[\w:]*)\s*\{"
    r"|\b(?:struct|class|union|enum(?:\s+class|\s+struct)?)\b\s+(?:alignas\([^)]*\)\s*)?"
    r"(?P<type>\w+)(?:\s+final)?\s*(?::(?!:)[^;{}()]*)?\{"
    r"|[{}]")


def definitions(text):
    """Line and full name of every type that is defined at the level of a named namespace."""
    text = SKIPPED.sub(lambda m: "\n" * m.group().count("\n"), text)
    open_braces = []  # a namespace's name, "" where it has none, None for any other brace
    for token in TOKEN.finditer(text):
        if token.group() == "}":
            if not open_braces:
                raise ValueError("a brace is closed that was not opened")
            open_braces.pop()
            continue
        if token.group("type") and all(open_braces):
            name = "::".join([*open_braces, token.group("type")])
            yield text.count("\n", 0, token.start()) + 1, name
        open_braces.append(token.group("namespace"))
    if open_braces:
        raise ValueError("a brace is not closed")


def offences(root):
    """Every type of two files as FILE:LINE: SENTENCE, and how many files were looked at."""
    first, found, count = {}, [], 0
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in SOURCES or not path.is_file():
                continue
            count += 1
            name = path.relative_to(root).as_posix()
            try:
                for line, defined in definitions(path.read_text(encoding="utf-8", errors="replace")):
                    other = first.setdefault(defined, (name, line))
                    if other[0] != name:
                        found.append(f"{name}:{line}: {defined} is defined in {other[0]}:{other[1]} "
                                     "too; give one another name")
            except ValueError as fault:  # what lies behind it would not be compared
                found.append(f"{name}: {fault}, as this script reads it: write it so that it can")
    return found, count


# Pairs of files and whether they define one type twice.
PAIRS = [
    ("namespace a {\nstruct Bin { int x; };\n}", "namespace a {\nstruct Bin { double y; };\n}", True),
    ("namespace a::b {\nclass Bin final : public X<1> {};\n}",
     "namespace a {\nnamespace b {\nenum class Bin : int { One };\n}\n}", True),
    ("struct Bin {};", "#include <x>\nunion Bin { int x; };", True),
    ("namespace a {\nvoid f() { if (x) {} }\nstruct Bin {};\n}", "namespace a {\nstruct Bin {};\n}", True),
    ('namespace a {\nconst char* s = "{";\nstruct Bin {};\n}', "namespace a {\nstruct Bin {};\n}", True),
    ("namespace a {\nstruct Bin {};\n}", "#if X\nvoid f() {\n#else\nvoid g() {\n#endif\n}", True),
    ("namespace a {\nstruct Bin {};\n}", "}", True),
    ("namespace a {\nstruct Bin {};\n}", "namespace b {\nstruct Bin {};\n}", False),
    ("namespace a {\nstruct Bin {};\n}", "namespace a {\nstruct Bin;\n}", False),
    ("namespace a {\nstruct Bin {};\n}", "namespace a {\nnamespace {\nstruct Bin {};\n}\n}", False),
    ("namespace a {\nstruct Bin {};\n}", "namespace a {\nstruct Other { struct Bin {}; };\n}", False),
    ("namespace a {\nstruct Bin {};\n}", "namespace a {\nvoid f() { struct Bin {}; }\n}", False),
    ("namespace a {\nstruct Bin {};\n}", "namespace a {\n// struct Bin {\n}", False),
    ("namespace a {\nstruct Bin {};\n}", "namespace a {\nint x = 1'000 + 1'0;\nnamespace {\nstruct Bin {};\n}\n}",
     False),
    ("namespace a {\nstruct Bin {};\n}", "namespace a {\nstruct Bin bin(int x) { return {}; }\n}", False),
]


def self_test():
    """Each pair must be found, or not."""
    failures = 0
    for first, second, twice in PAIRS:
        with tempfile.TemporaryDirectory() as folder:
            core = Path(folder) / "core"
            core.mkdir()
            (core / "a.h").write_text(first)
            (core / "b.h").write_text(second)
            found, count = offences(Path(folder))
            if count != 2 or len(found) != (1 if twice else 0):
                failures += 1
                print(f"{'not found' if twice else 'wrongly reported'}: {first!r} and {second!r}")
    print(f"check_definitions self-test: {len(PAIRS)} pairs, {failures} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments[:1] == ["--self-test"]:
        return self_test()
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    found, count = offences(root)
    for line in found:
        print(line)
    if count == 0:
        print(f"check_definitions: no source files below {root}")
        return 1
    print(f"check_definitions: {count} files, {len(found)} types of two files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
