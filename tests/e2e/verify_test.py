"""`neardup verify` beside a running service: while it writes, over a range, and within a bound of
memory."""
import datetime
import json
import re
import unittest

from harness import KafkaTest, NEARDUP, run

RECORDS = 4_000


def moment(milliseconds):
    time = datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.timezone.utc)
    return time.isoformat(timespec='milliseconds')


class Verify(KafkaTest):
    def verified(self, config, *options):
        done = run(NEARDUP, 'verify', '--config', config, '--json', *options)
        self.assertEqual(done.stderr, '', 'no progress with --json')
        return json.loads(done.stdout)

    def test_a_running_service_is_verified_without_a_stop(self):
        self.fill(records=RECORDS, seed=7)
        config = self.write_config(transaction={'interval_ms': 20, 'batch_records_max': 200})
        service = self.start(config)
        self.wait(lambda: service.decided() > 0, 'first output', services=[service])
        feed = self.feed(1000, seed=77)
        inputs = 0
        audits = []
        while len(audits) < 5:
            report = self.verified(config)
            self.assertGreaterEqual(report['inputs'], inputs)
            inputs = report['inputs']
            audits.append((inputs, report['pending']))
        self.wait(lambda: service.decided() >= 2 * RECORDS, 'as many records again', services=[service])
        records = self.finish(feed)
        print(f'\nbeside the running service: {audits} (checked, pending)')
        self.wait_drained(service)
        whole = self.verified(config)
        self.assertEqual(whole['inputs'], records)
        self.assertEqual(whole['pending'], 0)
        self.assertFalse(whole['partial'])

        with self.subTest('two ranges of time share the records'):
            lines = run(NEARDUP.parent / 'e2e_load', '--brokers', self.brokers, 'dump', '--topic',
                        self.topics[0]).stdout.splitlines()
            times = sorted(int(line.split('\t')[1]) for line in lines)
            split = moment(times[len(times) // 2])
            before = self.verified(config, '--to', split)
            after = self.verified(config, '--from', split)
            self.assertEqual(before['inputs'] + after['inputs'], records)
            self.assertTrue(before['partial'] and after['partial'])
            self.assertGreater(before['inputs'], RECORDS // 10)
            self.assertGreater(after['inputs'], RECORDS // 10)
            self.assertGreater(after['originals_left_out'], 0)
            self.assertTrue(any('name an original outside' in text for text in after['warnings']))
        with self.subTest('a range of offsets'):
            part = self.verified(config, '--from', f'{self.topics[0]}/0/500',
                                 '--to', f'{self.topics[0]}/0/1100')
            self.assertEqual(part['inputs'], 600)
        with self.subTest('too little memory is refused before the start'):
            done = run(NEARDUP, 'verify', '--config', config, '--memory-max', '10MiB', code=78)
            self.assertRegex(done.stderr, rf'up to {records:,} records, up to \d+ MiB of memory')
            self.assertIn('raise --memory-max', done.stderr)
            self.assertIn('--since, --from or --to', done.stderr)
        self.assertEqual(service.terminate()[0], 0)
        with self.subTest('records that nobody has decided are pending'):
            self.fill_more(500, seed=777)
            report = self.verified(config, '--to', '2100-01-01')
            self.assertEqual((report['inputs'], report['pending']), (records, 500))
        with self.subTest('a second output is seen only where the range reads'):
            topic = f'{self.topics[0]}.unique'
            self.load('copy', '--from', topic, '--partition', 0, '--offset', 10, '--to', topic)
            self.verified(config, '--from', f'{self.topics[0]}/0/500')
            # The second copy stands at the end of the output, which this range does not read.
            run(NEARDUP, 'verify', '--config', config, '--json', '--to', f'{self.topics[0]}/0/100')
            run(NEARDUP, 'verify', '--config', config, '--json', code=1)

    def test_the_bound_is_said_before_the_start_and_quiet_is_quiet(self):
        self.fill(records=2000, seed=8)
        config = self.write_config()
        service = self.start(config)
        self.wait_drained(service)
        done = run(NEARDUP, 'verify', '--config', config)
        self.assertTrue(re.search(r'verifying up to 2,\d{3} records, up to \d+ MiB', done.stderr),
                        done.stderr)
        self.assertEqual(run(NEARDUP, 'verify', '--config', config, '--quiet').stderr, '')
        done = run(NEARDUP, 'verify', '--config', config, '--from', 'yesterday', code=78)
        self.assertIn('--from: found yesterday', done.stderr)
        self.assertEqual(service.terminate()[0], 0)


if __name__ == '__main__':
    unittest.main(verbosity=2)
