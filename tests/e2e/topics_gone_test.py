"""Topics that are deleted while the service runs, on a real Kafka: the changelog under a paused instance,
an input, and an output."""
import json
import signal
import unittest

from harness import KafkaTest, NEARDUP, ROOT, run

RECORDS = 4_000


class TopicsGone(KafkaTest):
    def setUp(self):
        super().setUp()
        self.topic = self.topics[0]

    def standby_caught_up(self, service):
        return 'standby has caught up' in service.text()

    def outputs_are_deleted(self):
        for topic in self.topics:
            for kind in ('unique', 'duplicate', 'dead-letter'):
                self.load('drop', '--topic', f'{topic}.{kind}')

    def reset(self, config):
        """Runs `reset --all` until the instances that were paused or killed no longer count."""
        def done():
            result = run(NEARDUP, 'reset', '--config', config, '--all', '--execute', code=None)
            if result.returncode == 69:
                return False
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            return True
        self.wait(done, 'the reset')
        self.outputs_are_deleted()

    def test_a_standby_that_was_paused_during_a_reset_starts_over(self):
        self.fill(records=RECORDS, seed=41)
        config = self.write_config(transaction={'interval_ms': 20, 'batch_records_max': 200})
        first = self.start(config)
        self.wait_drained(first)
        paused = self.start(config)
        self.wait(lambda: self.standby_caught_up(paused), 'the standby to catch up', services=[paused])
        paused.process.send_signal(signal.SIGSTOP)
        self.assertEqual(first.terminate()[0], 0)
        self.reset(config)
        # The new log is shorter than what the paused instance has read.
        fresh = self.start(config)
        self.wait(lambda: fresh.decided() >= 500, 'some records decided again', services=[fresh])
        fresh.kill()
        paused.process.send_signal(signal.SIGCONT)
        self.end_drained(paused)
        self.assert_promises_kept(config, RECORDS)
        self.assertRegex(paused.text(), 'deleted and created again')

    def test_an_active_instance_that_was_paused_during_a_reset_writes_nothing_of_the_old_lane(self):
        self.fill(records=RECORDS, seed=42)
        config = self.write_config()
        paused = self.start(config)
        self.wait_drained(paused)
        paused.process.send_signal(signal.SIGSTOP)
        self.reset(config)
        fresh = self.start(config)
        self.wait_drained(fresh)
        paused.process.send_signal(signal.SIGCONT)
        self.assertEqual(fresh.terminate()[0], 0, fresh.text()[-3000:])
        self.load('fill', '--topics', ','.join(self.topics), '--records', 1000, '--seed', 43)
        self.wait(lambda: self.is_active(paused), 'the paused instance to take over', services=[paused])
        self.end_drained(paused)
        self.assert_promises_kept(config, RECORDS + 1000)

    def test_a_deleted_input_does_not_hold_the_outputs_of_the_others_back(self):
        self.fill(records=RECORDS, seed=44)
        gone, kept = self.topics
        config = self.write_config()
        service = self.start(config)
        self.wait_drained(service)
        self.topics = [kept]
        feed = self.feed(per_second=300, seed=45)
        self.wait(lambda: service.decided() > RECORDS, 'a record of the feed decided', services=[service])
        self.load('drop', '--topic', gone)
        self.wait(lambda: 'does not exist any more' in service.text(), 'the topic missed', services=[service])
        decided = service.decided()
        self.wait(lambda: service.decided() > decided, 'more records decided', services=[service])
        self.finish(feed)
        self.wait_drained(service)
        # A commit that names the offsets of the lost topic runs into a time-out, and the lane is lost.
        self.assertEqual(service.metric('neardup_lane_losses_total'), 0, service.text()[-2000:])
        self.assertEqual(service.terminate()[0], 0, service.text()[-2000:])

    def test_an_input_that_is_deleted_while_its_records_are_decided_does_not_hold_the_others_back(self):
        self.create_topics()
        gone, kept = self.topics
        config = self.write_config()
        service = self.start(config)
        feed = self.feed(per_second=300, seed=49)
        self.wait(lambda: service.decided() > 300, 'records decided', services=[service])
        self.load('drop', '--topic', gone)
        feed.process.kill()
        feed.process.wait()
        self.topics = [kept]
        self.fill_more(records=RECORDS, seed=50)
        self.wait(lambda: 'does not exist any more' in service.text(), 'the topic missed', services=[service])
        self.wait_drained(service)
        # The library itself gives up the offsets of the lost topic only when the transaction has lasted too long.
        self.assertNotIn('could not work for', service.text())
        self.assertNotIn('Failed to commit offsets', service.text())
        self.assertEqual(service.terminate()[0], 0, service.text()[-2000:])

    def test_a_deleted_output_is_created_again(self):
        self.fill(records=RECORDS, seed=46)
        config = self.write_config()
        service = self.start(config)
        self.wait_drained(service)
        self.load('drop', '--topic', f'{self.topic}.unique')
        self.load('fill', '--topics', self.topic, '--records', 1000, '--seed', 47)
        self.wait_drained(service)
        # The lane was lost meanwhile, so the instance was not ready.
        self.assertGreater(service.metric('neardup_lane_losses_total'), 0, service.text()[-2000:])
        self.wait(lambda: service.get('/readyz')[0] == 200, 'ready again', services=[service])
        self.assertIn(f'topic {self.topic}.unique was gone, and is created again', service.text())
        self.assertEqual(service.terminate()[0], 0, service.text()[-2000:])


class BrokersGone(KafkaTest):
    kafka_options = ('--fast-start',)  # a broker of its own, because it stops answering

    def test_learning_survives_an_outage_of_the_brokers(self):
        for topic in self.topics:
            self.load('create', '--topic', topic, '--partitions', 2)
        config = self.write_config(auto={'wait_ms': '3s'})
        settings = json.loads(config.read_text())
        del settings['record'], settings['match']
        config.write_text(json.dumps(settings))
        service = self.start(config)
        self.wait(lambda: 'learning from the input topics' in service.text(), 'learning',
                  services=[service])
        kafka = self.directory / 'kafka'
        scripts = ROOT / 'scripts/kafka'
        run(scripts, 'pause', 1, '--dir', kafka)
        self.wait(lambda: 'cannot learn now' in service.text(), 'the outage noticed',
                  services=[service])
        run(scripts, 'resume', 1, '--dir', kafka)
        self.load('fill', '--topics', ','.join(self.topics), '--records', 2000, '--seed', 48)
        self.end_drained(service)


if __name__ == '__main__':
    unittest.main(verbosity=2)
