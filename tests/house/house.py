"""Checks the sources against the rules of the house.

    house.py ROOT

Prints one line `path:line: what is wrong, and what is expected` for each breach, and exits with 1 if
there is one. A rule is a function that takes a Tree and yields breaches. RULES lists all rules.
"""

import argparse
import os
import pathlib
import re
import sys

# Headers that `stream`, the rooms before it and the public headers must not include.
OUTSIDE_WORLD = ("librdkafka/", "prometheus/", "httplib.h", "yaml-cpp/", "spdlog/", "CLI/")

# Headers that only one room and its tests may include. Benchmarks compare with the libraries themselves.
ONE_ROOM_ONLY = {"librdkafka/": "kafka", "simdjson": "record", "openssl/": "metrics"}

# The brackets keep this file from matching itself.
LEFTOVERS = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X|D[I]SABLED_\w*|G[T]EST_SKIP)\b")
MACHINE_PATH = re.compile(r"(?<![\w.~$}*-])/(?:home|root|work)(?=/|\b)(?!-)")
QUOTED_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
APT_INSTALL = re.compile(r"\bapt(?:-get|itude)?(?:\s+-\S+)*\s+install\b([^|;&#]*)")
STANDARD_NAME = re.compile(r"\bstd::(\w+)")
# Names of the standard library by the header that declares them: those that are used often, and that no other header
# promises.
STANDARD_NAMES = {
    "algorithm": "all_of any_of none_of sort stable_sort min max clamp find find_if count count_if copy fill remove_if "
                 "reverse lower_bound upper_bound min_element max_element nth_element transform rotate",
    "array": "array to_array",
    "atomic": "atomic",
    "bit": "popcount countr_zero countl_zero bit_cast bit_ceil bit_width has_single_bit rotl rotr",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "condition_variable": "condition_variable",
    "deque": "deque",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream",
    "functional": "function",
    "future": "future promise async",
    "initializer_list": "initializer_list",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr weak_ptr make_unique make_shared",
    "mutex": "mutex lock_guard unique_lock scoped_lock once_flag call_once",
    "numeric": "accumulate iota",
    "optional": "optional nullopt",
    "random": "mt19937_64 uniform_int_distribution",
    "regex": "regex",
    "set": "set multiset",
    "span": "span",
    "sstream": "ostringstream istringstream",
    "string": "string to_string",
    "string_view": "string_view",
    "system_error": "error_code errc",
    "thread": "thread this_thread",
    "tuple": "tuple tie",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "pair",
    "variant": "variant monostate holds_alternative",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in STANDARD_NAMES.items() for name in names.split()}
# Names without std:: that several headers declare. One of these headers must be included.
GLOBAL_NAMES = (
    (re.compile(r"\bu?int(?:8|16|32|64)_t\b|\bU?INT(?:8|16|32|64)_(?:MAX|MIN)\b"), ("cstdint",)),
    (re.compile(r"\b(?:size_t|ptrdiff_t)\b"),
     ("cstddef", "cstdio", "cstdlib", "cstring", "span", "string", "string_view", "vector")),
)
PACKAGES = "scripts/packages.debian"
ROOM_LIST = "src/CMakeLists.txt"


class Tree:
    """The files below a root, except in folders that .gitignore names."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
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
                if file != ".git":  # a file in a linked work tree
                    yield (here / file).as_posix()

    def lines(self, path):
        """The lines of a text file as (number, text); no lines for a binary file."""
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
    """The room of a path src/<room>/x or tests/<room>/x; None for other paths."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] in ("src", "tests") else None


class Room:
    """One neardup_room call of src/CMakeLists.txt."""

    def __init__(self, line, words):
        self.line = line
        self.name = words[0]
        self.lists = {}
        current = None
        for word in words[1:]:
            if re.fullmatch(r"[A-Z_]+", word):
                current = self.lists.setdefault(word, [])
            elif current is not None:
                current.append(word)

    def words(self, key):
        return self.lists.get(key, [])


def declared_rooms(tree):
    """The rooms by name, in the order of src/CMakeLists.txt."""
    text = re.sub(r"#[^\n]*", "", tree.text(ROOM_LIST))
    rooms = {}
    for call in re.finditer(r"neardup_room\s*\(([^)]*)\)", text):
        room = Room(text.count("\n", 0, call.start()) + 1, call.group(1).split())
        rooms[room.name] = room
    return rooms


def reachable(rooms, name):
    """The room itself, the rooms that it names, and the rooms that these reach."""
    seen, waiting = {name}, [name]
    while waiting:
        room = rooms.get(waiting.pop())
        for below in room.words("ROOMS") if room else []:
            if below not in seen:
                seen.add(below)
                waiting.append(below)
    return seen


def owners_of_public_headers(rooms):
    """Maps each public header neardup/x.h to the room that declares it."""
    return {f"neardup/{header}": room.name
            for room in rooms.values() for header in room.words("PUBLIC_HEADERS")}


def rooms_point_down(tree):
    rooms = declared_rooms(tree)
    before = []
    for room in rooms.values():
        for name in room.words("ROOMS"):
            if name not in before:
                yield (f"{ROOM_LIST}:{room.line}: room {room.name} names {name}, which is not "
                       "listed before it; rooms depend only on rooms above them")
        before.append(room.name)


def public_headers_have_one_owner(tree):
    rooms = declared_rooms(tree)
    listed = [header for room in rooms.values() for header in room.words("PUBLIC_HEADERS")]
    for path in tree.sources("include", endings=(".h",)):
        count = listed.count(path.rsplit("/", 1)[-1])
        if count != 1:
            yield (f"{path}:1: is in PUBLIC_HEADERS of {count} rooms in {ROOM_LIST}; expected "
                   "exactly one")


def includes_are_declared(tree):
    rooms = declared_rooms(tree)
    owners = owners_of_public_headers(rooms)
    for path in tree.sources("src", "include"):
        public_name = path.removeprefix("include/") if path.startswith("include/") else None
        home = owners.get(public_name) if public_name else room_of(path)
        allowed = reachable(rooms, home) if home in rooms else set()
        for number, line in tree.lines(path):
            found = QUOTED_INCLUDE.match(line)
            if not found:
                continue
            header = found.group(1)
            if public_name and not header.startswith("neardup/"):
                yield (f'{path}:{number}: #include "{header}": a public header may include only '
                       "public headers")
                continue
            target = owners.get(header, header.split("/")[0] if "/" in header else None)
            if target not in rooms:
                yield (f'{path}:{number}: #include "{header}" ; expected "neardup/x.h", or '
                       '"room/x.h" of a room in ' + ROOM_LIST)
            elif target not in allowed:
                yield (f"{path}:{number}: room {home} includes {header} of room {target}, which "
                       f"its ROOMS in {ROOM_LIST} do not reach")


def third_parties_stay_outside(tree):
    names = list(declared_rooms(tree))
    inner = set(names[:names.index("stream") + 1]) if "stream" in names else set(names)
    for path in tree.sources("src", "include", "tests"):
        room = room_of(path)
        is_inner = path.startswith("include/") or (path.startswith("src/") and room in inner)
        for number, line in tree.lines(path):
            found = ANY_INCLUDE.match(line)
            if not found:
                continue
            header = found.group(1)
            if is_inner and header.startswith(OUTSIDE_WORLD):
                yield f"{path}:{number}: {header} must not be included in stream or a room before it"
            for prefix, home in ONE_ROOM_ONLY.items():
                if header.startswith(prefix) and room not in (home, "bench"):
                    yield f"{path}:{number}: {header} may be included in {home} only"


def a_source_includes_its_own_header_first(tree):
    """A header that is the first include of its source compiles without other headers of the project before it."""
    for path in tree.sources("src", endings=(".cc",)):
        own = path.removeprefix("src/").removesuffix(".cc") + ".h"
        if f"src/{own}" not in tree.paths:
            continue
        for number, line in tree.lines(path):
            found = ANY_INCLUDE.match(line)
            if found:
                if found.group(1) != own:
                    yield f'{path}:{number}: includes {found.group(1)} first; expected its own header "{own}"'
                break


def headers_include_what_they_name(tree):
    """Precompiled headers would hide that the header of a standard name is missing."""
    for path in tree.sources("src", "include", "tests", endings=(".h",)):
        included = {found.group(1) for _, line in tree.lines(path) if (found := ANY_INCLUDE.match(line))}
        if "string" in included:
            included.add("string_view")
        missing = {}
        for number, line in tree.lines(path):
            for name in STANDARD_NAME.findall(line.split("//")[0]):
                header = HEADER_OF.get(name)
                if header and header not in included:
                    missing.setdefault(header, (number, name))
        for header, (number, name) in missing.items():
            yield f"{path}:{number}: names std::{name}; expected #include <{header}> in this header"


def included_by(tree, path):
    """What a file includes, and what the headers of the project among these include in turn."""
    names, waiting, seen = set(), [path], {path}
    while waiting:
        for _, line in tree.lines(waiting.pop()):
            found = ANY_INCLUDE.match(line)
            if not found:
                continue
            names.add(found.group(1))
            for folder in ("src", "include", "tests"):
                header = f"{folder}/{found.group(1)}"
                if header in tree.paths and header not in seen:
                    seen.add(header)
                    waiting.append(header)
    return names


def headers_reach_what_they_name(tree):
    """As headers_include_what_they_name, for the names that stand without std::."""
    for path in tree.sources("src", "include", "tests", endings=(".h",)):
        included = included_by(tree, path)
        for names, headers in GLOBAL_NAMES:
            if included.intersection(headers):
                continue
            for number, line in tree.lines(path):
                found = names.search(line.split("//")[0])
                if found:
                    yield f"{path}:{number}: names {found.group(0)}; expected #include <{headers[0]}> in this header"
                    break


def headers_are_guarded(tree):
    for path in tree.sources("src", "include", endings=(".h",)):
        if not any(line.strip() == "#pragma once" for _, line in tree.lines(path)):
            yield f"{path}:1: has no #pragma once; expected one at its start"


def nothing_is_left_for_later(tree):
    for path in tree.paths:
        for number, line in tree.lines(path):
            found = LEFTOVERS.search(line)
            if found:
                yield f"{path}:{number}: {found.group(1)} marks unfinished work; finish it or remove it"


def no_machine_is_named(tree):
    for path in tree.paths:
        for number, line in tree.lines(path):
            found = MACHINE_PATH.search(line)
            if found:
                yield f"{path}:{number}: {found.group(0)} is a path of one machine; use a relative path"


def sources_are_built(tree):
    for path in tree.sources("src", "tests", endings=(".cc",)):
        folder, name = path.rsplit("/", 1)
        top = folder.split("/")[0]
        cmake = ROOM_LIST if top == "src" else f"{folder}/CMakeLists.txt"
        text = tree.text(cmake) if cmake in tree.paths else ""
        room = declared_rooms(tree).get(room_of(path)) if top == "src" else None
        if room and name in room.words("SOURCES"):
            continue
        if top == "src" and re.search(rf"(?<![\w.-]){re.escape(room_of(path) + '/' + name)}", text):
            continue
        if top != "src" and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text):
            continue
        yield f"{path}:1: is not listed in {cmake}, so it is not built"


def packages_stand_in_one_file(tree):
    if PACKAGES not in tree.paths:
        yield f"{PACKAGES}:1: is missing; it lists the packages"
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
                yield f"{path}:{number}: names the package {names[-1]}; only {PACKAGES} may name packages"


RULES = (rooms_point_down, public_headers_have_one_owner, includes_are_declared,
         third_parties_stay_outside, headers_are_guarded, a_source_includes_its_own_header_first, headers_include_what_they_name,
         headers_reach_what_they_name, nothing_is_left_for_later, no_machine_is_named, sources_are_built,
         packages_stand_in_one_file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root")
    arguments = parser.parse_args()
    tree = Tree(arguments.root)
    breaches = [breach for rule in RULES for breach in rule(tree)]
    for breach in breaches:
        print(breach)
    print(f"{len(tree.paths)} files, {len(RULES)} rules, {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
