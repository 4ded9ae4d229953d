"""Holds the sources against the rules of the house.

    house.py ROOT [--compiler g++]

Prints one line `path:line: what is wrong, and what is expected` for each breach and exits with 1 if
there is any. A rule is a function from a Tree to its breaches; RULES at the end names them all.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

# A room may include only rooms before it.
ROOMS = ("base record feature fingerprint index filter learn evaluate state "
         "stream kafka metrics config app").split()

# Headers of these never appear in `stream` or a room before it, nor in the public headers.
OUTSIDE_WORLD = ("librdkafka/", "prometheus/", "httplib.h", "yaml-cpp/", "spdlog/", "CLI/")

# Headers of these appear in one room and its tests only.
ONE_ROOM_ONLY = {"librdkafka/": "kafka", "simdjson": "record"}

LINES_MAX = 400

BAG_NAMES = set("util utils helper helpers manager common misc".split())

# The glossary's "do not say" words, as far as they could name a file of ours.
BANNED_WORDS = {
    "event": "record", "msg": "record", "signature": "fingerprint", "radius": "distance",
    "threshold": "distance_max", "chunk": "block", "hit": "match", "parent": "original",
    "canonical": "original", "score": "weight", "strategy": "scheme", "sink": "route",
    "ttl": "retention", "dump": "snapshot", "backup": "snapshot", "task": "lane",
    "wal": "changelog", "leader": "active", "replica": "standby", "cursor": "offset",
    "stats": "probe", "monitor": "probe",
}

# Words of the contract that hold a banned word.
ACCEPTED_TERMS = ("event_time",)

# Written so that this file does not match itself.
LEFTOVERS = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X|D[I]SABLED_\w*|G[T]EST_SKIP)\b")
MACHINE_PATH = re.compile(r"(?<![\w.~$}*-])/(?:home|root|work)(?=/|\b)(?!-)")
QUOTED_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
APT_INSTALL = re.compile(r"\bapt(?:-get|itude)?(?:\s+-\S+)*\s+install\b([^|;&#]*)")
PACKAGES = "scripts/packages.debian"


class Tree:
    """The files below a root, without what .gitignore names as a folder."""

    def __init__(self, root, compiler="g++"):
        self.root = pathlib.Path(root).resolve()
        self.compiler = compiler
        self.paths = sorted(self._walk())
        self._lines = {}

    def _walk(self):
        ignored = {".git", "__pycache__"}
        gitignore = self.root / ".gitignore"
        if gitignore.exists():
            names = gitignore.read_text(encoding="utf-8").split()
            ignored |= {name.strip("/") for name in names if name.endswith("/")}
        for folder, folders, files in os.walk(self.root):
            here = pathlib.Path(folder).relative_to(self.root)
            folders[:] = [f for f in folders
                          if f not in ignored and (here / f).as_posix() not in ignored]
            for file in files:
                yield (here / file).as_posix()

    def lines(self, path):
        """(number, text) of a text file; none of a binary one."""
        if path not in self._lines:
            try:
                text = (self.root / path).read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                text = ""
            self._lines[path] = [] if "\0" in text else list(enumerate(text.splitlines(), 1))
        return self._lines[path]

    def text(self, path):
        return "\n".join(line for _, line in self.lines(path))

    def sources(self, *folders, endings=(".h", ".cc")):
        return [p for p in self.paths if p.startswith(tuple(f + "/" for f in folders))
                and p.endswith(endings)]


def room_of(path):
    """The room of src/<room>/x or tests/<room>/x, None elsewhere."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] in ("src", "tests") else None


def declared_rooms(tree):
    """room -> (line, names after ROOMS) as src/<room>/CMakeLists.txt says."""
    declared = {}
    for room in ROOMS:
        path = f"src/{room}/CMakeLists.txt"
        if path not in tree.paths:
            continue
        text = re.sub(r"#[^\n]*", "", tree.text(path))
        for call in re.finditer(r"neardup_room\s*\(\s*(\w+)([^)]*)\)", text):
            below = re.search(r"\bROOMS\b((?:\s+[a-z_]+)*)", call.group(2))
            line = text.count("\n", 0, call.start()) + 1
            declared[call.group(1)] = (path, line, below.group(1).split() if below else [])
    return declared


def rooms_point_down(tree):
    for room, (path, line, below) in declared_rooms(tree).items():
        if room not in ROOMS:
            yield f"{path}:{line}: room {room} is unknown; the rooms are {' '.join(ROOMS)}"
            continue
        for name in below:
            if name not in ROOMS[:ROOMS.index(room)]:
                yield f"{path}:{line}: room {room} names {name}, which does not stand before it"


def includes_are_declared(tree):
    declared = declared_rooms(tree)

    def reachable(room):
        seen, open_rooms = {room}, [room]
        while open_rooms:
            for name in declared.get(open_rooms.pop(), (None, None, []))[2]:
                if name not in seen:
                    seen.add(name)
                    open_rooms.append(name)
        return seen

    for path in tree.sources("src", "include"):
        room = room_of(path)
        allowed = reachable(room) if room else set()
        for number, line in tree.lines(path):
            found = QUOTED_INCLUDE.match(line)
            if not found:
                continue
            target = found.group(1).split("/")[0] if "/" in found.group(1) else None
            if target == "neardup":
                continue
            if target is None or target not in ROOMS:
                yield (f'{path}:{number}: #include "{found.group(1)}" is neither "neardup/x.h" '
                       'nor "room/x.h"')
            elif target not in allowed:
                yield (f"{path}:{number}: {room or 'a public header'} includes {target}, which its "
                       "ROOMS do not reach")


def third_parties_stay_outside(tree):
    inner = set(ROOMS[:ROOMS.index("stream") + 1])
    for path in tree.sources("src", "include", "tests"):
        room = room_of(path)
        is_inner = path.startswith("include/") or (path.startswith("src/") and room in inner)
        for number, line in tree.lines(path):
            found = ANY_INCLUDE.match(line)
            if not found:
                continue
            header = found.group(1)
            if is_inner and header.startswith(OUTSIDE_WORLD):
                yield f"{path}:{number}: {header} does not belong into stream or a room before it"
            for prefix, home in ONE_ROOM_ONLY.items():
                if header.startswith(prefix) and room != home:
                    yield f"{path}:{number}: {header} belongs into {home} only"


def headers_compile_alone(tree):
    headers = tree.sources("src", "include", endings=(".h",))

    def compile_alone(path):
        command = [tree.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Isrc",
                   "-Iinclude", "-include", path, "-x", "c++", "/dev/null"]
        done = subprocess.run(command, cwd=tree.root, capture_output=True, text=True)
        if done.returncode == 0:
            return None
        first = next((line for line in done.stderr.splitlines() if "error:" in line), "no message")
        return f"{path}:1: does not compile alone: {first}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(compile_alone, headers))


def headers_are_guarded(tree):
    for path in tree.sources("src", "include", endings=(".h",)):
        if not any(line.strip() == "#pragma once" for _, line in tree.lines(path)):
            yield f"{path}:1: has no #pragma once"


def names_say_what_is_inside(tree):
    for path in tree.paths:
        stem = path.rsplit("/", 1)[-1].split(".")[0].lower()
        for term in ACCEPTED_TERMS:
            stem = stem.replace(term, "")
        words = re.split(r"[_-]", stem)
        for word in words:
            if word in BAG_NAMES:
                yield f"{path}:1: '{word}' names no thing; find the noun of what is inside"
        if not path.startswith(("src/", "include/", "tests/")):
            continue
        for word in words:
            if word in BANNED_WORDS:
                yield f"{path}:1: '{word}': the glossary's word is '{BANNED_WORDS[word]}'"


def files_are_short(tree):
    for path in tree.sources("src", "include"):
        count = len(tree.lines(path))
        if count > LINES_MAX:
            yield f"{path}:{count}: {count} lines, at most {LINES_MAX} are allowed"


def nothing_is_left_for_later(tree):
    for path in tree.paths:
        for number, line in tree.lines(path):
            found = LEFTOVERS.search(line)
            if found:
                yield f"{path}:{number}: {found.group(1)}: finish it or leave it out"


def no_machine_is_named(tree):
    for path in tree.paths:
        for number, line in tree.lines(path):
            found = MACHINE_PATH.search(line)
            if found:
                yield f"{path}:{number}: {found.group(0)} exists on one machine only"


def sources_are_built(tree):
    for path in tree.sources("src", "tests", endings=(".cc",)):
        folder, name = path.rsplit("/", 1)
        cmake = f"{folder}/CMakeLists.txt"
        text = tree.text(cmake) if cmake in tree.paths else ""
        if not re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text):
            yield f"{path}:1: is not listed in {cmake}"


def packages_stand_in_one_file(tree):
    if PACKAGES not in tree.paths:
        yield f"{PACKAGES}:1: is missing"
        return
    rows = [line.split() for _, line in tree.lines(PACKAGES) if line and not line.startswith("#")]
    libraries = [row[1] for row in rows if len(row) > 1 and row[1].endswith("-dev")]
    any_library = re.compile(r"(?<![\w.-])(" + "|".join(map(re.escape, libraries)) + r")(?![\w-])")
    for path in tree.paths:
        if path == PACKAGES:
            continue
        for number, line in tree.lines(path):
            installed = APT_INSTALL.search(line)
            names = [w for w in installed.group(1).split() if re.match(r"[a-z0-9]", w)
                     ] if installed else []
            named = any_library.search(line) if libraries else None
            if named:
                names.append(named.group(1))
            if names:
                yield f"{path}:{number}: package {names[-1]}: packages stand in {PACKAGES} only"


RULES = (rooms_point_down, includes_are_declared, third_parties_stay_outside, headers_are_guarded,
         headers_compile_alone, names_say_what_is_inside, files_are_short,
         nothing_is_left_for_later, no_machine_is_named, sources_are_built,
         packages_stand_in_one_file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root")
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    tree = Tree(arguments.root, arguments.compiler)
    breaches = [breach for rule in RULES for breach in rule(tree)]
    for breach in breaches:
        print(breach)
    print(f"{len(tree.paths)} files, {len(RULES)} rules, {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
