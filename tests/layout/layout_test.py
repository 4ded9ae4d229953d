"""Each rule of layout.py finds a planted breach, and accepts a clean tree."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import layout  # noqa: E402

CLEAN = {
    ".gitignore": "/build/\n",
    "scripts/packages.debian": "# group package why\nbuild libfoo-dev a library\n",
    "scripts/install": "apt-get install -y \"${missing[@]}\"\n",
    "README.md": "Read https://example.org/home/page and run scripts/test. mktemp /tmp/a.XXXXXX\n",
    "include/neardup/record.h": "#pragma once\nstruct Record {};\n",
    "src/README.md": ("| place | what |\n| `detect` | a |\n| `detect/base` | a |\n| `detect/record` | a |\n"
                      "| `stream/lane` | a |\n| `kafka` | a |\n| `commands` | a |\n"),
    "src/CMakeLists.txt": ("neardup_module(detect/base\n  LIBS y)\n"
                           "neardup_module(detect/record PUBLIC_HEADERS record.h\n  MODULES base LIBS x)\n"
                           "neardup_module(stream/lane MODULES record)\n"
                           "neardup_module(kafka MODULES lane)\n"
                           "neardup_module(commands FOLDERS tune MODULES kafka)\n"),
    "src/main.cc": "",
    "src/detect/base/hash.h": "#pragma once\nint Hash();\n",
    "src/detect/base/hash.cc": '#include "detect/base/hash.h"\nint Hash() { return 1; }\n',
    "src/detect/record/fields.cc": '#include <simdjson.h>\n#include "detect/base/hash.h"\n',
    "src/stream/lane/lane.cc": '#include "detect/base/hash.h"\n#include "neardup/record.h"\n',
    "src/kafka/reader.cc": "#include <librdkafka/rdkafka.h>\n",
    "src/commands/tune/tune_command.cc": '#include "detect/base/hash.h"\n',
    "tests/kafka/CMakeLists.txt": "neardup_test(kafka_test FOLDERS . MODULES kafka)\nfile(GLOB real_*_test.cc)\n",
    "tests/kafka/reader_test.cc": "#include <librdkafka/rdkafka_mock.h>\n",
    "tests/kafka/real_reader_test.cc": "",
    "tests/stream/CMakeLists.txt": "neardup_test(stream_test FOLDERS lane\n SOURCES lane/world.cc)\n",
    "tests/stream/lane/world.cc": "",
    "tests/stream/lane/lane_test.cc": "",
    "build/util.cc": "ignored\n",
}


class LayoutRules(unittest.TestCase):
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
            tree = layout.Tree(root)
            return [breach for rule in layout.RULES for breach in rule(tree)]

    def assert_one(self, planted, start, *words):
        found = self.breaches(planted)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(start), found[0])
        for word in words:
            self.assertIn(word, found[0])

    def test_a_clean_tree_has_no_breach(self):
        self.assertEqual(self.breaches({}), [])

    def modules(self, old, new):
        text = CLEAN["src/CMakeLists.txt"]
        self.assertIn(old, text)
        return {"src/CMakeLists.txt": text.replace(old, new)}

    def test_a_module_may_not_name_a_module_after_it(self):
        self.assert_one(self.modules("LIBS y", "MODULES record"), "src/CMakeLists.txt:1:", "base names record")

    def test_two_modules_have_two_names(self):
        planted = self.modules("neardup_module(kafka", "neardup_module(stream/record)\nneardup_module(kafka")
        self.assertIn("src/CMakeLists.txt:6: there are two modules record", self.breaches(planted)[0])

    def test_a_folder_that_is_in_no_module_is_refused(self):
        for folder in ("detect", "outer/new", "commands/report"):
            self.assert_one({f"src/{folder}/hash.h": "#pragma once\n"}, f"src/{folder}/hash.h:1:", "is not a folder")

    def test_the_tests_of_a_module_stand_where_the_module_stands(self):
        self.assert_one({"tests/stream/kafka/world.h": "#pragma once\n"}, "tests/stream/kafka/world.h:1:",
                        "is not a folder")
        self.assertEqual(self.breaches({"tests/e2e/world.h": "#pragma once\n"}), [])

    def test_every_module_has_a_row_in_the_table(self):
        table = CLEAN["src/README.md"]
        self.assert_one({"src/README.md": table.replace("| `stream/lane` | a |\n", "")}, "src/README.md:1:", "`stream/lane`")
        self.assert_one({"src/README.md": table + "| `stream/files` | a |\n"}, "src/README.md:1:", "`stream/files`")

    def test_an_include_upwards_is_named_with_file_and_line(self):
        for name in ("fields.cc", "fields.inc"):
            self.assert_one({f"src/detect/record/{name}": '\n#include "stream/lane/lane.h"\n'},
                            f"src/detect/record/{name}:2:", "record includes stream/lane/lane.h")

    def test_an_include_of_a_module_that_is_not_declared_is_refused(self):
        self.assert_one({**self.modules("kafka MODULES lane", "kafka"), "src/commands/tune/tune_command.cc": "",
                         "src/kafka/reader.cc": '#include "detect/base/hash.h"\n'},
                        "src/kafka/reader.cc:1:", "kafka includes detect/base/hash.h")

    def test_modules_reach_through_modules(self):
        self.assertEqual(self.breaches({"src/kafka/reader.cc": '#include "detect/base/hash.h"\n'}), [])

    def test_a_public_header_may_not_include_a_private_one(self):
        self.assert_one({"include/neardup/record.h": '#pragma once\n#include "detect/base/hash.h"\n'},
                        "include/neardup/record.h:2:", "only public headers")

    def test_a_public_header_belongs_to_one_module(self):
        self.assert_one({"include/neardup/filter.h": "#pragma once\n"},
                        "include/neardup/filter.h:1:", "0 modules")

    def test_a_public_header_of_a_module_above_may_not_be_included(self):
        self.assert_one({"src/detect/base/hash.cc": '#include "detect/base/hash.h"\n#include "neardup/record.h"\n'},
                        "src/detect/base/hash.cc:2:", "base includes neardup/record.h of module record")

    def test_a_public_header_may_not_include_one_of_a_module_above(self):
        planted = self.modules("stream/lane", "stream/lane PUBLIC_HEADERS lane.h")
        planted["include/neardup/lane.h"] = "#pragma once\n"
        planted["include/neardup/record.h"] = '#pragma once\n#include "neardup/lane.h"\n'
        self.assert_one(planted, "include/neardup/record.h:2:", "neardup/lane.h of module lane")

    def test_an_include_without_a_folder_is_refused(self):
        self.assert_one({"src/detect/base/hash.cc": '#include "detect/base/hash.h"\n#include "hash.h"\n'}, "src/detect/base/hash.cc:2:",
                        '"hash.h"')

    def test_the_outside_world_stays_out_of_the_inner_layers(self):
        for header in ("prometheus/counter.h", "httplib.h", "yaml-cpp/yaml.h", "spdlog/spdlog.h"):
            self.assert_one({"src/stream/lane/lane.cc": f"\n#include <{header}>\n"},
                            "src/stream/lane/lane.cc:2:", header)

    def test_librdkafka_in_lane_is_refused_twice_over(self):
        found = self.breaches({"src/stream/lane/lane.cc": "#include <librdkafka/rdkafka.h>\n"})
        self.assertEqual(len(found), 2, found)

    def test_librdkafka_stays_in_kafka(self):
        self.assert_one({"src/commands/tune/tune_command.cc": "#include <librdkafka/rdkafka.h>\n"},
                        "src/commands/tune/tune_command.cc:1:", "in src/kafka only")

    def test_librdkafka_stays_out_of_other_tests(self):
        self.assert_one({"tests/stream/lane/lane_test.cc": "#include <librdkafka/rdkafka.h>\n"},
                        "tests/stream/lane/lane_test.cc:1:", "kafka only")

    def test_simdjson_stays_in_record(self):
        self.assert_one({"src/detect/base/hash.cc": '#include "detect/base/hash.h"\n#include <simdjson.h>\n'},
                        "src/detect/base/hash.cc:2:", "record only")

    def test_a_header_that_names_a_type_without_its_header_is_refused(self):
        self.assert_one({"src/detect/base/hash.h": "#pragma once\nstd::string Hash();\n"},
                        "src/detect/base/hash.h:2:", "std::string", "<string>")
        self.assertEqual(self.breaches({"src/detect/base/hash.h": "#pragma once\n#include <string>\nstd::string_view Hash();\n"}),
                         [])

    def test_a_header_that_reaches_no_header_of_an_integer_is_refused(self):
        self.assert_one({"src/detect/base/hash.h": "#pragma once\nuint64_t Hash();\n"},
                        "src/detect/base/hash.h:2:", "uint64_t", "<cstdint>")
        self.assert_one({"src/detect/base/hash.h": "#pragma once\nint Hash(size_t bytes);\n"},
                        "src/detect/base/hash.h:2:", "size_t", "<cstddef>")
        self.assertEqual(self.breaches({"src/detect/base/hash.h": "#pragma once\n#include \"detect/base/word.h\"\nuint64_t Hash();\n",
                                        "src/detect/base/word.h": "#pragma once\n#include <cstdint>\n"}), [])

    def test_a_source_that_includes_something_before_its_own_header_is_refused(self):
        self.assert_one({"src/detect/base/hash.cc": '#include <string>\n#include "detect/base/hash.h"\n'},
                        "src/detect/base/hash.cc:1:", "string first", "detect/base/hash.h")

    def test_a_header_without_a_guard_is_refused(self):
        self.assert_one({"src/detect/base/hash.h": "int Hash();\n"}, "src/detect/base/hash.h:1:", "#pragma once")

    def test_leftovers_are_refused(self):
        for word in ("TO" "DO", "FIX" "ME", "XX" "X", "DISABLED" "_Slow", "GTEST" "_SKIP"):
            self.assert_one({"src/detect/base/hash.cc": f"\n// {word}: later\n"},
                            "src/detect/base/hash.cc:2:", word)

    def test_a_phrase_that_must_be_read_twice_is_refused(self):
        for phrase in ("as those of others", "as that of the lane", "what is at hand", "one in place of two"):
            self.assert_one({"README.md": f"a\nb {phrase}\n"}, "README.md:2:", "repeat the noun")

    def test_paths_of_one_machine_are_refused(self):
        for folder in ("home", "root", "work"):
            self.assert_one({"README.md": f"a\nsee /{folder}/me/x\n"}, "README.md:2:", f"/{folder}")

    def test_a_test_that_nobody_builds_is_refused(self):
        for path in ("tests/stream/lane/fiber.cc", "tests/stream/lane/real_lane_test.cc", "tests/e2e/load.cc"):
            self.assert_one({path: ""}, f"{path}:1:", "is not listed")
        self.assert_one({"tests/stream/CMakeLists.txt": "neardup_test(t SOURCES lane/world.cc)"},
                        "tests/stream/lane/lane_test.cc:1:", "is not listed")

    def test_a_second_list_of_packages_is_refused(self):
        self.assert_one({"README.md": "\napt-get install -y ninja-build\n"}, "README.md:2:",
                        "ninja-build")
        self.assert_one({"Dockerfile": "RUN need libfoo-dev\n"}, "Dockerfile:1:", "libfoo-dev")
        self.assert_one({"scripts/packages.debian": None}, "scripts/packages.debian:1:", "missing")

    def test_binary_files_are_passed_over(self):
        self.assertEqual(self.breaches({"tests/detect/base/golden.bin": b"\xff\x00 TO" b"DO"}), [])


if __name__ == "__main__":
    unittest.main()
