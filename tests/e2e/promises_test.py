"""The promises on a real Kafka: two topics of two partitions, read to the end without a fault, with a
stop and restart, with kill -9, and with a take-over. `neardup verify` checks the outputs, and
falsified outputs check `neardup verify`."""
import json
import random
import time
import unittest

from harness import KafkaTest

RECORDS = 5_000
PER_SECOND = 500  # of a feed
SECRET = 'a-planted-secret'


class Promises(KafkaTest):
    def test_an_undisturbed_run_keeps_every_promise(self):
        self.fill(RECORDS)
        config = self.write_config(kafka={'properties': {'sasl.password': SECRET}})
        service = self.start(config)
        self.wait_drained(service)
        self.wait_decided(service, RECORDS)
        # The positions are shown once a second.
        self.wait(lambda: sum(each['next_offset'] or 0 for each in json.loads(service.get('/status')[1])['inputs'])
                  == RECORDS, 'the positions of the inputs', services=[service])
        with self.subTest('/status says what the instance does, and no secret'):
            code, text = service.get('/status')
            self.assertEqual(code, 200)
            status = json.loads(text)
            self.assertEqual(status['lane']['state'], 'active')
            self.assertEqual(status['lane']['records'], RECORDS)
            self.assertEqual({(each['topic'], each['partition']) for each in status['inputs']},
                             {(topic, partition) for topic in self.topics for partition in range(2)})
            self.assertEqual(sum(each['next_offset'] for each in status['inputs']), RECORDS)
            self.assertEqual(status['settings']['app'], self.app)
            self.assertNotIn(SECRET, text)
        code, seconds = service.terminate()
        self.assertNotIn(SECRET, service.text())
        self.assertEqual(code, 0, service.text()[-2000:])
        print(f'\nclean stop after {seconds:.2f} s')
        self.assertIn('draining', service.text())
        report = self.assert_promises_kept(config, RECORDS)
        print({key: report[key] for key in ('unique', 'duplicate', 'dead_letter')})
        self.assertGreater(report['duplicate'], RECORDS // 10)
        self.assertGreater(report['dead_letter'], 0)

        with self.subTest('a repeated output record is found'):
            topic = self.topics[0]
            self.load('copy', '--from', f'{topic}.unique', '--partition', 0, '--offset', 10,
                      '--to', f'{topic}.unique')
            code, report = self.verify(config)
            self.assertEqual(code, 1)
            self.assertIn('coverage', {row['check'] for row in report['checks'] if row['violations']})
        with self.subTest('a record routed to the wrong topic is found'):
            self.load('copy', '--from', f'{topic}.unique', '--partition', 1, '--offset', 20,
                      '--to', f'{topic}.duplicate')
            _, worse = self.verify(config)
            self.assertGreater(sum(row['violations'] for row in worse['checks']),
                               sum(row['violations'] for row in report['checks']))
        with self.subTest('a deleted output record is counted'):
            self.assertEqual(worse['outputs_deleted'], 0)
            self.load('delete', '--topic', f'{self.topics[1]}.unique', '--partition', 0, '--before', 5)
            _, worst = self.verify(config)
            self.assertGreater(worst['outputs_deleted'], 0)
            self.assertTrue(worst['partial'])

    def test_at_distance_zero_only_equal_records_are_duplicates(self):
        self.fill(RECORDS, seed=6)
        config = self.write_config(match={'distance_max': 0})
        service = self.start(config)
        self.wait_drained(service)
        _, metrics = service.get('/metrics')
        self.assertRegex(metrics, r'(?m)^neardup_records_total\{verdict="near_duplicate"\} 0$')
        self.assertNotRegex(metrics, r'(?m)^neardup_records_total\{verdict="exact_duplicate"\} 0$')
        self.assertEqual(service.terminate()[0], 0)
        report = self.assert_promises_kept(config, RECORDS)
        self.assertGreater(report['duplicate'], 100)

    def start_fed(self, seed, **sections):
        """Starts a service that always has more records to decide."""
        self.create_topics()
        feed = self.feed(PER_SECOND, seed)
        return self.write_config(**sections), feed

    def drain(self, config, feed, service):
        records = self.finish(feed)
        self.end_drained(service)
        self.assert_promises_kept(config, records)

    def test_a_stop_and_restart_in_the_middle_leaves_no_trace(self):
        config, feed = self.start_fed(seed=2)
        first = self.start(config)
        self.wait(lambda: first.decided() > 0, 'first output', services=[first])
        self.assertEqual(first.terminate()[0], 0, first.text()[-2000:])
        second = self.start(config)
        self.wait(lambda: second.decided() > 0, 'output of the second instance', services=[second])
        self.drain(config, feed, second)

    def test_ten_kills_at_random_moments_leave_no_trace(self):
        # Small transactions, so that a kill hits each of their stages.
        config, feed = self.start_fed(seed=3, transaction={'interval_ms': 20, 'batch_records_max': 200})
        moments = random.Random(5)
        killed_at = []
        for _ in range(10):
            service = self.start(config)
            self.wait(lambda s=service: s.decided() > 0, 'first output', services=[service])
            time.sleep(moments.uniform(0, 0.12))
            killed_at.append(int(service.decided()))
            service.kill()
        last = self.start(config)
        self.wait(lambda: last.decided() > 0, 'output of the last instance', services=[last])
        print(f'\nkilled after {killed_at} records')
        self.drain(config, feed, last)

    def start_with_standby(self, seed):
        config, feed = self.start_fed(seed)
        first = self.start(config)
        self.wait(lambda: first.decided() > 0, 'first output', services=[first])
        second = self.start(config)
        self.wait(lambda: 'lane is standby' in second.text(), 'standby', services=[second])
        self.wait(lambda: second.get('/readyz')[0] == 200, 'standby ready', services=[second])
        before = first.decided()
        self.wait(lambda: first.decided() > before, 'output of the first', services=[first])
        return config, feed, first, second

    def await_take_over(self, second, what):
        begun = time.monotonic()
        self.wait(lambda: second.decided() > 0, 'output of the second instance', services=[second])
        print(f'\nfirst output of the second instance {time.monotonic() - begun:.2f} s after the {what}')

    def test_a_second_instance_takes_over_after_a_kill(self):
        config, feed, first, second = self.start_with_standby(seed=4)
        self.assertEqual(second.decided(), 0)
        first.kill()
        self.await_take_over(second, 'kill')
        self.drain(config, feed, second)

    def test_a_clean_stop_hands_over_at_once(self):
        config, feed, first, second = self.start_with_standby(seed=5)
        self.assertEqual(second.decided(), 0)
        self.assertEqual(first.terminate()[0], 0)
        self.await_take_over(second, 'stop')
        self.drain(config, feed, second)


if __name__ == '__main__':
    unittest.main(verbosity=2)
