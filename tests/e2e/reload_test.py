"""What an operator sees of an instance that reads its configuration again, and of one whose brokers are away."""
import signal
import unittest

from harness import KafkaTest, NEARDUP, ROOT, run


class Reload(KafkaTest):
    def test_the_active_instance_keeps_its_lease_when_it_starts_again_with_other_settings(self):
        self.fill(records=2000)
        config = self.write_config()
        active = self.start(config)
        self.wait_drained(active)
        # The standby has a file of its own, which does not change.
        own = config.with_suffix('.standby.yaml')
        own.write_text(config.read_text())
        standby = self.start(own)
        self.wait(lambda: standby.get('/readyz') == (200, 'standby\n'), 'a ready standby', services=[standby])
        for seed, window in ((2, '1h'), (3, '2h')):
            self.write_config(window={'window_ms': window})
            active.process.send_signal(signal.SIGHUP)
            self.wait(lambda: active.text().count('lane is active') == seed, 'the lane again', services=self.services)
            self.load('fill', '--topics', ','.join(self.topics), '--records', 1000, '--seed', seed)
            self.wait_drained(active)
            self.assertIn(f'"window_ms":{3600000 * (seed - 1)}', active.get('/status')[1].replace(' ', ''))
        self.assertNotIn('lane is active', standby.text())
        self.assert_promises_kept(config, 4000)
        # A stop gives the lease up at once.
        self.assertEqual(active.terminate()[0], 0)
        self.wait(lambda: standby.get('/readyz') == (200, 'active\n'), 'a take-over', services=[standby])

    def test_replay_warns_of_the_other_readers_of_an_input_topic(self):
        topic, letters = self.topics[0], f'{self.topics[0]}.dead-letter'
        self.topics = [topic]
        self.load('create', '--topic', topic, '--partitions', 1)
        config = self.write_config()
        broken = self.directory / 'broken.jsonl'
        broken.write_text('{"title":\n')
        run('kcat', '-b', self.brokers, '-P', '-t', topic, '-l', broken)
        self.wait_drained(self.start(config))
        done = run(NEARDUP, 'replay', '--config', config, '--topic', letters)
        self.assertIn(f'every consumer of {topic} reads it twice, even other pipelines and apps\n', done.stdout)


class NoBroker(KafkaTest):
    kafka_options = ('--fast-start',)

    def kafka(self, *command):
        run(ROOT / 'scripts/kafka', *command, '--dir', self.directory / 'kafka')

    def test_no_instance_is_ready_while_the_broker_is_away_and_each_is_alive(self):
        self.fill(records=1000)
        config = self.write_config()
        active = self.start(config)
        self.wait_drained(active)
        standby = self.start(config)
        self.wait(lambda: standby.get('/readyz') == (200, 'standby\n'), 'a ready standby', services=[standby])
        for leave, come_back in (('pause', 'resume'), ('kill', 'up')):
            with self.subTest(leave):
                self.kafka(leave, 1)
                self.wait(lambda: all(each.get('/readyz')[0] == 503 for each in self.services), 'nobody ready',
                          services=self.services)
                self.assertTrue(all(each.get('/healthz')[0] == 200 for each in self.services))
                self.kafka(come_back, 1)
                self.wait(lambda: all(each.get('/readyz')[0] == 200 for each in self.services), 'both ready again',
                          services=self.services)


if __name__ == '__main__':
    unittest.main()
