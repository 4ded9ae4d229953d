"""Checks that the JSON Schema and the validator take the same documents.

Usage: schema_test.py CONFIG_PROBE CONFIG_FOLDER
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import yaml

PROBE = ""
CONFIG_FOLDER = pathlib.Path()

GOOD = [
    "app: a",
    "app: a.b-c_9",
    "app: ''",
    "window:",
    "input: {topics: [a, b.c, d_e]}",
    "input: {start: latest, idle_ms: 0}",
    "output: {unique_topic: u, replication_factor: -1}",
    "output: {replication_factor: 3, headers: full, create_topics: false}",
    "output: {unique_topic: '{topic}-u', duplicate_topic: 'd.{topic}'}",
    "record: {fields: [title, /a/b, {path: c, weight: 2}, {path: d, weight: 0.1}, {path: e}]}",
    "record: {fields: [a, {path: b, key: true}, {path: c, key: false}]}",
    "feature: {masks: [time, uuid, ip, hex, number]}",
    "feature: {masks: []}",
    "record: {fields: [a~b, /c~0b, /a~1b, '/'], exclude: [c]}",
    "record: {time_field: '', time_format: seconds}",
    "record: {time_field: /meta/time, null_value: unique, missing_fields: any}",
    "record: {record_bytes_max: 1024, depth_max: 1024}",
    "record: {record_bytes_max: 9MiB}",
    "match: {distance_max: 0}",
    "match: {distance_max: 12}",
    "match: {distance_sum_max: 128, features_per_bit: 0, widen: true}",
    "match: {text_keys: false, neighbours: true, features_per_bit: 100, numbers: false}",
    "feature: {model: ''}",
    "window: {window_ms: 1000, lateness_ms: 0, ahead_max_ms: 10m, entries_max: 1000}",
    "window: {window_ms: 24h}",
    "window: {window_ms: '7d'}",
    "window: {window_ms: '${WINDOW:-24h}'}",
    "transaction: {interval_ms: 10, bytes_max: 64KiB, timeout_ms: 900000}",
    "lease: {session_timeout_ms: 6000, heartbeat_interval_ms: 2000}",
    "retry: {backoff_min_ms: 1, backoff_max_ms: 1}",
    "threads: {fingerprint: 0}",
    "kafka: {brokers: 'a:1,b:2'}",
    "kafka: {brokers: '${BROKERS:-a:1}'}",
    "kafka: {properties: {}}",
    "kafka: {properties: {client.id: a, linger.ms: 5, x: true, y: 0.5}}",
    "kafka: {producer_properties: {max.in.flight: 5}}",
    "kafka: {producer_properties: {max.in.flight.requests.per.connection: '1'}}",
    "kafka: {inflight_bytes_max: 1GiB, inflight_records_max: 1}",
    "record: {format: text}",
    "registry: {url: 'http://localhost:8081/apis/ccompat/v7'}",
    "metrics: {host: '::', port: 0}",
    "metrics: {port: 65535}",
    "log: {level: debug, format: json}",
    "state: {dir: ''}",
]

BAD = [
    "[]",
    "a",
    "{}",
    "app: A",
    "app: -a",
    "app: 7",
    "app:",
    "app: [a]",
    "ap: a",
    "window: []",
    "window: 24h",
    "window: {widow_ms: 1000}",
    "input: {topics: a}",
    "input: {topics:}",
    "input: {topics: [a, a]}",
    "input: {topics: ['']}",
    "input: {topics: ['a b']}",
    "input: {topics: [.]}",
    "input: {topics: [7]}",
    "input: {topics: [true]}",
    "input: {start: first}",
    "input: {start: 5}",
    "input: {idle_ms: -1}",
    "output: {unique_topic: 'a/b'}",
    "output: {unique_topic: '{name}'}",
    "output: {unique_topic: ''}",
    "output: {replication_factor: 0}",
    "output: {replication_factor: -2}",
    "output: {create_topics: 'true'}",
    "output: {create_topics: 1}",
    "record: {fields: [a, a]}",
    "record: {fields: ['']}",
    "record: {fields: [/a~2]}",
    "record: {fields: [{weight: 2}]}",
    "record: {fields: [{path: a, weight: 0}]}",
    "record: {fields: [{path: a, weight: 101}]}",
    "record: {fields: [{path: a, weight: '2'}]}",
    "record: {fields: [{path: a, factor: 2}]}",
    "record: {fields: [a, {path: b, key: 1}]}",
    "record: {fields: [a, {path: b, key: 'true'}]}",
    "record: {fields: [a, {path: b, key: true, weight: 2}]}",
    "feature: {masks: [time, colour]}",
    "feature: {masks: [time, time]}",
    "feature: {masks: time}",
    "record: {fields: {a: 2}}",
    "record: {exclude: [[a]]}",
    "record: {depth_max: 0}",
    "record: {record_bytes_max: 1023}",
    "record: {record_bytes_max: 1K}",
    "match: {distance_max: 13}",
    "match: {distance_sum_max: 129}",
    "match: {features_per_bit: -1}",
    "match: {widen: 1}",
    "match: {numbers: 2}",
    "match: {distance_max: 1.5}",
    "match: {distance_max: '3'}",
    "match: {distance_max: 3s}",
    "window: {window_ms: 999}",
    "window: {window_ms: '1000'}",
    "window: {window_ms: 1.5h}",
    "window: {window_ms: 1 h}",
    "window: {entries_max: 999}",
    "transaction: {interval_ms: 9}",
    "transaction: {interval_ms: 60001}",
    "lease: {session_timeout_ms: 5999}",
    "kafka: {brokers: ''}",
    "kafka: {brokers: 'a, b'}",
    "kafka: {properties: []}",
    "kafka: {properties: {a: [b]}}",
    "kafka: {properties: {a: }}",
    "kafka: {properties: {acks: all}}",
    "kafka: {consumer_properties: {group.id: a}}",
    "kafka: {producer_properties: {transactional.id: a}}",
    "kafka: {producer_properties: {max.in.flight: 6}}",
    "kafka: {producer_properties: {max.in.flight: '10'}}",
    "record: {format: xml}",
    "registry: {url: 'localhost:8081'}",
    "registry: {url: 'http://me:secret@localhost:8081'}",
    "metrics: {port: 65536}",
    "metrics: {host: ''}",
    "log: {level: loud}",
    "state: {dir: 7}",
]


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(cls.run_probe("schema"))
        jsonschema.Draft7Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft7Validator(cls.schema)

    @staticmethod
    def run_probe(*arguments):
        return subprocess.run(
            [PROBE, *arguments], check=True, capture_output=True, encoding="utf-8"
        ).stdout

    def schema_complaint(self, text):
        error = next(iter(self.validator.iter_errors(yaml.safe_load(text))), None)
        return None if error is None else error.message

    def validator_complaints(self, texts):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, text in enumerate(texts):
                file = pathlib.Path(folder) / f"{number}.yaml"
                file.write_text(text + "\n", encoding="utf-8")
                files.append(str(file))
            answers = self.run_probe("check", *files).splitlines()
        self.assertEqual(len(answers), len(texts))
        return [None if answer == "ok" else answer for answer in answers]

    def test_good_documents_are_taken_by_both(self):
        for text, complaint in zip(GOOD, self.validator_complaints(GOOD)):
            with self.subTest(text):
                self.assertIsNone(self.schema_complaint(text))
                self.assertIsNone(complaint)

    def test_bad_documents_are_refused_by_both(self):
        for text, complaint in zip(BAD, self.validator_complaints(BAD)):
            with self.subTest(text):
                self.assertIsNotNone(self.schema_complaint(text))
                self.assertIsNotNone(complaint)

    def test_the_examples_are_valid(self):
        files = [CONFIG_FOLDER / "neardup.yaml", *sorted((CONFIG_FOLDER / "examples").glob("*.yaml"))]
        self.assertEqual(len(files), 5)
        for file in files:
            with self.subTest(file.name):
                self.assertIsNone(self.schema_complaint(file.read_text(encoding="utf-8")))

    def test_the_schema_knows_every_setting_of_the_example_and_its_default(self):
        example = yaml.safe_load(self.run_probe("example"))
        units = {"ms": 1, "s": 1000, "m": 60000, "h": 3600000, "KiB": 1 << 10, "MiB": 1 << 20}

        def in_base_unit(value):
            text = str(value)
            digits = text.rstrip("msdhKMGiB")
            return int(digits) * units[text[len(digits):]] if digits != text else value

        def compare(properties, values):
            self.assertEqual(set(properties), set(values))
            for key, value in values.items():
                if "properties" in properties[key] and "default" not in properties[key]:
                    compare(properties[key]["properties"], value)
                    continue
                default = properties[key]["default"]
                expected = in_base_unit(value) if isinstance(default, int) else value
                self.assertEqual(default, expected, key)
                self.assertTrue(properties[key]["description"], key)

        compare(self.schema["properties"], example)


if __name__ == "__main__":
    PROBE, CONFIG_FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
