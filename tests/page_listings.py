#!/usr/bin/env python3
"""Writes the files that a page of the documentation lists, so that they can be compiled.

Usage: page_listings.py PAGE FOLDER
A listing is a block of C++ below a line that is nothing but its path in backquotes and a colon.
Prints the paths of the .cpp files, with semicolons between. A file that would stay as it is is not
touched, so that nothing is compiled anew.
"""
import re
import sys
from pathlib import Path

LISTING = re.compile(r"^`([\w/.]+)`:\n\n```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main(page, folder):
    listings = LISTING.findall(Path(page).read_text(encoding="utf-8"))
    if not listings:
        sys.exit(f"page_listings: {page} lists no files")
    for name, text in listings:
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    print(";".join(str(Path(folder) / name) for name, _ in listings if name.endswith(".cpp")))


if __name__ == "__main__":
    main(*sys.argv[1:])
