"""Two pipelines on one real Kafka: each has an app of its own by default; with the same app the second is
refused; the topics of a pipeline change only where the configuration names the old ones."""
import json
import unittest

from harness import NEARDUP, KafkaTest, run

RECORDS = 2_000
CONFIG_ERROR = 78


class Pipelines(KafkaTest):
    def setUp(self):
        super().setUp()
        self.notes, self.deals = f'{self.name}-notes', f'{self.name}-deals'
        self.fill_topics(self.notes, self.deals)

    def fill_topics(self, *topics, records=RECORDS):
        self.topics = list(topics)
        self.fill(records=records, partitions=1, seed=51)

    def config(self, topics, app=None, **sections):
        self.topics = list(topics)
        path = self.write_config(**sections)
        config = json.loads(path.read_text())
        if app:
            config['app'] = app
        else:
            del config['app']
        own = path.with_name(f'{self.name}.{"-".join(topics)}.{len(self.services)}.yaml')
        own.write_text(json.dumps(config))
        shown = run(NEARDUP, 'config', 'show', '--config', own, '--json')
        self.app = json.loads(shown.stdout)['settings']['app']
        return own

    def wait_ready(self, service):
        self.wait(lambda: service.get('/readyz')[0] == 200, 'ready', services=[service])

    def test_two_pipelines_that_nobody_named_do_not_meet(self):
        notes = self.start(self.config([self.notes]))
        self.wait_drained(notes)
        deals = self.start(self.config([self.deals]))
        self.wait_drained(deals)
        for service, topic in ((notes, self.notes), (deals, self.deals)):
            self.assertIn(f'app neardup-{topic} reads {topic} and writes {topic}.unique', service.text().splitlines()[0])
            self.assertGreater(service.decided(), 0)
        self.assertEqual(notes.decided() + deals.decided(), RECORDS)

    def test_a_second_pipeline_of_the_same_app_is_refused(self):
        first = self.start(self.config([self.notes], 'shared-' + self.name))
        self.wait_drained(first)
        second = self.start(self.config([self.deals], 'shared-' + self.name))
        text = self.assert_ends(second, CONFIG_ERROR)
        self.assertIn(f'reads {self.deals}; writes {self.deals}.unique', text)
        self.assertIn(f'reads {self.notes}; writes {self.notes}.unique', text)
        self.assertIn(f'input.topics_before: [{self.notes}]', text)
        self.assertNotIn('standby', text)
        self.assertIsNone(first.process.poll())
        listed = run(NEARDUP, 'config', 'show', '--config', self.config([self.notes]), '--json')
        self.assertEqual(json.loads(listed.stdout)['settings']['app'], f'neardup-{self.notes}')

    def test_topics_are_added_while_instances_replace_each_other(self):
        app = 'grows-' + self.name
        old = self.config([self.notes], app)
        active = self.start(old)
        self.wait_drained(active)
        new = self.config([self.notes, self.deals], app, input={'topics_before': [self.notes]})
        before = active.decided()
        standby = self.start(old)
        self.wait_ready(standby)
        # As a roll-out does: one instance after the other.
        self.assertEqual(standby.terminate()[0], 0)
        first = self.start(new)
        self.wait_ready(first)
        self.assertEqual(first.decided(), 0)
        self.assertEqual(active.terminate()[0], 0)
        self.wait_drained(first)
        self.assertEqual(before + first.decided(), RECORDS)
        self.assertIn(f'it reads {self.deals}, {self.notes} and writes', first.text())
        self.assertIn(f'before, it reads {self.notes} and writes', first.text())
        second = self.start(new)
        self.wait_ready(second)
        self.assert_ends(self.start(old), CONFIG_ERROR)
        config = self.config([self.notes, self.deals], app)
        code, report = self.verify(config)
        self.assertEqual((code, report['inputs']), (0, RECORDS))

    def test_an_instance_that_runs_ends_when_the_topics_change_elsewhere(self):
        app = 'moves-' + self.name
        active = self.start(self.config([self.notes], app))
        self.wait_drained(active)
        standby = self.start(self.config([self.notes], app))
        self.wait_ready(standby)
        # It takes over as soon as both others are gone or paused; here the active one stops.
        changed = self.start(self.config([self.deals], app, input={'topics_before': [self.notes]}))
        self.wait_ready(changed)
        self.assertEqual(active.terminate()[0], 0)
        took = lambda service: service.metric('neardup_promotions_total') > 0
        self.wait(lambda: took(standby) or took(changed), 'a take-over')
        while not took(changed):
            self.assertEqual(standby.terminate()[0], 0)
            standby = self.start(self.config([self.notes], app))
            self.wait(lambda: took(standby) or took(changed), 'the next take-over')
        text = self.assert_ends(standby, CONFIG_ERROR)
        self.assertIn(f'reads {self.deals}; writes', text)

    def test_an_upgrade_from_the_old_default_app_does_not_begin_anew(self):
        # Otherwise the next run on the same broker would find the changelog of this name.
        self.addCleanup(self.load, 'drop', '--topic', 'neardup-changelog')
        self.run_to_end(self.config([self.notes], 'neardup'))
        text = self.assert_ends(self.start(self.config([self.notes])), CONFIG_ERROR)
        self.assertIn('To go on where it is, set app: neardup', text)
        # Another pipeline is not affected.
        self.run_to_end(self.config([self.deals]))

    def test_every_instance_says_how_many_records_are_undecided(self):
        app = 'waits-' + self.name
        active = self.start(self.config([self.notes], app))
        self.wait_drained(active)
        standby = self.start(self.config([self.notes], app))
        self.wait_ready(standby)
        for service in (active, standby):
            self.wait(lambda: f'neardup_undecided_records{{topic="{self.notes}"}} 0' in service.get('/metrics')[1],
                      'nothing is undecided', services=[service])


if __name__ == '__main__':
    unittest.main(verbosity=2)
