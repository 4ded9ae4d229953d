"""The program of docs/lanes.md that gives records another key, on a real Kafka, through a kill and a restart."""
import collections
import json
import re
import signal
import unittest

import kafka_streams
from harness import ROOT, KafkaTest, run

RECORDS = 6000
PARTITIONS = 4


class Rekey(KafkaTest):
    def kcat(self, *arguments, **options):
        return run('kcat', '-b', self.brokers, *arguments, **options).stdout

    def rows(self, topic):
        """[(partition, key, value)] of all committed records."""
        text = self.kcat('-C', '-t', topic, '-e', '-q', '-X', 'isolation.level=read_committed', '-f', '%p\t%k\t%s\n')
        return [tuple(line.split('\t', 2)) for line in text.splitlines()]

    def start_program(self):
        with open(self.directory / 'streams.log', 'ab') as log:
            return kafka_streams.start(self.directory / 'classes', 'ByKey', self.brokers, self.topics[0], self.by_site,
                                       log=log, options=[f'-Djava.io.tmpdir={self.directory}'])

    def test_each_record_gets_its_key_exactly_once_through_a_kill(self):
        page = (ROOT / 'docs/lanes.md').read_text()
        source = self.directory / 'ByKey.java'
        source.write_text(re.search(r'```java ByKey\.java\n(.*?)```', page, re.S)[1])
        kafka_streams.compile_into(self.directory / 'classes', source)
        self.by_site = f'{self.topics[0]}-by-site'
        for topic in (self.topics[0], self.by_site):
            self.load('create', '--topic', topic, '--partitions', str(PARTITIONS))
        lines = run(ROOT / 'scripts/synthetic-articles', RECORDS).stdout.splitlines()
        third = RECORDS // 3
        self.kcat('-P', '-t', self.topics[0], input='\n'.join(lines[:third]))
        program = self.start_program()
        try:
            for begin, sent in ((third, signal.SIGKILL), (2 * third, signal.SIGTERM)):
                before = len(self.rows(self.by_site))
                self.wait(lambda: len(self.rows(self.by_site)) > before, 'records with a key')
                program.send_signal(sent)
                program.wait()
                self.kcat('-P', '-t', self.topics[0], input='\n'.join(lines[begin:begin + third]))
                program = self.start_program()
            self.wait(lambda: len(self.rows(self.by_site)) >= RECORDS, 'all records with a key')
        finally:
            program.terminate()
            program.wait()
        rows = self.rows(self.by_site)
        self.assertEqual(collections.Counter(value for _, _, value in rows), collections.Counter(lines))
        places = collections.defaultdict(set)
        for partition, key, value in rows:
            self.assertEqual(key, json.loads(value)['site'])
            places[key].add(partition)
        self.assertGreater(len(places), 2)
        self.assertEqual([key for key, partitions in places.items() if len(partitions) != 1], [])


if __name__ == '__main__':
    unittest.main()
