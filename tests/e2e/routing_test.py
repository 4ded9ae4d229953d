"""A lane on a real Kafka that observes first, and then routes: nothing is lost or twice, and the index stays."""
import json
import unittest

from harness import NEARDUP, KafkaTest, run

CONFIG_ERROR = 78


class Routing(KafkaTest):
    def config(self, mode, before='same'):
        path = self.write_config(routing={'mode': mode, 'mode_before': before})
        return path.replace(path.with_name(f'{self.name}.{mode}.{before}.yaml'))

    def outputs(self):
        return {kind: len(self.headers(kind)) for kind in ('unique', 'duplicate', 'dead-letter')}

    def test_a_lane_that_observed_goes_on_by_routing_with_what_it_remembers(self):
        self.fill(records=2000)
        observing = self.config('observe')
        service = self.run_to_end(observing)
        self.assertIn('(routing.mode: observe)', service.text().splitlines()[0])
        self.assertEqual(self.outputs(), {'unique': 2000, 'duplicate': 0, 'dead-letter': 0})
        report = self.assert_promises_kept(observing, 2000)
        observed = report['observed']
        self.assertGreater(observed, 100)
        self.assertEqual(observed, sum(header.endswith(';observed') for header in self.headers('unique')))

        shown = json.loads(run(NEARDUP, 'report', '--config', observing, '--json').stdout)
        self.assertEqual(shown['records'], 2000)
        self.assertEqual(shown['observed'], observed)
        self.assertEqual(shown['exact'] + shown['near'] + shown['dead_letter'], observed)
        self.assertTrue(all(call['original_text'] for call in shown['closest_calls']))
        later = run(NEARDUP, 'report', '--config', observing, '--since', '2200-01-01')
        self.assertIn('0 decided records', later.stdout)

        # The same stream again: all that was remembered is found.
        self.fill_more(2000, seed=1)
        refused = self.start(self.config('route'))
        self.assert_ends(refused, CONFIG_ERROR)
        self.assertIn('set routing.mode_before: observe and keep', refused.text())
        self.assertEqual(self.outputs()['unique'], 2000)
        routing = self.config('route', before='observe')
        service = self.run_to_end(routing)
        self.assertIn('the topics of this pipeline have changed', service.text())
        outputs = self.outputs()
        self.assertEqual(sum(outputs.values()), 4000)
        self.assertLess(outputs['unique'], 2000 + 40)
        report = self.assert_promises_kept(routing, 4000)
        self.assertEqual(report['observed'], observed)

        # Back again.
        self.fill_more(500, seed=3)
        self.run_to_end(self.config('observe', before='route'))
        self.assertEqual(self.outputs(), {**outputs, 'unique': outputs['unique'] + 500})
        self.assert_promises_kept(observing, 4500)

    def test_the_mode_changes_by_kill_and_take_over_while_records_come(self):
        self.create_topics()
        feed = self.feed(per_second=2000)
        modes = [('observe', 'same'), ('route', 'observe'), ('observe', 'route'), ('route', 'observe')]
        active = None
        for number, (mode, before) in enumerate(modes):
            standby = self.start(self.config(mode, before))
            self.wait(lambda: standby.get('/readyz')[0] == 200, 'ready', services=[standby])
            if active is not None:
                at_least = active.decided() + 100
                # A standby that took over without the lease has not got it yet. When the session of the killed
                # instance ends, the group may give the lease to either of the two.
                self.wait(lambda: active.decided() >= at_least or self.is_active(standby), 'more records',
                          services=[active, standby])
                if number % 2:
                    active.kill()
                else:
                    self.assertEqual(active.terminate()[0], 0)
            active = standby
            self.wait(lambda: self.is_active(active) and active.decided() > 100, 'active', services=[active])
        records = self.finish(feed)
        self.end_drained(active)
        report = self.assert_promises_kept(self.config('route', before='observe'), records)
        self.assertGreater(report['observed'], 0)
        self.assertGreater(self.outputs()['duplicate'], 0)

    def test_one_of_many_duplicates_is_released_to_the_unique_topic(self):
        self.fill(records=3000)
        config = self.write_config(routing={'release_exact_one_of': 1, 'release_near_one_of': 4})
        service = self.start(config)
        self.wait_drained(service)
        released = [header for header in self.headers('unique') if header.endswith(';released')]
        routed = self.headers('duplicate')
        self.assertTrue(any('kind=exact' in header for header in released))
        self.assertFalse(any('kind=exact' in header for header in routed))
        self.assertTrue(any('kind=near' in header for header in released))
        self.assertTrue(any('kind=near' in header for header in routed))
        self.assertEqual(service.metric('neardup_released_records_total'), len(released))
        self.assertEqual(service.terminate()[0], 0)
        self.assertEqual(self.assert_promises_kept(config, 3000)['released'], len(released))

    def test_dropped_duplicates_are_counted_through_kills_and_take_overs(self):
        self.create_topics()
        feed = self.feed(per_second=2000)
        config = self.write_config(routing={'exact': 'drop', 'near': 'drop'})
        active = self.start(config)
        for number in range(3):
            self.wait(lambda: active.decided() > 300, 'records', services=[active])
            standby = self.start(config)
            self.wait(lambda: standby.get('/readyz')[0] == 200, 'ready', services=[standby])
            if number == 1:
                self.assertEqual(active.terminate()[0], 0)
            else:
                active.kill()
            active = standby
        records = self.finish(feed)
        self.end_drained(active)
        report = self.assert_promises_kept(config, records)
        outputs = self.outputs()
        self.assertEqual(outputs['duplicate'], 0)
        self.assertGreater(report['dropped'], 20)
        self.assertEqual(sum(outputs.values()) + report['dropped'], records)
        shown = json.loads(run(NEARDUP, 'report', '--config', config, '--json').stdout)
        self.assertIn(f'{report["dropped"]:,} duplicates went to no topic', ' '.join(shown['notes']))

    def test_suspects_are_unique_and_name_what_they_seem_to_repeat(self):
        self.fill(records=3000)
        config = self.write_config(match={'distance_max': 2, 'suspect_distance_max': 12})
        service = self.start(config)
        self.wait_drained(service)
        suspects = sum(header.endswith(';suspect') for header in self.headers('unique'))
        self.assertGreater(suspects, 20)
        self.assertEqual(service.metric('neardup_suspect_records_total'), suspects)
        self.assertEqual(service.terminate()[0], 0)
        self.assertEqual(self.assert_promises_kept(config, 3000)['suspect'], suspects)
        self.assertEqual(json.loads(run(NEARDUP, 'report', '--config', config, '--json').stdout)['suspect'], suspects)


if __name__ == '__main__':
    unittest.main(verbosity=2)
