#!/usr/bin/env python3
"""Orders headers into chains, each of which one compilation checks as if every header were alone.

Usage: header_chains.py ROOT < HEADERS     prints one chain a line, headers separated by spaces
       header_chains.py --self-test
A header may stand behind others where these can lend it nothing that it does not include itself:
1. What each of them includes, the header includes too, by itself or through others.
2. It names nothing that one of them declares, unless it includes that one.
So whatever a header lacks is missing in its chain as well; most of a compilation is the standard
library, which a chain reads once. Chains are right for the headers that they were made of: made anew
when the build is configured, they serve builds from nothing (.ci/run); other builds compile each
header by itself.
Known weakness: includes under conditions count as made; a name that a macro puts together is not seen.
"""
import re
import sys
import tempfile
from pathlib import Path

NAME = re.compile(r"[A-Za-z_]\w*")
# Words that say nothing of who declared them.
COMMON = set("""
    auto bool break case char class concept const constexpr continue default define defined delete do
    double elif else endif enum error explicit extern false float for friend if ifdef ifndef include
    inline int long mutable namespace new noexcept nullptr once operator override pragma private
    protected public requires return short signed sizeof static static_assert std struct switch
    template this true typedef typename undef unsigned using virtual void volatile while""".split())


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)


def included(text):
    return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', text, flags=re.M)


def named(text):
    text = re.sub(r"^\s*#\s*include.*$", "", text, flags=re.M)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return set(NAME.findall(text)) - COMMON


def declared(text):
    """Names outside of all braces but those of namespaces, and of macros: more than are declared."""
    text = re.sub(r"^\s*#\s*define\s+(\w+)", r" \1 ", text, flags=re.M)
    text = re.sub(r'^\s*#.*$|std::\w+|"(\\.|[^"\\\n])*"', "", text, flags=re.M)
    text = re.sub(r"\bnamespace\b[\w:\s]*\{", "\x01", text)
    names, braces, parentheses = set(), [], 0
    for word in re.findall(r"[A-Za-z_]\w*|[{}()\x01]", text):
        if word in "{\x01":
            braces.append(word)
        elif word == "}":
            braces and braces.pop()
        elif word in "()":
            parentheses += 1 if word == "(" else -1
        elif "{" not in braces and parentheses == 0:
            names.add(word)
    return names - COMMON


class Headers:
    def __init__(self, root, names):
        raw = {name: without_comments((root / name).read_text()) for name in names}
        self.includes = {name: included(text) for name, text in raw.items()}
        self.named = {name: named(text) for name, text in raw.items()}
        self.reached = {}
        for name in names:
            self.reach(name)
        self.lent = {name: declared(text) for name, text in raw.items()}

    def reach(self, name):
        if name not in self.reached:
            self.reached[name] = set()  # a circle of includes ends here
            for other in self.includes[name]:
                self.reached[name] |= {other}
                if other in self.includes:
                    self.reached[name] |= self.reach(other)
        return self.reached[name]

    def may_follow(self, chain, name):
        return all(self.reached[former] <= self.reached[name] and
                   (former in self.reached[name] or not self.lent[former] & self.named[name])
                   for former in chain)


def chains(root, names):
    headers = Headers(root, names)
    found = []
    for name in sorted(names, key=lambda name: (len(headers.reached[name]), name)):
        fitting = [chain for chain in found if headers.may_follow(chain, name)]
        if fitting:
            max(fitting, key=lambda chain: len(headers.reached[chain[-1]])).append(name)
        else:
            found.append([name])
    return found


def self_test():
    files = {
        "a.h": '#include <string>\nnamespace n { struct A { std::string word; }; int count(int of); }',
        "b.h": '#include <string>\n#include <vector>\nnamespace n { struct B { std::vector<int> of; }; }',
        "leans.h": '#include <string>\n#include <vector>\nnamespace n { struct L { A* a; }; }  // of a.h',
        "includes.h": '#include "a.h"\n#include <vector>\nnamespace n { struct I { A a; }; }',
        "less.h": '#include <vector>\nnamespace n { struct V { std::vector<int> v; }; }',
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        headers = Headers(Path(folder), list(files))
        for chain, name, fits in ((["a.h"], "b.h", True), (["a.h"], "leans.h", False),
                                  (["a.h"], "includes.h", True), (["a.h"], "less.h", False),
                                  (["b.h"], "a.h", False), (["less.h", "b.h"], "leans.h", True)):
            if headers.may_follow(chain, name) != fits:
                sys.exit(f"{name} behind {chain}: {not fits}")
        together = [name for chain in chains(Path(folder), list(files)) for name in chain]
        if sorted(together) != sorted(files):
            sys.exit(f"not every header once: {together}")


if sys.argv[1:] == ["--self-test"]:
    self_test()
elif len(sys.argv) == 2:
    for line in chains(Path(sys.argv[1]), sys.stdin.read().split()):
        print(" ".join(line))
else:
    sys.exit(__doc__)
