"""The promises on a real Kafka: two topics of two partitions, read to the end without a fault, with a
stop and restart, with kill -9, and with a take-over. `neardup verify` checks the outputs, and
falsified outputs check `neardup verify`."""
import json
import random
import time
import unittest

from harness import KafkaTest, RECORDS

SECRET = 'a-planted-secret'


class Promises(KafkaTest):
    def test_an_undisturbed_run_keeps_every_promise(self):
        self.fill()
        config = self.write_config(kafka={'properties': {'sasl.password': SECRET}})
        service = self.start(config)
        self.wait_drained(service)
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
        self.fill(records=20_000, seed=6)
        config = self.write_config(match={'distance_max': 0})
        service = self.start(config)
        self.wait_drained(service)
        _, metrics = service.get('/metrics')
        self.assertRegex(metrics, r'(?m)^neardup_records_total\{verdict="near_duplicate"\} 0$')
        self.assertNotRegex(metrics, r'(?m)^neardup_records_total\{verdict="exact_duplicate"\} 0$')
        self.assertEqual(service.terminate()[0], 0)
        report = self.assert_promises_kept(config, 20_000)
        self.assertGreater(report['duplicate'], 100)

    def test_a_stop_and_restart_in_the_middle_leaves_no_trace(self):
        self.fill(seed=2)
        config = self.write_config()
        first = self.start(config)
        self.wait(lambda: first.decided() > RECORDS // 10, 'a tenth decided', services=[first])
        code, _ = first.terminate()
        self.assertEqual(code, 0, first.text()[-2000:])
        second = self.start(config)
        self.wait_drained(second)
        self.assertEqual(second.terminate()[0], 0)
        self.assert_promises_kept(config, RECORDS)

    def test_ten_kills_at_random_moments_leave_no_trace(self):
        self.fill(seed=3)
        # Small transactions, so that all ten kills happen before the end of the inputs.
        config = self.write_config(transaction={'interval_ms': 20, 'batch_records_max': 200})
        moments = random.Random(5)
        killed_at = []
        for _ in range(10):
            service = self.start(config)
            self.wait(lambda s=service: s.decided() > 0, 'first output', services=[service])
            time.sleep(moments.uniform(0, 0.12))
            killed_at.append(int(service.decided()))
            service.kill()
        last = self.start(config)
        self.wait_drained(last)
        self.assertEqual(last.terminate()[0], 0)
        print(f'\nkilled after {killed_at} records')
        self.assert_promises_kept(config, RECORDS)

    def test_a_second_instance_takes_over_after_a_kill(self):
        self.fill(records=RECORDS // 2, seed=4)
        config = self.write_config()
        first = self.start(config)
        self.wait(lambda: first.decided() > 0, 'first output', services=[first])
        second = self.start(config)
        self.wait(lambda: 'lane is standby' in second.text(), 'standby', services=[second])
        self.wait(lambda: second.get('/readyz')[0] == 200, 'standby ready', services=[second])
        self.wait_drained(first)
        # Slowly, so that some are left for the second instance.
        loader = self.fill_meanwhile(RECORDS // 2, 44, per_second=RECORDS // 20)
        before = first.decided()
        self.wait(lambda: first.decided() > before, 'output of the first', services=[first])
        first.kill()
        killed = time.monotonic()
        self.wait(lambda: second.decided() > 0, 'output of the second instance', services=[second])
        print(f'\nfirst output of the second instance {time.monotonic() - killed:.2f} s after the kill')
        self.finish(loader)
        self.wait_drained(second)
        self.assertEqual(second.terminate()[0], 0)
        self.assert_promises_kept(config, RECORDS // 2 * 2)

    def test_a_clean_stop_hands_over_at_once(self):
        self.fill(records=20_000, seed=5)
        config = self.write_config()
        first = self.start(config)
        self.wait_drained(first)
        second = self.start(config)
        self.wait(lambda: 'lane is standby' in second.text(), 'standby', services=[second])
        self.wait(lambda: second.get('/readyz')[0] == 200, 'standby ready', services=[second])
        loader = self.fill_meanwhile(20_000, 55, per_second=2_000)
        before = first.decided()
        self.wait(lambda: first.decided() > before, 'output of the first', services=[first])
        self.assertEqual(first.terminate()[0], 0)
        stopped = time.monotonic()
        self.wait(lambda: second.decided() > 0, 'output of the second instance', services=[second])
        print(f'\nfirst output of the second instance {time.monotonic() - stopped:.2f} s after the stop')
        self.finish(loader)
        self.wait_drained(second)
        self.assertEqual(second.terminate()[0], 0)
        self.assert_promises_kept(config, 40_000)


if __name__ == '__main__':
    unittest.main(verbosity=2)
