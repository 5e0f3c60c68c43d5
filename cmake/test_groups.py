#!/usr/bin/env python3
"""Puts test files into groups, each of which one compilation takes: half the time of one by one.

Usage: test_groups.py PREFIX LARGEST < FILES     writes PREFIX0.cpp, ... and prints their names
       test_groups.py --self-test
Two files are in one group only where both open the same namespaces, and neither declares, outside of
functions and types, a name that the other one uses (but both may take the same one from a namespace):
what each says means the same as when it is compiled alone. Most of a compilation is headers, which a
group reads once, so neighbors in the list are put together.
Known weakness: names from macros are not seen, and a local name may hide one that another file takes
from a namespace. Where that matters, the compiler says so.
"""
import re
import sys
from pathlib import Path

# What stands before a bracket at the outermost level, but declares nothing.
NOTHING = {"TEST_CASE", "TEMPLATE_TEST_CASE", "const", "noexcept", "operator", "haloscope"}


def code(text):
    """Without comments, words in quotes and directives."""
    text = re.sub(r'R"(\w*)\((.*?)\)\1"', '""', text, flags=re.S)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"'(\\.|[^'\\\n])'", "0", text)
    return re.sub(r"^\s*#.*$", "", text, flags=re.M)


# using namespace n; using a::b, c::d; namespace n = m; using T = b; may be said twice, if alike.
TAKEN = re.compile(r"\busing\s+namespace\b[^;]*;|\busing\s+[\w:]+(?:\s*,\s*[\w:]+)*\s*;"
                   r"|\bnamespace\s+\w+\s*=[^;]*;")


def taken(text):
    """The namespaces that are opened, and what stands for what of those."""
    opened, names = set(), {}
    for said in TAKEN.findall(text):
        words = re.findall(r"[\w:]+", said)
        if words[:2] == ["using", "namespace"]:
            opened.add(words[2])
        elif words[0] == "namespace":
            names[words[1]] = words[2]
        else:
            names.update((word.split("::")[-1], word) for word in words[1:])
    # The project's own namespaces stand for one another: the compiler sees a name that two of them have.
    return {name for name in opened if name == "haloscope::test" or not name.startswith("haloscope")}, names


def outermost(text):
    """The words and signs outside of all brackets but those of namespaces."""
    text = re.sub(r"\bnamespace\b[\w:\s]*\{", "\x01", text)
    found, braces, parentheses = [], [], 0
    for word in re.findall(r"[A-Za-z_]\w*|\S|\x01", text):
        if word in "{\x01":
            if word == "{" and "{" not in braces and parentheses == 0:
                found.append(word)
            braces.append(word)
        elif word == "}":
            braces and braces.pop()
            found.append(";")
        elif "{" in braces:
            continue
        elif word in "()":
            if word == "(" and parentheses == 0:
                found.append(word)
            parentheses += 1 if word == "(" else -1
        elif parentheses == 0:
            found.append(word)
    return found


class Test:
    def __init__(self, text):
        text = code(text)
        self.opened, self.taken = taken(text)
        text = TAKEN.sub(" ", text)
        self.declares = set()
        for statement in " ".join(outermost(text)).split(";"):
            # What stands behind the first sign is a value, or follows the name of a function.
            declared = re.match(r"[^({=\[]*?(\w+)\s*([({=\[]|$)", statement)
            if declared:
                self.declares.add(declared[1])
        self.declares -= NOTHING
        # Neither members (a.size) nor local variables: small words that nobody calls.
        text = re.sub(r"(\.|->)\s*\w+", " ", text)
        self.uses = set(re.findall(r"\bk?[A-Z]\w*|\b[a-z]\w*(?=\s*[(<:])", text)) | self.declares

    def goes_with(self, other):
        return self.opened == other.opened and self.fits(other) and other.fits(self)

    def fits(self, other):
        return not (self.declares & (other.uses | set(other.taken)) or
                    any(other.taken.get(name, taken) != taken for name, taken in self.taken.items()))


def groups(tests, largest):
    found = []
    for name, test in tests.items():
        for group in reversed(found):
            if len(group) < largest and all(test.goes_with(tests[member]) for member in group):
                group.append(name)
                break
        else:
            found.append([name])
    return found


def together(group, texts):
    # Headers of others first, which must not meet the namespaces that the files open.
    headers = {line for name in group for line in re.findall(r"^#include <.*>$", texts[name], flags=re.M)
               if len(group) > 1}
    return "\n".join(sorted(headers) + [f'#include "{name}"' for name in group]) + "\n"


def self_test():
    tests = {name: Test(text) for name, text in {
        "a": 'using namespace n;\nusing m::half;\nnamespace { constexpr int kRows = 3; int make(int rows) { return rows; } }',
        "b": 'using namespace n;\nusing m::half;\nnamespace { struct Box { int kSide; }; }\nTEST_CASE("kRows") { int n = half(2); }',
        "declares it too": "using namespace n;\nnamespace { double make() { return 1.0; } }",
        "uses it": 'using namespace n;\nTEST_CASE("x") { CHECK(make(2) == 2); }',
        "takes another half": 'using namespace n;\nusing other::half;',
        "has its own half": "using namespace n;\nint half(int number);",
        "opens another": 'using namespace other;\nTEST_CASE("x") {}',
        "has such a member": 'using namespace n;\nTEST_CASE("x") { CHECK(other.make(2) == 2); }  // kRows',
    }.items()}
    for name, fits in (("b", True), ("declares it too", False), ("uses it", False),
                       ("takes another half", False), ("has its own half", False),
                       ("opens another", False), ("has such a member", True)):
        if tests["a"].goes_with(tests[name]) != fits:
            sys.exit(f"a with {name}: {not fits}")
    for largest in 1, 2, 9:
        found = groups(tests, largest)
        if sorted(sum(found, [])) != sorted(tests) or max(map(len, found)) > largest:
            sys.exit(f"groups of at most {largest}: {found}")


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
    elif len(arguments) == 2 and arguments[1].isdigit():
        texts = {name: Path(name).read_text() for name in sys.stdin.read().split()}
        tests = {name: Test(text) for name, text in texts.items()}
        for number, group in enumerate(groups(tests, int(arguments[1]))):
            file = Path(f"{arguments[0]}{number}.cpp")
            text = together(group, texts)
            # A changed date would compile it again.
            if not file.exists() or file.read_text() != text:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            print(file)
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
