"""A history on a real Kafka: a service that was given it knows every record of it from its first record on, even if the
import was killed, and nothing else is taken for a history."""
import json
import pathlib
import re
import subprocess
import unittest

from harness import LOADER, NEARDUP, run
from lane_texts import CONFIG_ERROR, PARTITIONS, LaneTexts


class History(LaneTexts):
    def decide_history(self, config, part_records=700):
        folder = self.directory / f'{self.name}.history'
        self.load('decide', '--config', config, '--part-records', part_records, '--folder', folder)
        return folder

    def import_(self, folder, config, *more, code=0):
        return run(NEARDUP, 'import', '--history', folder, '--config', config, *more, code=code)

    def refused(self, text, folder, config, *more, code=CONFIG_ERROR):
        for execute in ((), ('--execute',)):
            self.assertIn(text, self.import_(folder, config, *more, *execute, code=code).stderr)

    def assert_each_later_record_has_its_verdict(self, history):
        """Copies of the history name their first record; each text that is new is unique once."""
        topic = self.topics[0]
        firsts = {f'{topic}/{partition}/{offset}' for (partition, _), offset in self.first.items()
                  if offset >= history[partition]}
        uniques = {header.split('origin=')[1].split(';')[0] for header in self.headers('unique')}
        self.assertEqual(uniques, firsts)
        texts = [[] for _ in range(PARTITIONS)]
        for partition, text in self.texts:
            texts[partition].append(text)
        headers = self.headers('duplicate')
        self.assertEqual(len(headers), sum(self.ends) - sum(history) - len(firsts))
        of_history = 0
        for header in headers:
            places = [re.search(rf'(?:^|;){field}=[^;]*/(\d+)/(\d+)(?:;|$)', header)
                      for field in ('origin', 'original')]
            (partition, offset), (first_partition, first) = (map(int, place.groups()) for place in places)
            self.assertEqual(partition, first_partition, header)
            self.assertEqual(texts[partition][offset], texts[partition][first], header)
            of_history += first < history[partition]
        return of_history

    def test_a_service_knows_its_history_from_the_first_record_on(self):
        self.create_topics(partitions=PARTITIONS)
        self.put(4000)
        for count in (1, 3):
            self.app = f'{self.app}-{count}'
            config = self.config(count, output={name: f'{{topic}}.{count}.{name}' for name in
                                                ('unique_topic', 'duplicate_topic', 'dead_letter_topic')})
            history = list(self.ends)
            folder = self.decide_history(config)
            shown = self.import_(folder, config).stdout
            done = self.import_(folder, config, '--execute').stdout
            self.assertEqual(done.rsplit('done:', 1)[0], shown.rsplit('nothing', 1)[0])
            for partition, end in enumerate(history):
                self.assertIn(f'{self.topics[0]}/{partition} goes on at offset {end}\n', done)
            self.put(2000)
            self.decide(config, count)
            self.kinds = {kind: f'{count}.{kind.replace("-", "_")}_topic' for kind in ('unique', 'duplicate')}
            self.assertGreater(self.assert_each_later_record_has_its_verdict(history), 500)
            report = self.assert_no_violation(config)
            lanes = report.get('lanes', [report])
            self.assertGreater(sum(lane['originals_of_history'] for lane in lanes), 500)
            self.refused('has begun already', folder, config)

    def headers(self, kind):
        return super().headers(getattr(self, 'kinds', {}).get(kind, kind))

    def test_an_import_that_is_killed_is_refused_by_the_service_and_can_be_repeated(self):
        self.create_topics(partitions=PARTITIONS)
        self.put(3000)
        history = list(self.ends)
        config = self.config(4)
        folder = self.decide_history(config)
        self.load('create', '--topic', f'{self.app}-changelog', '--partitions', 4, '--config', 'cleanup.policy=delete',
                  '--config', 'retention.bytes=-1')
        unfinished = 0
        for number in range(10):
            if not self.kill_command(number, 'import', '--history', folder, '--config', config, '--execute'):
                break
            if self.import_(folder, config, code=None).returncode == CONFIG_ERROR:  # killed after its last write
                break
            unfinished += self.start_shortly(config, 3, '`neardup import --history FOLDER --execute` was interrupted')
        self.assertGreater(unfinished, 0, 'no kill came between the first and the last write')
        done = self.import_(folder, config, '--execute', code=None)
        self.assertTrue(done.returncode == 0 or 'has begun already' in done.stderr, done.stderr)
        self.put(1500)
        self.decide(config, 4)
        self.assert_each_later_record_has_its_verdict(history)
        self.assert_no_violation(config)

    def test_a_lane_with_uncommitted_records_alone_does_not_begin_beside_an_unfinished_import(self):
        self.create_topics(partitions=PARTITIONS)
        self.put(3000)
        config = self.config(4)
        folder = self.decide_history(config)
        changelog = f'{self.app}-changelog'
        self.load('create', '--topic', changelog, '--partitions', 4, '--config', 'cleanup.policy=delete',
                  '--config', 'retention.bytes=-1')
        holder = subprocess.Popen([LOADER, '--brokers', self.brokers, 'hold-open', '--config', config, '--partition', '3'])
        try:
            self.wait(lambda: run('kcat', '-b', self.brokers, '-C', '-t', changelog, '-p', 3, '-e', '-q', '-X',
                                  'isolation.level=read_uncommitted').stdout, 'the record')
        finally:
            holder.kill()
            holder.wait()
        # The import ends with its first write, which is the write of lane 0.
        self.assertTrue(self.kill_command(0, 'import', '--history', folder, '--config', config, '--execute'))
        self.assertTrue(self.start_shortly(config, 3, '`neardup import --history FOLDER --execute` was interrupted'))

    def test_what_does_not_fit_is_refused_and_named(self):
        self.create_topics(partitions=PARTITIONS)
        self.put(1500)
        config = self.config(1)
        folder = self.decide_history(config)
        self.refused('the history has 1 lane(s), and lanes.count is 2', folder, self.config(2))
        other = self.config(1, record={'fields': ['title', 'body']})
        self.refused('record.fields: configured', folder, other)
        self.refused('match.mode is auto', folder, self.config(1, match={'mode': 'auto'}))
        config = self.config(1)
        self.refused('no such file; expected the work_dir of a finished run', folder / 'decided', config, code=66)

        # The history was cut by time, so that it lacks a record before its end.
        done = folder / 'decided' / 'done.json'
        whole = done.read_text()
        markers = json.loads(whole)
        for part in markers['parts']:
            for place in part['positions']['held']:
                if place[1] == 3:
                    place[2] = [[begin, end] for first, last in place[2] for begin, end in ((first, min(last, 5)), (max(first, 6), last))
                                if begin < end]
        done.write_text(json.dumps(markers))
        self.refused(f'the history of {self.topics[0]}/3 goes to offset {self.ends[3] - 1}, and lacks the record at offset 5',
                     folder, config)
        self.assertRegex(self.import_(folder, config, '--accept-gap').stdout,
                         rf'/3 goes on at offset {self.ends[3]}; 1 offsets before it are lost')
        done.write_text(whole)

        # The topic no longer holds what comes after the history, and has a partition without any.
        self.put(200)
        begin = self.ends[2]
        self.load('delete', '--topic', self.topics[0], '--partition', 2, '--before', begin)
        self.refused('would be lost; take a newer history', folder, config)
        shown = self.import_(folder, config, '--accept-gap').stdout
        self.assertRegex(shown, rf'/2 goes on at offset {begin}; \d+ offsets before it are lost')
        self.load('grow', '--topic', self.topics[0], '--partitions', PARTITIONS + 1)
        self.refused(f'holds no record of {self.topics[0]}/{PARTITIONS}', folder, config, '--accept-gap')
        shown = self.import_(folder, config, '--accept-gap', '--start', 'latest').stdout
        self.assertIn(f'/{PARTITIONS} goes on at offset 0, without history', shown)

        segment = sorted(pathlib.Path(folder).glob('decided/lane-0/*.segment'))[-1]
        damaged = bytearray(segment.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        segment.write_bytes(damaged)
        self.refused(f'{segment}: expected checksum', folder, config, '--accept-gap', '--start', 'latest', code=74)
        run_json = folder / 'run.json'
        run_json.write_text(run_json.read_text().replace('"ordered"', '"join"'))
        self.refused('expected the plan ordered', folder, config)
        run_json.write_text(run_json.read_text().replace('"neardup_spark":3', '"neardup_spark":4'))
        self.refused('expected format version 3, found 4', folder, config)


if __name__ == '__main__':
    unittest.main(verbosity=2)
