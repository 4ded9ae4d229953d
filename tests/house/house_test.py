"""Each rule of house.py finds a planted breach, and accepts a clean tree."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import house  # noqa: E402

CLEAN = {
    ".gitignore": "/build/\n",
    "scripts/packages.debian": "# group package why\nbuild libfoo-dev a library\n",
    "scripts/install": "apt-get install -y \"${missing[@]}\"\n",
    "README.md": "Read https://example.org/home/page and run scripts/test. mktemp /tmp/a.XXXXXX\n",
    "include/neardup/record.h": "#pragma once\nstruct Record {};\n",
    "CMakeLists.txt": "# x\nset(NEARDUP_WINGS library lane ports)\n",
    "src/README.md": ("| place | what |\n| `library` | a |\n| `library/base` | a |\n| `library/record` | a |\n"
                      "| `lane` | a |\n| `lane/lane` | a |\n| `ports` | a |\n| `ports/kafka` | a |\n"),
    "src/library/CMakeLists.txt": ("neardup_room(base\n  SOURCES hash.cc)\n"
                                   "neardup_room(record SOURCES fields.cc PUBLIC_HEADERS record.h\n"
                                   "  ROOMS base LIBS x)\n"),
    "src/lane/CMakeLists.txt": "neardup_room(lane SOURCES lane.cc ROOMS record)\n",
    "src/ports/CMakeLists.txt": ("neardup_room(kafka SOURCES reader.cc ROOMS lane)\n"
                                 "add_executable(neardup kafka/main.cc)\n"),
    "src/library/base/hash.h": "#pragma once\nint Hash();\n",
    "src/library/base/hash.cc": '#include "base/hash.h"\nint Hash() { return 1; }\n',
    "src/library/record/fields.cc": '#include <simdjson.h>\n#include "base/hash.h"\n',
    "src/lane/lane/lane.cc": '#include "base/hash.h"\n#include "neardup/record.h"\n',
    "src/ports/kafka/reader.cc": "#include <librdkafka/rdkafka.h>\n",
    "src/ports/kafka/main.cc": "",
    "tests/ports/kafka/CMakeLists.txt": "neardup_test(kafka_test SOURCES reader_test.cc ROOMS kafka)\n",
    "tests/ports/kafka/reader_test.cc": "#include <librdkafka/rdkafka_mock.h>\n",
    "build/util.cc": "ignored\n",
}


class House(unittest.TestCase):
    def breaches(self, planted):
        """Breaches of CLEAN after the files of `planted` replace its own; None removes a file."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**CLEAN, **planted}.items():
                if text is None:
                    continue
                file = pathlib.Path(root, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                data = text if isinstance(text, bytes) else text.encode()
                file.write_bytes(data)
            tree = house.Tree(root)
            return [breach for rule in house.RULES for breach in rule(tree)]

    def assert_one(self, planted, start, *words):
        found = self.breaches(planted)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(start), found[0])
        for word in words:
            self.assertIn(word, found[0])

    def test_a_clean_tree_has_no_breach(self):
        self.assertEqual(self.breaches({}), [])

    def rooms(self, *changes):
        """The lists of rooms with each (old, new) of `changes` replaced in the one that has it."""
        lists = {path: text for path, text in CLEAN.items() if re.fullmatch(r"src/\w+/CMakeLists.txt", path)}
        for old, new in changes:
            path, = (path for path, text in lists.items() if old in text)
            lists[path] = lists[path].replace(old, new)
        return lists

    def test_a_room_may_not_name_a_room_after_it(self):
        self.assert_one(self.rooms(("SOURCES hash.cc", "SOURCES hash.cc ROOMS record")),
                        "src/library/CMakeLists.txt:1:", "base names record")

    def test_a_room_may_not_name_a_room_of_a_wing_above(self):
        self.assert_one(self.rooms(("ROOMS record", "ROOMS record kafka")),
                        "src/lane/CMakeLists.txt:1:", "lane names kafka")

    def test_the_order_of_the_wings_counts(self):
        self.assert_one({"CMakeLists.txt": "set(NEARDUP_WINGS library ports lane)\n"},
                        "src/ports/CMakeLists.txt:1:", "kafka names lane")

    def test_two_rooms_have_two_names(self):
        planted = self.rooms(("add_exec", "neardup_room(record SOURCES x.cc)\nadd_exec"))
        self.assertIn("src/ports/CMakeLists.txt:2: there are two rooms record", self.breaches(planted)[0])

    def test_a_folder_that_is_no_room_is_refused(self):
        for path in ("src/library/hash.h", "src/outer/new/hash.h", "src/hash.h"):
            self.assert_one({path: "#pragma once\n"}, f"{path}:1:", "is not a room")

    def test_the_tests_of_a_room_stand_where_the_room_stands(self):
        self.assert_one({"tests/lane/kafka/world.h": "#pragma once\n"}, "tests/lane/kafka/world.h:1:", "is not a room")
        self.assertEqual(self.breaches({"tests/e2e/world.h": "#pragma once\n"}), [])

    def test_every_room_has_a_row_in_the_table(self):
        table = CLEAN["src/README.md"]
        self.assert_one({"src/README.md": table.replace("| `lane/lane` | a |\n", "")}, "src/README.md:1:", "`lane/lane`")
        self.assert_one({"src/README.md": table + "| `ports/files` | a |\n"}, "src/README.md:1:", "`ports/files`")

    def test_an_include_upwards_is_named_with_file_and_line(self):
        self.assert_one({"src/library/record/fields.cc": '\n#include "lane/lane.h"\n'},
                        "src/library/record/fields.cc:2:", "record includes lane/lane.h")
        self.assert_one({"src/library/record/fields.inc": '\n#include "lane/lane.h"\n'},
                        "src/library/record/fields.inc:2:", "record includes lane/lane.h")

    def test_an_include_of_an_undeclared_room_before_it_is_refused(self):
        self.assert_one({**self.rooms(("reader.cc ROOMS lane", "reader.cc")),
                         "src/ports/kafka/reader.cc": '#include "base/hash.h"\n'},
                        "src/ports/kafka/reader.cc:1:", "kafka includes base/hash.h")

    def test_rooms_reach_through_rooms(self):
        self.assertEqual(self.breaches({"src/ports/kafka/reader.cc": '#include "base/hash.h"\n'}), [])

    def test_a_public_header_may_not_include_a_room(self):
        self.assert_one({"include/neardup/record.h": '#pragma once\n#include "base/hash.h"\n'},
                        "include/neardup/record.h:2:", "only public headers")

    def test_a_public_header_belongs_to_one_room(self):
        self.assert_one({"include/neardup/filter.h": "#pragma once\n"},
                        "include/neardup/filter.h:1:", "0 rooms")

    def test_a_public_header_of_a_room_above_may_not_be_included(self):
        self.assert_one({"src/library/base/hash.cc": '#include "base/hash.h"\n#include "neardup/record.h"\n'},
                        "src/library/base/hash.cc:2:", "base includes neardup/record.h of room record")

    def test_a_public_header_may_not_include_one_of_a_room_above(self):
        planted = self.rooms(("SOURCES lane.cc", "SOURCES lane.cc PUBLIC_HEADERS lane.h"))
        planted["include/neardup/lane.h"] = "#pragma once\n"
        planted["include/neardup/record.h"] = '#pragma once\n#include "neardup/lane.h"\n'
        self.assert_one(planted, "include/neardup/record.h:2:", "neardup/lane.h of room lane")

    def test_an_include_without_a_room_is_refused(self):
        self.assert_one({"src/library/base/hash.cc": '#include "base/hash.h"\n#include "hash.h"\n'}, "src/library/base/hash.cc:2:",
                        '"hash.h"')

    def test_the_outside_world_stays_out_of_the_inner_wings(self):
        for header in ("prometheus/counter.h", "httplib.h", "yaml-cpp/yaml.h", "spdlog/spdlog.h"):
            self.assert_one({"src/lane/lane/lane.cc": f"\n#include <{header}>\n"},
                            "src/lane/lane/lane.cc:2:", header)

    def test_librdkafka_in_lane_is_refused_twice_over(self):
        found = self.breaches({"src/lane/lane/lane.cc": "#include <librdkafka/rdkafka.h>\n"})
        self.assertEqual(len(found), 2, found)

    def test_librdkafka_stays_in_kafka(self):
        self.assert_one({**self.rooms(("add_exec", "neardup_room(files SOURCES run.cc)\nadd_exec")),
                         "src/README.md": CLEAN["src/README.md"] + "| `ports/files` | a |\n",
                         "src/ports/files/run.cc": "#include <librdkafka/rdkafka.h>\n"},
                        "src/ports/files/run.cc:1:", "in kafka only")

    def test_librdkafka_stays_out_of_other_tests(self):
        self.assert_one({"tests/lane/lane/CMakeLists.txt": "neardup_test(t SOURCES lane_test.cc)",
                         "tests/lane/lane/lane_test.cc": "#include <librdkafka/rdkafka.h>\n"},
                        "tests/lane/lane/lane_test.cc:1:", "kafka only")

    def test_simdjson_stays_in_record(self):
        self.assert_one({"src/library/base/hash.cc": '#include "base/hash.h"\n#include <simdjson.h>\n'},
                        "src/library/base/hash.cc:2:", "record only")

    def test_a_header_that_names_a_type_without_its_header_is_refused(self):
        self.assert_one({"src/library/base/hash.h": "#pragma once\nstd::string Hash();\n"},
                        "src/library/base/hash.h:2:", "std::string", "<string>")
        self.assertEqual(self.breaches({"src/library/base/hash.h": "#pragma once\n#include <string>\nstd::string_view Hash();\n"}),
                         [])

    def test_a_header_that_reaches_no_header_of_an_integer_is_refused(self):
        self.assert_one({"src/library/base/hash.h": "#pragma once\nuint64_t Hash();\n"},
                        "src/library/base/hash.h:2:", "uint64_t", "<cstdint>")
        self.assert_one({"src/library/base/hash.h": "#pragma once\nint Hash(size_t bytes);\n"},
                        "src/library/base/hash.h:2:", "size_t", "<cstddef>")
        self.assertEqual(self.breaches({"src/library/base/hash.h": "#pragma once\n#include \"base/word.h\"\nuint64_t Hash();\n",
                                        "src/library/base/word.h": "#pragma once\n#include <cstdint>\n"}), [])

    def test_a_source_that_includes_something_before_its_own_header_is_refused(self):
        self.assert_one({"src/library/base/hash.cc": '#include <string>\n#include "base/hash.h"\n'},
                        "src/library/base/hash.cc:1:", "string first", "base/hash.h")

    def test_a_header_without_a_guard_is_refused(self):
        self.assert_one({"src/library/base/hash.h": "int Hash();\n"}, "src/library/base/hash.h:1:", "#pragma once")

    def test_leftovers_are_refused(self):
        for word in ("TO" "DO", "FIX" "ME", "XX" "X", "DISABLED" "_Slow", "GTEST" "_SKIP"):
            self.assert_one({"src/library/base/hash.cc": f"\n// {word}: later\n"},
                            "src/library/base/hash.cc:2:", word)

    def test_paths_of_one_machine_are_refused(self):
        for folder in ("home", "root", "work"):
            self.assert_one({"README.md": f"a\nsee /{folder}/me/x\n"}, "README.md:2:", f"/{folder}")

    def test_a_source_nobody_builds_is_refused(self):
        self.assert_one({"src/library/base/rehash.cc": ""}, "src/library/base/rehash.cc:1:", "is not listed")
        self.assert_one(self.rooms(("SOURCES hash.cc", "SOURCES my_hash.cc")),
                        "src/library/base/hash.cc:1:", "is not listed")
        self.assert_one(self.rooms(("neardup kafka/main.cc", "neardup")),
                        "src/ports/kafka/main.cc:1:", "is not listed")
        self.assert_one({"tests/ports/kafka/CMakeLists.txt": None}, "tests/ports/kafka/reader_test.cc:1:",
                        "is not listed")

    def test_a_second_list_of_packages_is_refused(self):
        self.assert_one({"README.md": "\napt-get install -y ninja-build\n"}, "README.md:2:",
                        "ninja-build")
        self.assert_one({"Dockerfile": "RUN need libfoo-dev\n"}, "Dockerfile:1:", "libfoo-dev")
        self.assert_one({"scripts/packages.debian": None}, "scripts/packages.debian:1:", "missing")

    def test_binary_files_are_passed_over(self):
        self.assertEqual(self.breaches({"tests/library/base/golden.bin": b"\xff\x00 TO" b"DO"}), [])


if __name__ == "__main__":
    unittest.main()
