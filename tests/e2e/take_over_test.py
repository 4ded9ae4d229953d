"""The active process ends, and another one takes the lane without waiting until the lease expires. The lease lasts so
long here that a test which waited for it would fail."""
import unittest

from harness import KafkaTest

LEASE = {'session_timeout_ms': '25m', 'heartbeat_interval_ms': '500ms'}


class TakeOver(KafkaTest):
    def setUp(self):
        super().setUp()
        self.create_topics()
        self.load_feed = self.feed(per_second=500)

    def start_active(self, config):
        service = self.start(config)
        self.wait(lambda: self.is_active(service) and service.decided() > 0, 'records', services=[service])
        return service

    def start_standby(self, config):
        standby = self.start(config)
        self.wait(lambda: 'standby has caught up' in standby.text(), 'a standby that has caught up', services=[standby])
        return standby

    def assert_takes_over(self, service):
        self.wait(lambda: self.is_active(service) and service.decided() > 0, 'records', services=[service])
        self.assertEqual(service.metric('neardup_takeovers_total'), 1)
        self.assertIn('has ended: this instance takes the lane', service.text())

    def finish_and_verify(self, service, config):
        records = self.finish(self.load_feed)
        self.end_drained(service)
        self.assert_promises_kept(config, records)

    def test_a_standby_takes_the_lane_when_the_active_process_is_killed(self):
        config = self.write_config(lease=LEASE)
        active = self.start_active(config)
        for _ in range(3):
            standby = self.start_standby(config)
            active.kill()
            self.assert_takes_over(standby)
            active = standby
        self.finish_and_verify(active, config)

    def test_a_process_that_starts_again_on_the_same_machine_takes_its_lane(self):
        config = self.write_config(lease=LEASE)
        self.start_active(config).kill()
        service = self.start(config)
        self.assert_takes_over(service)
        self.finish_and_verify(service, config)

    def test_of_two_standbys_one_takes_the_lane_and_keeps_it(self):
        config = self.write_config(lease=LEASE)
        active = self.start_active(config)
        standbys = [self.start_standby(config) for _ in range(2)]
        active.kill()
        self.wait(lambda: any(self.is_active(each) and each.decided() > 500 for each in standbys), 'records',
                  services=standbys)
        self.assertLessEqual(sum(each.metric('neardup_promotions_total') for each in standbys), 2)
        taken = next(each for each in standbys if self.is_active(each))
        decided = taken.decided()
        self.wait(lambda: taken.decided() > decided + 500, 'records', services=standbys)
        self.assertLessEqual(sum(each.metric('neardup_promotions_total') for each in standbys), 2)
        self.finish_and_verify(taken, config)

    def test_without_a_listener_the_lease_decides(self):
        config = self.write_config(lease={'listen': False})
        active = self.start_active(config)
        standby = self.start_standby(config)
        active.kill()
        self.wait(lambda: self.is_active(standby) and standby.decided() > 0, 'records', services=[standby])
        self.assertEqual(standby.metric('neardup_takeovers_total'), 0)
        self.finish_and_verify(standby, config)


if __name__ == '__main__':
    unittest.main(verbosity=2)
