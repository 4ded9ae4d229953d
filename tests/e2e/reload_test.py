"""What an operator sees of an instance that reads its configuration again, and of one whose brokers are away."""
import os
import signal
import unittest

from harness import BUILD, KafkaTest, NEARDUP, ROOT, run


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

    def test_an_instance_whose_clock_is_set_back_starts_over_at_once(self):
        self.fill(records=1000)
        config = self.write_config()
        shift = self.directory / 'shift'
        shift.write_text('0')
        clock = {'LD_PRELOAD': str(BUILD / 'libshifted_clock.so'), 'SHIFTED_CLOCK': str(shift),
                 'ASAN_OPTIONS': os.environ.get('ASAN_OPTIONS', '') + ':verify_asan_link_order=0'}
        service = self.start(config, environment=clock)
        self.wait_drained(service)
        later = shift.with_suffix('.new')
        later.write_text('-3600')
        later.replace(shift)
        self.wait(lambda: 'was set back by' in service.text() and service.text().count('lane is active') == 2, 'the lane again',
                  services=[service])
        self.fill_more(1000, seed=2)
        self.wait_drained(service)
        self.assertEqual(service.get('/readyz'), (200, 'active\n'))
        self.assertEqual(service.terminate()[0], 0)
        self.assert_promises_kept(config, 2000)

    def test_replay_warns_of_the_other_readers_of_an_input_topic(self):
        topic, letters = self.topics[0], f'{self.topics[0]}.dead-letter'
        self.topics = [topic]
        self.load('create', '--topic', topic, '--partitions', 1)
        config = self.write_config()
        broken = self.directory / 'broken.jsonl'
        broken.write_text('{"title":\n')
        run('kcat', '-b', self.brokers, '-P', '-t', topic, '-H', 'neardup=seq=1;origin=other/0/0', '-l', broken)
        self.wait_drained(self.start(config))
        done = run(NEARDUP, 'replay', '--config', config, '--topic', letters)
        self.assertIn(f'every consumer of {topic} reads it twice, even other pipelines and apps\n', done.stdout)
        self.assertIn(f'{topic} is an output of another neardup pipeline', done.stdout)


class NoBroker(KafkaTest):
    # A broker that was killed and started again cannot register until its old session has ended.
    kafka_options = ('--fast-start', '--property', 'broker.session.timeout.ms=3000')

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
