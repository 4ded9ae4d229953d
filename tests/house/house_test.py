"""Each rule of house.py finds a planted breach, and accepts a clean tree."""

import pathlib
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
    "src/CMakeLists.txt": ("neardup_room(base\n  SOURCES hash.cc)\n"
                           "neardup_room(record SOURCES fields.cc PUBLIC_HEADERS record.h\n"
                           "  ROOMS base LIBS x)\n"
                           "neardup_room(stream SOURCES lane.cc ROOMS record)\n"
                           "neardup_room(kafka SOURCES reader.cc ROOMS stream)\n"
                           "add_executable(neardup kafka/main.cc)\n"),
    "src/base/hash.h": "#pragma once\nint Hash();\n",
    "src/base/hash.cc": '#include "base/hash.h"\nint Hash() { return 1; }\n',
    "src/record/fields.cc": '#include <simdjson.h>\n#include "base/hash.h"\n',
    "src/stream/lane.cc": '#include "base/hash.h"\n#include "neardup/record.h"\n',
    "src/kafka/reader.cc": "#include <librdkafka/rdkafka.h>\n",
    "src/kafka/main.cc": "",
    "tests/kafka/CMakeLists.txt": "neardup_test(kafka_test SOURCES reader_test.cc ROOMS kafka)\n",
    "tests/kafka/reader_test.cc": "#include <librdkafka/rdkafka_mock.h>\n",
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
        """CLEAN's list of rooms with each (old, new) of `changes` replaced."""
        text = CLEAN["src/CMakeLists.txt"]
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        return {"src/CMakeLists.txt": text}

    def test_a_room_may_not_name_a_room_behind_it(self):
        self.assert_one(self.rooms(("SOURCES hash.cc", "SOURCES hash.cc ROOMS kafka")),
                        "src/CMakeLists.txt:1:", "base names kafka")

    def test_an_include_upwards_is_named_with_file_and_line(self):
        self.assert_one({"src/record/fields.cc": '\n#include "stream/lane.h"\n'},
                        "src/record/fields.cc:2:", "record includes stream/lane.h")

    def test_an_include_of_an_undeclared_room_before_it_is_refused(self):
        self.assert_one({**self.rooms(("reader.cc ROOMS stream", "reader.cc")),
                         "src/kafka/reader.cc": '#include "base/hash.h"\n'},
                        "src/kafka/reader.cc:1:", "kafka includes base/hash.h")

    def test_rooms_reach_through_rooms(self):
        self.assertEqual(self.breaches({"src/kafka/reader.cc": '#include "base/hash.h"\n'}), [])

    def test_a_public_header_may_not_include_a_room(self):
        self.assert_one({"include/neardup/record.h": '#pragma once\n#include "base/hash.h"\n'},
                        "include/neardup/record.h:2:", "only public headers")

    def test_a_public_header_belongs_to_one_room(self):
        self.assert_one({"include/neardup/filter.h": "#pragma once\n"},
                        "include/neardup/filter.h:1:", "0 rooms")

    def test_a_public_header_of_a_room_above_may_not_be_included(self):
        self.assert_one({"src/base/hash.cc": '#include "base/hash.h"\n#include "neardup/record.h"\n'},
                        "src/base/hash.cc:2:", "base includes neardup/record.h of room record")

    def test_a_public_header_may_not_include_one_of_a_room_above(self):
        planted = self.rooms(("SOURCES lane.cc", "SOURCES lane.cc PUBLIC_HEADERS lane.h"))
        planted["include/neardup/lane.h"] = "#pragma once\n"
        planted["include/neardup/record.h"] = '#pragma once\n#include "neardup/lane.h"\n'
        self.assert_one(planted, "include/neardup/record.h:2:", "neardup/lane.h of room stream")

    def test_an_include_without_a_room_is_refused(self):
        self.assert_one({"src/base/hash.cc": '#include "base/hash.h"\n#include "hash.h"\n'}, "src/base/hash.cc:2:",
                        '"hash.h"')

    def test_the_outside_world_stays_out_of_stream(self):
        for header in ("prometheus/counter.h", "httplib.h", "yaml-cpp/yaml.h", "spdlog/spdlog.h"):
            self.assert_one({"src/stream/lane.cc": f"\n#include <{header}>\n"},
                            "src/stream/lane.cc:2:", header)

    def test_librdkafka_in_stream_is_refused_twice_over(self):
        found = self.breaches({"src/stream/lane.cc": "#include <librdkafka/rdkafka.h>\n"})
        self.assertEqual(len(found), 2, found)

    def test_librdkafka_stays_in_kafka(self):
        self.assert_one({**self.rooms(("add_exec", "neardup_room(app SOURCES run.cc)\nadd_exec")),
                         "src/app/run.cc": "#include <librdkafka/rdkafka.h>\n"},
                        "src/app/run.cc:1:", "in kafka only")

    def test_librdkafka_stays_out_of_other_tests(self):
        self.assert_one({"tests/stream/CMakeLists.txt": "neardup_test(t SOURCES lane_test.cc)",
                         "tests/stream/lane_test.cc": "#include <librdkafka/rdkafka.h>\n"},
                        "tests/stream/lane_test.cc:1:", "kafka only")

    def test_simdjson_stays_in_record(self):
        self.assert_one({"src/base/hash.cc": '#include "base/hash.h"\n#include <simdjson.h>\n'},
                        "src/base/hash.cc:2:", "record only")

    def test_a_header_that_names_a_type_without_its_header_is_refused(self):
        self.assert_one({"src/base/hash.h": "#pragma once\nstd::string Hash();\n"},
                        "src/base/hash.h:2:", "std::string", "<string>")
        self.assertEqual(self.breaches({"src/base/hash.h": "#pragma once\n#include <string>\nstd::string_view Hash();\n"}),
                         [])

    def test_a_header_that_reaches_no_header_of_an_integer_is_refused(self):
        self.assert_one({"src/base/hash.h": "#pragma once\nuint64_t Hash();\n"},
                        "src/base/hash.h:2:", "uint64_t", "<cstdint>")
        self.assert_one({"src/base/hash.h": "#pragma once\nint Hash(size_t bytes);\n"},
                        "src/base/hash.h:2:", "size_t", "<cstddef>")
        self.assertEqual(self.breaches({"src/base/hash.h": "#pragma once\n#include \"base/word.h\"\nuint64_t Hash();\n",
                                        "src/base/word.h": "#pragma once\n#include <cstdint>\n"}), [])

    def test_a_source_that_includes_something_before_its_own_header_is_refused(self):
        self.assert_one({"src/base/hash.cc": '#include <string>\n#include "base/hash.h"\n'},
                        "src/base/hash.cc:1:", "string first", "base/hash.h")

    def test_a_header_without_a_guard_is_refused(self):
        self.assert_one({"src/base/hash.h": "int Hash();\n"}, "src/base/hash.h:1:", "#pragma once")

    def test_leftovers_are_refused(self):
        for word in ("TO" "DO", "FIX" "ME", "XX" "X", "DISABLED" "_Slow", "GTEST" "_SKIP"):
            self.assert_one({"src/base/hash.cc": f"\n// {word}: later\n"},
                            "src/base/hash.cc:2:", word)

    def test_paths_of_one_machine_are_refused(self):
        for folder in ("home", "root", "work"):
            self.assert_one({"README.md": f"a\nsee /{folder}/me/x\n"}, "README.md:2:", f"/{folder}")

    def test_a_source_nobody_builds_is_refused(self):
        self.assert_one({"src/base/rehash.cc": ""}, "src/base/rehash.cc:1:", "is not listed")
        self.assert_one(self.rooms(("SOURCES hash.cc", "SOURCES my_hash.cc")),
                        "src/base/hash.cc:1:", "is not listed")
        self.assert_one(self.rooms(("neardup kafka/main.cc", "neardup")),
                        "src/kafka/main.cc:1:", "is not listed")
        self.assert_one({"tests/kafka/CMakeLists.txt": None}, "tests/kafka/reader_test.cc:1:",
                        "is not listed")

    def test_a_second_list_of_packages_is_refused(self):
        self.assert_one({"README.md": "\napt-get install -y ninja-build\n"}, "README.md:2:",
                        "ninja-build")
        self.assert_one({"Dockerfile": "RUN need libfoo-dev\n"}, "Dockerfile:1:", "libfoo-dev")
        self.assert_one({"scripts/packages.debian": None}, "scripts/packages.debian:1:", "missing")

    def test_binary_files_are_passed_over(self):
        self.assertEqual(self.breaches({"tests/base/golden.bin": b"\xff\x00 TO" b"DO"}), [])


if __name__ == "__main__":
    unittest.main()
