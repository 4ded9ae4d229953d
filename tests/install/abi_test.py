"""The C interface against the stored one, neardup.declarations: what a program that was linked earlier relies on.

    LIBRARY=libneardup.so python3 abi_test.py             compares
    python3 abi_test.py --write                           stores the interface as it is now

What is stored is the header without its comments. abidiff compares the two, each compiled as C with an empty body for
each function, so that no type of C++ takes part. That the library exports these functions, and nothing else, is checked
on the library itself.

If a comparison fails: after an addition, write the declarations. After any other change, programs break: undo it, or
raise SOVERSION and NEARDUP_0, and write the declarations.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEADER = ROOT / "include/neardup/neardup.h"
MAP = ROOT / "src/bindings/neardup.map"
STORED = HERE / "neardup.declarations"
C = os.environ.get("CC", "cc")
# Enums whose values stand in the structs as bytes would not be part of any function otherwise.
ENUMS = "NEARDUP_API void neardup_enums(neardup_decision a, neardup_kind b) { (void)a; (void)b; }\n"
# The exit code of abidiff is a sum.
CHANGED, INCOMPATIBLE = 4, 8


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{words[0]} ends with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def declarations(header):
    """The text of a header without comments and empty lines."""
    return re.sub(r"\n\n+", "\n", re.sub(r" *//.*", "", header)).lstrip()


def compiled(header, to):
    """A library with the interface that the text of a header declares."""
    source = to.with_suffix(".c")
    bodies = header.replace("#pragma once\n", "").replace(" NEARDUP_NOEXCEPT;", " { __builtin_trap(); }")
    source.write_text(bodies + ENUMS)
    run(C, "-std=c11", "-g", "-fPIC", "-shared", f"-Wl,--version-script={MAP}", "-Wl,-soname,libneardup.so.0", source,
        "-o", to)
    return str(to)


def difference(header):
    """(exit code, report) of abidiff from the stored interface to the interface of a header."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = subprocess.run(["abidiff", compiled(STORED.read_text(), folder / "stored.so"),
                               compiled(header, folder / "now.so")], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class Interface(unittest.TestCase):
    def test_it_is_the_stored_one(self):
        code, report = difference(HEADER.read_text())
        self.assertEqual(code, 0, report + __doc__)

    def test_the_library_exports_it_and_nothing_else(self):
        symbols = [line.split()[-2:] for line in run("nm", "-D", "--defined-only", os.environ["LIBRARY"]).splitlines()]
        exported = {name for kind, name in symbols if kind != "A"}
        stored = set(re.findall(r"\b(neardup_\w+)\(", STORED.read_text()))
        self.assertEqual(exported, {f"{name}@@NEARDUP_0" for name in stored})
        self.assertGreater(len(stored), 10)

    def changed(self, old, new):
        text = HEADER.read_text()
        self.assertEqual(text.count(old), 1, f"{old} should stand in the header once")
        return difference(text.replace(old, new))

    def test_each_planted_change_is_found(self):
        plants = {
            "a member that has moved": ("  uint8_t decision;", "  uint8_t more;\n  uint8_t decision;"),
            "a member of another type": ("  size_t value_bytes;", "  unsigned value_bytes;"),
            "a member that is gone": ("  uint64_t threads;", ""),
            "another value": ("NEARDUP_BUSY = 3", "NEARDUP_BUSY = 33"),
            "another value of a byte": ("NEARDUP_DEAD_LETTER = 2", "NEARDUP_DEAD_LETTER = 3"),
            "another argument": ("neardup_filter_set_clock(neardup_filter* filter, int64_t",
                                 "neardup_filter_set_clock(neardup_filter* filter, int"),
            "another result": ("NEARDUP_API void neardup_free", "NEARDUP_API int neardup_free"),
        }
        for name, (old, new) in plants.items():
            with self.subTest(name):
                code, report = self.changed(old, new)
                self.assertTrue(code & CHANGED, f"{code}\n{report}")

    def test_a_function_that_is_gone_breaks_programs(self):
        code, report = self.changed("const char* neardup_version(void)", "const char* neardup_release(void)")
        self.assertTrue(code & INCOMPATIBLE, report)
        self.assertIn("neardup_version", report)

    def test_a_further_function_breaks_none(self):
        old = "NEARDUP_API void neardup_free"
        code, report = self.changed(old, "NEARDUP_API void neardup_more(void) NEARDUP_NOEXCEPT;\n" + old)
        self.assertEqual(code, CHANGED, report)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        STORED.write_text(declarations(HEADER.read_text()))
    else:
        unittest.main()
