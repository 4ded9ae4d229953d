"""Checks the sources against the rules of the project.

    layout.py ROOT

Prints one line `path:line: what is wrong, and what is expected` for each breach, and exits with 1 if
there is one. A rule is a function that takes a Tree and yields breaches. RULES lists all rules.
"""

import argparse
import os
import pathlib
import re
import sys

# Layers that know nothing of the outside world, and headers that they and the public headers must not include.
INNER_LAYERS = ("detect", "learn", "explain", "stream", "bindings")
OUTSIDE_WORLD = ("librdkafka/", "prometheus/", "httplib.h", "yaml-cpp/", "spdlog/", "CLI/")

# Headers that only one module and its tests may include. Benchmarks compare with the libraries themselves.
ONE_MODULE_ONLY = {"librdkafka/": "src/kafka", "simdjson": "src/detect/record", "openssl/": "src/service/metrics",
                   "curl/": "src/service/registry"}

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
    (re.compile(r"\bu?int(?:8|16|32|64)_t\b|\bU?INT(?:8|16|32|64)_(?:MAX|MIN)\b"), ("cstdint", "stdint.h")),
    (re.compile(r"\b(?:size_t|ptrdiff_t)\b"),
     ("cstddef", "stddef.h", "cstdio", "cstdlib", "cstring", "span", "string", "string_view", "vector")),
)
# Phrases that readers must read twice: a noun is missing, or an everyday word is better.
UNCLEAR = re.compile(r"\b((?:that|those) of|at hand|in place of)\b")
PACKAGES = "scripts/packages.debian"
MODULE_LIST = "src/CMakeLists.txt"
MODULE_TABLE = "src/README.md"


class Tree:
    """The files below a root, except in folders that .gitignore names."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.paths = sorted(self._walk())
        self._lines = {}
        self.layout = Layout(self)

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
        """The lines of a text file as (number, text); no lines for a binary file or none."""
        if path not in self._lines:
            try:
                text = (self.root / path).read_bytes().decode("utf-8")
            except (UnicodeDecodeError, FileNotFoundError):
                text = ""
            self._lines[path] = [] if "\0" in text else list(enumerate(text.splitlines(), 1))
        return self._lines[path]

    def text(self, path):
        return "\n".join(line for _, line in self.lines(path))

    def sources(self, *folders, endings=(".h", ".cc", ".inc")):
        return [p for p in self.paths if p.startswith(tuple(f + "/" for f in folders))
                and p.endswith(endings)]


class Module:
    """One neardup_module call in src/CMakeLists.txt."""

    def __init__(self, line, words):
        self.line = line
        self.folder = words[0]
        self.name = words[0].rsplit("/", 1)[-1]
        self.lists = {}
        current = None
        for word in words[1:]:
            if re.fullmatch(r"[A-Z_]+", word):
                current = self.lists.setdefault(word, [])
            elif current is not None:
                current.append(word)

    def words(self, key):
        return self.lists.get(key, [])

    def folders(self):
        """Its folders below src."""
        return [self.folder, *(f"{self.folder}/{below}" for below in self.words("FOLDERS"))]


class Layout:
    """The modules that the build declares, from the lowest to the highest."""

    def __init__(self, tree):
        text = re.sub(r"#[^\n]*", "", tree.text(MODULE_LIST))
        self.all = [Module(text.count("\n", 0, call.start()) + 1, call.group(1).split())
                    for call in re.finditer(r"neardup_module\s*\(([^)]*)\)", text)]
        self.modules = {module.name: module for module in self.all}
        self.layers = {module.folder.split("/")[0] for module in self.all}
        self.folders = {folder: module.name for module in self.all for folder in module.folders()}
        self.owners = {f"neardup/{header}": module.name for module in self.all
                       for header in module.words("PUBLIC_HEADERS")}
        self.reached = {name: self._reachable(name) for name in self.modules}
        self.headers = {re.sub("^(src|include|tests)/", "", path): path for path in tree.paths if path.endswith(".h")}

    def module_of(self, path):
        """The name of the module that holds src/FOLDER/x; None for other paths."""
        top, _, rest = path.partition("/")
        return self.folders.get(rest.rpartition("/")[0]) if top == "src" else None

    def _reachable(self, name):
        """The module itself, the modules that it names, and the modules that these reach."""
        seen, waiting = {name}, [name]
        while waiting:
            module = self.modules.get(waiting.pop())
            for below in module.words("MODULES") if module else []:
                if below not in seen:
                    seen.add(below)
                    waiting.append(below)
        return seen


def modules_point_down(tree):
    earlier = []
    for module in tree.layout.all:
        for name in module.words("MODULES"):
            if name not in earlier:
                yield (f"{MODULE_LIST}:{module.line}: module {module.name} names {name}, which is not listed earlier; a "
                       f"module may name only modules that stand earlier in this file")
        if module.name in earlier:
            yield f"{MODULE_LIST}:{module.line}: there are two modules {module.name}; expected one name for one module"
        earlier.append(module.name)


def folders_are_declared(tree):
    """The code stands in declared folders, and its tests stand in the same folders below tests."""
    layout = tree.layout
    reported = set()
    for path in tree.sources("src", "tests", endings=(".h", ".cc", ".py")):
        top, *folders = path.split("/")[:-1]
        place = "/".join(folders)
        if not folders and top == "src":
            continue  # main.cc
        if top == "tests" and (not folders or folders[0] not in layout.layers or place in layout.layers):
            continue  # tests of no single module
        if place not in layout.folders and (top, place) not in reported:
            reported.add((top, place))
            yield f"{path}:1: src/{place} is not a folder of a module; expected one that {MODULE_LIST} declares"


def modules_stand_in_the_table(tree):
    rows = {found.group(1) for _, line in tree.lines(MODULE_TABLE) if (found := re.match(r"\| `([\w/]+)`", line))}
    lines = {module.folder: module.line for module in tree.layout.all}
    for folder, line in lines.items():
        if folder not in rows:
            yield f"{MODULE_TABLE}:1: has no row for `{folder}`, which line {line} of {MODULE_LIST} declares"
    for row in sorted(rows - lines.keys() - tree.layout.layers):
        yield f"{MODULE_TABLE}:1: has a row for `{row}`, which is neither a layer nor a module"


def public_headers_have_one_owner(tree):
    listed = [header for module in tree.layout.all for header in module.words("PUBLIC_HEADERS")]
    for path in tree.sources("include", endings=(".h",)):
        count = listed.count(path.rsplit("/", 1)[-1])
        if count != 1:
            yield f"{path}:1: is in PUBLIC_HEADERS of {count} modules; expected exactly one"


def includes_are_declared(tree):
    layout = tree.layout
    for path in tree.sources("src", "include"):
        public_name = path.removeprefix("include/") if path.startswith("include/") else None
        home = layout.owners.get(public_name) if public_name else layout.module_of(path)
        allowed = layout.reached.get(home, set())
        for number, line in tree.lines(path):
            found = QUOTED_INCLUDE.match(line)
            if not found:
                continue
            header = found.group(1)
            if public_name and not header.startswith("neardup/"):
                yield (f'{path}:{number}: #include "{header}": a public header may include only '
                       "public headers")
                continue
            target = layout.owners.get(header) or layout.module_of(f"src/{header}")
            if target is None:
                yield f'{path}:{number}: #include "{header}"; expected "neardup/x.h", or the path of a header below src'
            elif target not in allowed and home in layout.modules:
                yield (f"{path}:{number}: module {home} includes {header} of module {target}, which "
                       f"its MODULES in {MODULE_LIST} do not reach")


def third_parties_stay_outside(tree):
    inner = tuple(f"src/{layer}/" for layer in INNER_LAYERS)
    for path in tree.sources("src", "include", "tests"):
        is_inner = path.startswith(("include/", *inner))
        for number, line in tree.lines(path):
            found = ANY_INCLUDE.match(line)
            if not found:
                continue
            header = found.group(1)
            if is_inner and header.startswith(OUTSIDE_WORLD):
                yield f"{path}:{number}: {header} must not be included in the layers {', '.join(INNER_LAYERS)}"
            for prefix, home in ONE_MODULE_ONLY.items():
                allowed = (f"{home}/", home.replace("src", "tests", 1) + "/", "tests/bench/")
                if header.startswith(prefix) and not path.startswith(allowed):
                    yield f"{path}:{number}: {header} may be included in {home} only"


def a_source_includes_its_own_header_first(tree):
    """A header that is the first include of its source compiles without other headers of the project before it."""
    for path in tree.sources("src", endings=(".cc",)):
        header = path.removesuffix(".cc") + ".h"
        own = header.removeprefix("src/")
        if tree.layout.headers.get(own) != header:
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
            header = tree.layout.headers.get(found.group(1))
            if header and header not in seen:
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


def language_is_plain(tree):
    for path in tree.paths:
        if path.startswith("tests/layout/"):
            continue
        for number, line in tree.lines(path):
            found = UNCLEAR.search(line)
            if found:
                yield f'{path}:{number}: found "{found.group(1)}"; repeat the noun, or write "instead of"'


def no_machine_is_named(tree):
    for path in tree.paths:
        for number, line in tree.lines(path):
            found = MACHINE_PATH.search(line)
            if found:
                yield f"{path}:{number}: {found.group(0)} is a path of one machine; use a relative path"


def sources_are_built(tree):
    """A source of src is built because it stands in a folder of a module. Tests are listed, or found by their names."""
    for path in tree.sources("tests", endings=(".cc",)):
        folder = path.rsplit("/", 1)[0]
        while "/" in folder and f"{folder}/CMakeLists.txt" not in tree.paths:
            folder = folder.rsplit("/", 1)[0]
        name = path.removeprefix(f"{folder}/")
        text = tree.text(f"{folder}/CMakeLists.txt")
        searched = {word for words in re.findall(r"\bFOLDERS((?:\s+[a-z_.]+)+)", text) for word in words.split()}
        is_real = name.rsplit("/", 1)[-1].startswith("real_")
        if name.endswith("_test.cc") and not is_real and (name.rpartition("/")[0] or ".") in searched:
            continue
        if is_real and "/" not in name and "real_*_test.cc" in text:
            continue
        if not re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", text):
            yield f"{path}:1: is not listed in {folder}/CMakeLists.txt, so it is not built"


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


RULES = (modules_point_down, folders_are_declared, modules_stand_in_the_table, public_headers_have_one_owner, includes_are_declared,
         third_parties_stay_outside, headers_are_guarded, a_source_includes_its_own_header_first, headers_include_what_they_name,
         headers_reach_what_they_name, nothing_is_left_for_later, language_is_plain, no_machine_is_named, sources_are_built,
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
