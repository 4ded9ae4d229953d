"""What a round of chaos acts on: the brokers, the instances of the service, and the load."""
import json
import pathlib
import random
import shutil
import signal
import tempfile
import threading
import time

from harness import BUILD, LOADER, NEARDUP, ROOT, Service, run
from link import Link

FAILPOINTS = BUILD / 'tests/chaos/libneardup_failpoints.so'
RECORDS_OF_A_FILL = 300
SMALL_WINDOW = 1000
# The topics of unique records refuse records that are ahead of the clock by more than this.
TIME_AHEAD_MAX_MS = 3600_000
# 69 is "unavailable", and ends an instance for which the brokers were silent for too long: an
# orchestrator starts it again.
RESTARTED_CODES = (-signal.SIGKILL, 69)


class Broken(Exception):
    """The service did what it must not do."""


def say(text):
    print(f'{time.strftime("%H:%M:%S")} {text}', flush=True)


class Cluster:
    def __init__(self, directory, brokers, version):
        self.directory, self.count = directory, brokers
        options = ['--port', '0', '--brokers', brokers, '--heap', '256', '--fast-start',
                   *(['--version', version] if version else [])]
        self.addresses = self.command('start', *options).strip().splitlines()[-1]
        self.ports = [int(address.rsplit(':', 1)[1]) for address in self.addresses.split(',')]

    def command(self, *words):
        return run(ROOT / 'scripts/kafka', *words, '--dir', self.directory).stdout

    def load(self, *arguments):
        return run(LOADER, '--brokers', self.addresses, *arguments).stdout

    def leader(self, topic):
        return int(self.load('leader', '--topic', topic, '--partition', 0))


class Load(threading.Thread):
    """Writes records until it is stopped: some hundred new ones at a time, and sometimes records of an earlier
    time again. If `refused_every_s` is set, a record that its output refuses comes this often. Brokers that are away
    may cost the load records; what counts is what the inputs hold."""

    def __init__(self, cluster, topics, seed):
        super().__init__(daemon=True)
        self.cluster, self.topics = cluster, topics
        self.random = random.Random(seed)
        self.seeds = []
        self.abort_every = 0
        self.refused_every_s = None
        self.stopped = threading.Event()
        self.failed = 0

    def next_seed(self):
        if self.seeds and self.random.random() < 0.4:
            return self.random.choice(self.seeds)
        self.seeds.append(self.random.randrange(1, 1 << 30))
        return self.seeds[-1]

    def run(self):
        last_refused = time.monotonic()
        while not self.stopped.is_set():
            if self.refused_every_s and time.monotonic() - last_refused > self.refused_every_s:
                last_refused = time.monotonic()
                self.write_refused()
            done = run(LOADER, '--brokers', self.cluster.addresses, 'fill', '--topics', ','.join(self.topics),
                       '--records', RECORDS_OF_A_FILL, '--seed', self.next_seed(),
                       '--per-second', RECORDS_OF_A_FILL, '--abort-every', self.abort_every, code=None)
            self.failed += done.returncode != 0

    def write_refused(self):
        """A record whose time is too far ahead for the output topics of the round."""
        far_ms = int(time.time() * 1000) + 2 * TIME_AHEAD_MAX_MS
        value = json.dumps({'title': f'refused {far_ms}'}).encode().hex()
        line = f'0\t{far_ms}\t-\t0x{value}\t\n'
        with tempfile.NamedTemporaryFile('w') as lines:
            lines.write(line)
            lines.flush()
            done = run(LOADER, '--brokers', self.cluster.addresses, 'put', '--topic', self.random.choice(self.topics),
                       '--file', lines.name, code=None)
        self.failed += done.returncode != 0

    def stop(self):
        self.stopped.set()
        self.join()


class Instance:
    """A place for one process of the service, with its folder. The fleet starts what has ended, unless it is
    held back."""

    def __init__(self, fleet, number):
        self.fleet = fleet
        self.number = number
        self.state = fleet.directory / f'state-{number}'
        self.log = fleet.directory / f'instance-{number}.log'
        self.service = None
        self.counted = self.fenced = 0
        self.restarted = False
        self.reached_before = 0
        self.held_back = False

    def start(self, failpoint=None):
        environment = {'LD_PRELOAD': str(FAILPOINTS), 'FAILPOINT_DIR': str(self.state), **self.fleet.link.environment()}
        if failpoint:
            environment['FAILPOINT'] = failpoint
            self.reached_before = self.failpoints_in_log()
        self.counted = self.fenced = 0
        self.restarted = False
        self.service = Service(self.fleet.config, self.log, '--state-dir', str(self.state), environment=environment)

    def end_of_log(self):
        return self.log.read_text(errors='replace')[-3000:]

    def failpoints_in_log(self):
        text = self.log.read_text(errors='replace') if self.log.exists() else ''
        return sum(line.startswith('failpoint ') for line in text.splitlines())

    def reached_failpoint(self):
        """True if the failpoint of the last armed start was reached."""
        return self.failpoints_in_log() > self.reached_before

    def signal(self, number):
        self.service.process.send_signal(number)

    def kill(self):
        self.service.kill()

    def stop(self):
        """Ends it as an orchestrator does. Returns the exit code."""
        self.signal(signal.SIGCONT)
        return self.service.terminate()[0]

    def running(self):
        return self.service is not None and self.service.process.poll() is None

    def halted(self):
        stat = pathlib.Path(f'/proc/{self.service.process.pid}/stat').read_text()
        return stat.rsplit(')', 1)[1].split()[0] in 'Tt'

    def resident_bytes(self):
        status = pathlib.Path(f'/proc/{self.service.process.pid}/status').read_text()
        return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith('VmRSS')), 0)

    def active(self):
        return self.running() and not self.halted() and (
            'neardup_state{state="active"} 1' in self.service.get('/metrics')[1])

    def ready(self):
        return self.running() and not self.halted() and self.service.get('/readyz')[0] == 200


class Fleet:
    """The instances of one app, and an orchestrator that starts again what ended."""

    def __init__(self, cluster, directory, config, link):
        self.cluster, self.directory, self.config, self.link = cluster, directory, config, link
        self.instances = []
        self.decided = 0
        self.decided_at = time.monotonic()
        self.silence_max = 0.0  # seconds without a decision
        self.fenced = 0  # how often a lane was taken again because of a late request
        self.restarts = 0
        self.resident_bytes_max = 0
        self.memory_bound = 0

    def scale(self, count):
        while len(self.instances) < count:
            self.instances.append(Instance(self, len(self.instances) + 1))
            self.instances[-1].start()
        while len(self.instances) > count:
            self.expect_clean(self.instances.pop())

    def expect_clean(self, instance):
        if not instance.running():
            return
        code = instance.stop()
        if code != 0:
            raise Broken(f'SIGTERM ended instance {instance.number} with {code}:\n' + instance.end_of_log())

    def tick(self):
        """Starts again what has ended, and looks at what the instances say."""
        for instance in self.instances:
            code = instance.service.process.poll()
            if code is not None:
                if instance.held_back:
                    continue
                if code not in RESTARTED_CODES:
                    raise Broken(f'instance {instance.number} ended with {code}:\n' + instance.end_of_log())
                instance.service.log.close()
                self.restarts += 1
                instance.start()
                instance.restarted = True
                continue
            if instance.halted():
                continue
            self.resident_bytes_max = max(self.resident_bytes_max, instance.resident_bytes())
            bound = instance.service.metric('neardup_memory_bound_bytes')
            if bound > 0:
                self.memory_bound = bound
                if instance.resident_bytes() > bound:
                    raise Broken(f'instance {instance.number} has {instance.resident_bytes()} resident bytes, '
                                 f'and prints {bound:.0f} as its bound')
            fenced = instance.service.metric('neardup_late_requests_fenced_total')
            self.fenced += max(0, fenced - instance.fenced)
            instance.fenced = max(instance.fenced, fenced)
            decided = instance.service.decided()
            if decided > instance.counted:
                self.decided += decided - instance.counted
                instance.counted = decided
                self.silence_max = max(self.silence_max, time.monotonic() - self.decided_at)
                self.decided_at = time.monotonic()

    def active(self):
        return next((each for each in self.instances if each.active()), None)

    def standby(self):
        return next((each for each in self.instances if each.running() and not each.active()), None)

    def end(self):
        for instance in self.instances:
            if instance.running():
                instance.signal(signal.SIGCONT)
                instance.kill()


def lag(service):
    """Returns the records that the active instance has yet to decide; None if it does not say."""
    _, text = service.get('/metrics')
    rows = [line for line in text.splitlines() if line.startswith('neardup_consumer_lag_records{')]
    return sum(float(row.rsplit(' ', 1)[1]) for row in rows) if rows else None


class Round:
    """An app with its topics, a load, and faults that happen to it."""

    def __init__(self, cluster, directory, number, seed):
        self.random = random.Random(seed)
        self.cluster, self.number = cluster, number
        self.name = f'chaos-{number}'
        self.directory = directory / self.name
        self.directory.mkdir()
        self.topics = [f'{self.name}-news', f'{self.name}-goods']
        self.partitions = {topic: 2 for topic in self.topics}
        for topic in self.topics:
            self.create(topic, (1 << 63) - 1)
            self.create(f'{topic}.unique', TIME_AHEAD_MAX_MS)
        self.entries_max = self.random.choice([SMALL_WINDOW, 1_000_000])
        # Then requests time out, instead of being lost with their connection.
        self.short_time_outs = self.random.random() < 0.5
        self.config = self.directory / 'neardup.yaml'
        self.config.write_text(self.settings())
        self.link = Link(cluster.ports)
        self.fleet = Fleet(cluster, self.directory, self.config, self.link)
        self.load = Load(cluster, self.topics, seed)

    def create(self, topic, time_ahead_max_ms):
        self.cluster.load('create', '--topic', topic, '--partitions', 2,
                          '--config', f'message.timestamp.after.max.ms={time_ahead_max_ms}')

    def properties(self):
        """An event of librdkafka. Its owner may get none for a lost connection."""
        properties = {'log.connection.close': self.random.choice(['true', 'false'])}
        if self.short_time_outs:
            properties['socket.timeout.ms'] = '2000'
        return properties

    def settings(self):
        return json.dumps({  # JSON is YAML
            'app': self.name,
            'kafka': {'brokers': self.cluster.addresses, 'properties': self.properties()},
            'input': {'topics': self.topics, 'on_data_loss': 'continue', 'partitions_refresh_ms': '1s'},
            'output': {'headers': 'full'},
            'record': {'fields': ['title', 'body', 'name', 'brand', 'description']},
            'match': {'mode': 'near'},
            'window': {'entries_max': self.entries_max},
            'transaction': {'interval_ms': self.random.choice([20, 100, 500]), 'timeout_ms': '10s'},
            'lease': {'session_timeout_ms': 6000, 'heartbeat_interval_ms': 500},
            'state': {'snapshot_interval_ms': '1s'},
        }, indent=1)

    def sleep(self, seconds):
        self.wait(lambda: False, None, seconds)

    def wait(self, condition, what, seconds=120):
        """Waits for the condition, while the orchestrator works. Without `what` the time-out is no fault."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                if what is None:
                    return False
                logs = '\n'.join(each.service.text()[-2500:] for each in self.fleet.instances)
                raise Broken(f'{what}: did not happen within {seconds} s\n{logs}')
            self.fleet.tick()
            time.sleep(0.1)
        return True

    def wait_active(self):
        self.wait(lambda: self.fleet.active() is not None, 'an active instance')
        return self.fleet.active()

    def wait_standby(self):
        self.wait(lambda: self.fleet.standby() is not None and self.fleet.standby().ready(), 'a ready standby')
        return self.fleet.standby()

    def wait_output(self):
        """Returns the seconds until records are decided again."""
        begin, decided = time.monotonic(), self.fleet.decided
        self.wait(lambda: self.fleet.decided > decided, 'output')
        return time.monotonic() - begin

    def begin(self, instances):
        self.fleet.scale(instances)
        self.load.start()
        self.wait_output()

    def drain(self):
        """Ends the load, waits until everything is decided, and stops the instances."""
        self.load.stop()
        since = None

        def drained():
            nonlocal since
            active = self.fleet.active()
            if active is None or lag(active.service) != 0:
                since = None
                return False
            since = since or time.monotonic()
            return time.monotonic() - since > 3
        self.wait(drained, 'all records decided', 300)
        for instance in self.fleet.instances:
            self.fleet.expect_clean(instance)

    def verify(self):
        return run(NEARDUP, 'verify', '--config', self.config, '--json', code=None)

    def end(self):
        self.load.stopped.set()
        self.fleet.end()

    def remove(self):
        shutil.rmtree(self.directory)
