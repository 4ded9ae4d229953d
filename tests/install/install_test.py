"""The installed library: what it holds, and programs in C and C++ that find it with CMake and with pkg-config.

BUILD is a build folder in which the library is built. The tree is moved after the installation, so nothing in it may
know where it was installed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE / "examples"
BUILD = os.environ["BUILD"]
C, CXX = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
DECIDED = """\
0 unique
1 duplicate of 0, exact, 0 bits
2 unique
3 unique
4 dead-letter: all selected fields are missing or null (the first is /title)
"""
EXPECTED = {
    "cxx": DECIDED + "3 remembered\n",
    "c": DECIDED + """\
5 duplicate of 0, exact, 0 bits
6 duplicate of 0, exact, 0 bits
7 duplicate of 2, exact, 0 bits
8 duplicate of 3, exact, 0 bits
9 dead-letter: all selected fields are missing or null (the first is /title)
10 decided, 3 remembered
""",
}
# What a program that embeds the library does not want to carry along.
UNWANTED = ("rdkafka", "ssl", "crypto", "jemalloc", "prometheus", "spdlog", "yaml", "httplib")


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words} ends with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "first", "--component", "library")
        cls.prefix = cls.folder / "moved"
        os.rename(cls.folder / "first", cls.prefix)
        cls.library, = cls.prefix.rglob("libneardup.so")
        found = cls.library.parent / "pkgconfig"
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": str(found), "LD_LIBRARY_PATH": str(cls.library.parent)}

    def path(self, name):
        path = self.folder / name
        self.assertFalse(path.exists())
        return path

    def run_example(self, program, language, **options):
        state = [self.path(f"{self.id()}.nd")] if language == "c" else []
        self.assertEqual(run(program, *state, **options), EXPECTED[language])

    def build_with_cmake(self, language, standard):
        build = self.path(f"cmake-{language}")
        flags = "C" if language == "c" else "CXX"
        run("cmake", "-S", EXAMPLES / language, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_{flags}_FLAGS={' '.join(WARNINGS + standard)}")
        run("cmake", "--build", build)
        # CMake has written the place of the library into the program.
        self.run_example(build / "example", language)

    def build_with_pkg_config(self, language, compiler, source, package):
        program = self.path(f"pkg-config-{language}")
        flags = run("pkg-config", "--cflags", "--libs", package, env=self.environment).split()
        run(*compiler, *WARNINGS, EXAMPLES / language / source, *flags, "-o", program)
        self.run_example(program, language, env=self.environment)

    def test_a_program_in_c_finds_it_with_cmake(self):
        self.build_with_cmake("c", ["-std=c11"])

    def test_a_program_in_cxx_finds_it_with_cmake(self):
        self.build_with_cmake("cxx", [])

    def test_a_program_in_c_finds_it_with_pkg_config(self):
        self.build_with_pkg_config("c", [C, "-std=c11"], "example.c", "neardup")

    def test_a_program_in_cxx_finds_it_with_pkg_config(self):
        self.build_with_pkg_config("cxx", [CXX, "-std=c++20"], "example.cc", "neardup++")

    def test_the_program_in_c_shows_the_text_of_an_error(self):
        program = self.path("failing")
        flags = run("pkg-config", "--cflags", "--libs", "neardup", env=self.environment).split()
        run(C, "-std=c11", EXAMPLES / "c/example.c", *flags, "-o", program)
        done = subprocess.run([program, self.path("nowhere") / "state.nd"], capture_output=True, text=True,
                              env=self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^io: .*nowhere/state\.nd.*No such file")

    def test_the_c_header_is_one_of_cxx_as_well(self):
        source = self.path("header.cc")
        source.write_text("#include <neardup/neardup.h>\nstatic_assert(noexcept(neardup_free(nullptr)), \"\");\n")
        run(CXX, "-std=c++11", *WARNINGS, f"-I{self.prefix / 'include'}", "-fsyntax-only", source)

    def test_a_version_that_it_is_not_is_refused(self):
        project = self.path("other-version")
        shutil.copytree(EXAMPLES / "c", project)
        lists = project / "CMakeLists.txt"
        lists.write_text(lists.read_text().replace("find_package(neardup 0.1", "find_package(neardup 99.1"))
        with self.assertRaisesRegex(AssertionError, "99.1"):
            run("cmake", "-S", project, "-B", self.path("other-build"), "-G", "Ninja",
                f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_the_shared_library_has_a_version_and_needs_nothing_of_the_service(self):
        dynamic = run("readelf", "-d", self.library)
        self.assertIn("Library soname: [libneardup.so.0]", dynamic)
        self.assertNotRegex(dynamic, r"R(UN)?PATH")
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
        self.assertIn("libsimdjson", " ".join(needed))
        self.assertEqual([name for name in needed if any(word in name for word in UNWANTED)], [])

    def test_it_names_no_folder_of_the_build(self):
        for path in self.prefix.rglob("*"):
            if path.suffix in (".cmake", ".pc", ".h"):
                text = path.read_text()
                for place in (BUILD, str(HERE.parent.parent), str(self.folder)):
                    self.assertNotIn(place, text, path)


if __name__ == "__main__":
    unittest.main()
