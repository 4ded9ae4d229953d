"""The changelog's leader is killed and started again under load, on three brokers: the output goes on, and
no record is lost or written twice. E2E_MOVES sets how often the leader is killed (2)."""
import os
import threading
import time
import unittest

from harness import KafkaTest, ROOT, run

MOVES = int(os.environ.get('E2E_MOVES', '2'))
PER_SECOND = 300
# The lane asks for the end of the changelog once a minute.
SECONDS_OF_A_MARK = 62


class Output:
    """Watches what the services decide, and remembers the longest silence."""

    def __init__(self, services):
        self.services = services
        self.decided = self.count()
        self.grew_at = time.monotonic()
        self.silence = 0.0

    def count(self):
        return sum(service.decided() for service in self.services)

    def grows(self):
        """True if there is output since the last call."""
        now = time.monotonic()
        self.silence = max(self.silence, now - self.grew_at)
        decided = self.count()
        if decided <= self.decided:
            return False
        self.decided = decided
        self.grew_at = now
        return True


class Load(threading.Thread):
    """Writes records at an even pace until it is stopped. When a leader of the input is killed, librdkafka 2.0.2
    may give up a write that the broker has kept (its issue 4438), so more records may arrive than are counted."""

    def __init__(self, test, seed):
        super().__init__()
        self.test = test
        self.seed = seed
        self.stopped = threading.Event()
        self.records = 0

    def run(self):
        while not self.stopped.is_set():
            self.seed += 10
            loader = self.test.fill_meanwhile(PER_SECOND, self.seed, PER_SECOND // 2)
            if loader.wait(timeout=300) == 0:
                self.records += PER_SECOND

    def stop(self):
        self.stopped.set()
        self.join()


class LeaderMoves(KafkaTest):
    kafka_options = ('--brokers', '3', '--heap', '256', '--fast-start')

    def kafka(self, *command):
        done = run(ROOT / 'scripts/kafka', *command, '--dir', self.directory / 'kafka')
        self.assertEqual(done.returncode, 0, done.stderr)

    def leader(self):
        return int(self.load('leader', '--topic', f'{self.app}-changelog', '--partition', 0))

    def watch(self, output, seconds):
        """Watches for the time, and then until there is output again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            output.grows()
            time.sleep(0.05)
        self.wait(output.grows, 'output', services=output.services)

    def move(self, output):
        """Kills the leader, waits for output without it, and starts it again."""
        output.silence = 0.0
        output.grows()
        old = self.leader()
        self.kafka('kill', old)
        self.watch(output, 3)
        self.kafka('up', old)
        self.watch(output, 3)
        print(f'broker {old} led the changelog, {self.leader()} leads it now; '
              f'the longest silence lasted {output.silence:.1f} s', flush=True)

    def move_leaders(self, instances, seconds):
        for topic in self.topics:
            self.load('create', '--topic', topic, '--partitions', 2)
        config = self.write_config()
        services = []
        for _ in range(instances):
            services.append(self.start(config))
            self.wait(lambda: services[-1].get('/readyz')[0] == 200, 'ready', services=services)
        loads = [Load(self, 1), Load(self, 2)]
        for load in loads:
            load.start()
            self.addCleanup(load.stop)
        output = Output(services)
        self.wait(output.grows, 'first output', services=services)
        begun = time.monotonic()
        print()
        for _ in range(MOVES):
            self.move(output)
        self.watch(output, begun + seconds - time.monotonic())
        for load in loads:
            load.stop()
        self.wait(lambda: self.active(services), 'an active instance', services=services)
        self.wait_drained(self.active(services)[0])
        for service in services:
            self.assertEqual(service.terminate()[0], 0, service.text()[-2000:])
        code, report = self.verify(config)
        self.assertEqual(code, 0, report)
        self.assertGreaterEqual(report['inputs'], sum(load.records for load in loads))

    def active(self, services):
        return [each for each in services if 'neardup_state{state="active"} 1' in each.get('/metrics')[1]]

    def test_the_output_goes_on_when_the_leader_of_the_changelog_moves(self):
        self.move_leaders(1, SECONDS_OF_A_MARK)

    def test_with_a_standby_the_output_goes_on_too(self):
        self.move_leaders(2, 0)


if __name__ == '__main__':
    unittest.main(verbosity=2)
