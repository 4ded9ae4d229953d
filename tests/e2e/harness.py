"""Shared by the end-to-end tests: a real Kafka, the service as a process, the loader, and
`neardup verify` as the judge. Needs only the standard library, uses only loopback, and stops every
process at the end.

Tests run side by side on one broker. So every name that a test uses there is its own, and so is every port."""
import fcntl
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from shared_kafka import shared_brokers

ROOT = pathlib.Path(__file__).resolve().parents[2]


def newest_build():
    """The folder of the newest build, for a test that is run by hand."""
    loaders = sorted(ROOT.glob('build/*/e2e_load'), key=lambda path: path.stat().st_mtime)
    if not loaders:
        raise RuntimeError(f'found no e2e_load in {ROOT}/build; build it with: scripts/build release')
    return loaders[-1].parent


BUILD = pathlib.Path(os.environ.get('E2E_BUILD') or newest_build())
NEARDUP = BUILD / 'neardup'
LOADER = BUILD / 'e2e_load'
KAFKA_VERSION = os.environ.get('E2E_KAFKA_VERSION')
# Differs in each run, so that two runs may use one broker.
RUN = f'{os.getpid():x}-{time.time_ns() // 1_000_000 & 0xffffff:x}'

_reserved = set()


def _reserve(port):
    """Whether no other test process has this port, and nothing listens on it. The reservation lasts as long as
    this process."""
    folder = pathlib.Path(tempfile.gettempdir()) / f'neardup-test-ports-{os.getuid()}'
    folder.mkdir(exist_ok=True)
    lock = os.open(folder / str(port), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with socket.socket() as s:
            s.bind(('127.0.0.1', port))
    except OSError:
        os.close(lock)
        return False
    _reserved.add(port)
    return True


def free_ports(count):
    """The first of `count` ports in a row that no other test gets. They lie outside the range from which the
    system takes the ports of clients."""
    while True:
        first = random.randrange(30001, 32768 - count)
        ports = range(first, first + count)
        if not any(port in _reserved for port in ports) and all(_reserve(port) for port in ports):
            return first


def free_port():
    return free_ports(1)


def run(*command, code=0, **options):
    """Runs a command to its end. Fails with its output if the exit code is another one; None: any will do."""
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)
    if code is not None and done.returncode != code:
        raise AssertionError(f'{command[0]} ended with {done.returncode}, expected {code}:\n'
                             f'{done.stdout[-6000:]}{done.stderr[-6000:]}')
    return done


def share_of_a_core():
    """The share of a core that each runnable process gets now. Never below 0.25, so that a time limit on a busy machine
    is at most four times as long."""
    cores = os.cpu_count() or 1
    return max(0.25, cores / max(cores, os.getloadavg()[0]))


class Service:
    """One `neardup run` process."""

    def __init__(self, config, log_path, *more, environment=None):
        self.port = free_port()
        self.log_path = log_path
        self.log = open(log_path, 'ab')
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [str(NEARDUP), 'run', '--config', str(config), '--metrics-port', str(self.port), *more],
            stdout=self.log, stderr=self.log, env={**os.environ, **(environment or {})})

    def get(self, path):
        """Returns (status, body), or (0, '') if nothing answers."""
        try:
            with urllib.request.urlopen(f'http://127.0.0.1:{self.port}{path}', timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ''

    def metric(self, name):
        """Returns the sum over all series of the metric; 0 if nothing answers."""
        _, text = self.get('/metrics')
        values = re.findall(rf'^{name}(?:\{{[^}}]*\}})? (\S+)$', text, re.M)
        return sum(float(value) for value in values)

    def decided(self):
        return self.metric('neardup_records_total')

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def terminate(self):
        """Sends SIGTERM. Returns (exit code, seconds until the exit)."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=180)
        self.log.close()
        return code, time.monotonic() - begin

    def text(self):
        return pathlib.Path(self.log_path).read_text(errors='replace')


class Feed:
    """Writes records at an even pace during the test, until it is stopped. So a service that reads them is busy at
    any moment, however fast it is."""
    def __init__(self, brokers, topics, per_second, seed):
        self.process = subprocess.Popen(
            [str(LOADER), '--brokers', brokers, 'fill', '--topics', ','.join(topics), '--records',
             str(10 * per_second), '--seed', str(seed), '--per-second', str(per_second), '--until-stopped'])

    def running(self):
        return self.process.poll() is None

    def stop(self):
        """Returns when all that was written is in the topics. Gives the exit code of the loader, 0 if all went well."""
        self.process.terminate()
        return self.process.wait(timeout=120)


def as_line(value, partition=0, key=b'k', timestamp=1_700_000_000_000, headers=()):
    """A record as `e2e_load put` takes it."""
    def hexed(part):
        return '-' if part is None else '0x' + part.hex()
    pairs = ';'.join(f'{name}={hexed(content)}' for name, content in headers)
    return f'{partition}\t{timestamp}\t{hexed(key)}\t{hexed(value)}\t{pairs}\n'


class KafkaTest(unittest.TestCase):
    """Each test has topics, an app and files of its own. The broker is the shared one, if there is one and the class
    needs no special one. Otherwise the class starts its own."""
    kafka_options = ()

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix='neardup-e2e-'))
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.brokers = None if cls.kafka_options else shared_brokers()
        if cls.brokers is None:
            cls.start_kafka()

    @classmethod
    def start_kafka(cls):
        cls.addClassCleanup(run, ROOT / 'scripts/kafka', 'stop', '--dir', cls.directory / 'kafka')
        version = ['--version', KAFKA_VERSION] if KAFKA_VERSION else []
        started = run(ROOT / 'scripts/kafka', 'start', '--dir', cls.directory / 'kafka', '--port', '0', '--fast-start',
                      *cls.kafka_options, *version)
        cls.brokers = started.stdout.strip().splitlines()[-1]

    def setUp(self):
        method = self.id().split('.')[-1].removeprefix('test_').lower().replace('_', '-')
        self.name = f'{method[:60]}-{RUN}'
        self.app = f'app-{self.name}'
        self.topics = [f'{self.name}-news', f'{self.name}-goods']
        self.services = []
        self.addCleanup(self.stop_services)

    def stop_services(self):
        for service in self.services:
            if service.process.poll() is None:
                service.kill()

    def write_config(self, **sections):
        """Writes a config file for the topics of the test (JSON is YAML)."""
        config = {
            'app': self.app,
            # On a busy machine, a broker can answer late. The longer time-out keeps a service from ending then.
            'kafka': {'brokers': self.brokers, 'answer_timeout_ms': 30_000},
            'input': {'topics': self.topics},
            'record': {'fields': ['title', 'body', 'name', 'brand', 'description']},
            # Nothing is learned, so that a lane starts at once and decides as its settings say.
            'match': {'mode': 'near'},
            'lease': {'session_timeout_ms': 6000, 'heartbeat_interval_ms': 500},
        }
        for section, values in sections.items():
            config.setdefault(section, {}).update(values)
        path = self.directory / f'{self.name}.yaml'
        path.write_text(json.dumps(config, indent=1))
        return path

    def load(self, *arguments):
        return run(LOADER, '--brokers', self.brokers, *arguments).stdout

    def fill(self, records, partitions=2, seed=1):
        self.create_topics(partitions)
        self.fill_more(records, seed)

    def fill_more(self, records, seed):
        self.load('fill', '--topics', ','.join(self.topics), '--records', records, '--seed', seed)

    def create_topics(self, partitions=2):
        for topic in self.topics:
            self.load('create', '--topic', topic, '--partitions', partitions)

    def fill_meanwhile(self, records, seed, per_second=0, topics=None):
        """Starts a loader that writes this number of records while the test goes on."""
        return subprocess.Popen(
            [str(LOADER), '--brokers', self.brokers, 'fill', '--topics', ','.join(topics or self.topics),
             '--records', str(records), '--seed', str(seed), '--per-second', str(per_second)])

    def feed(self, per_second, seed=100):
        feed = Feed(self.brokers, self.topics, per_second, seed)
        self.addCleanup(lambda: feed.running() and feed.process.kill())
        return feed

    def finish(self, feed):
        """Ends a feed. Returns how many records the topics hold then."""
        self.assertTrue(feed.running(), 'the feed ended before the test did')
        self.assertEqual(feed.stop(), 0)
        return self.count(*self.topics)

    def put(self, topic, lines):
        """Writes the records of as_line to a topic."""
        path = self.directory / f'{self.name}.lines'
        path.write_text(''.join(lines))
        self.load('put', '--topic', topic, '--file', path)

    def dump(self, topic):
        """Returns [(partition, timestamp, key, value, [(header, value)])], with None for null."""
        def unhexed(cell):
            return None if cell == '-' else bytes.fromhex(cell[2:])
        rows = []
        for line in self.load('dump', '--topic', topic).splitlines():
            partition, timestamp, key, value, pairs = line.split('\t')
            headers = [(pair.split('=')[0], unhexed(pair.split('=')[1]))
                       for pair in pairs.split(';') if pair]
            rows.append((int(partition), int(timestamp), unhexed(key), unhexed(value), headers))
        return rows

    def bounds(self, *topics):
        """The first offset and the end of each partition, by topic/partition."""
        rows = (line.split() for line in self.load('bounds', '--topics', ','.join(topics)).splitlines())
        return {place: (int(first), int(end)) for place, first, end in rows}

    def count(self, *topics):
        """The number of offsets that topics hold: records, and markers of transactions."""
        return sum(end - first for first, end in self.bounds(*topics).values())

    def start(self, config, *more, environment=None):
        log = self.directory / f'{self.name}.{len(self.services)}.log'
        service = Service(config, log, *more, environment=environment)
        self.services.append(service)
        return service

    def wait(self, condition, what, seconds=180, services=()):
        """`seconds` is the time limit on an idle machine. On a busy machine, this waits longer."""
        left, last = seconds, time.monotonic()
        while not condition():
            for service in services:
                if service.process.poll() is not None:
                    self.fail(f'the service ended while waiting for {what}:\n{service.text()[-3000:]}')
            now = time.monotonic()
            left -= (now - last) * share_of_a_core()
            last = now
            if left < 0:
                logs = ''.join(service.text()[-2000:] for service in self.services)
                self.fail(f'{what}: did not happen within {seconds} s\n{logs}')
            time.sleep(0.05)

    def wait_drained(self, service, seconds=300, app=None):
        """Waits until the service is active, and has committed a decision on every record of its inputs."""
        command = [str(LOADER), '--brokers', self.brokers, 'await-group', '--group', app or self.app, '--topics',
                   ','.join(self.topics)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as waiting:
            try:
                self.wait(lambda: waiting.poll() is not None, 'all records decided', seconds, [service])
            finally:
                waiting.kill()
            self.assertEqual(waiting.returncode, 0, waiting.stderr.read())
        self.wait(lambda: self.is_active(service), 'an active instance', seconds, [service])

    def end_drained(self, service, app=None):
        """Stops the service when it has decided everything."""
        self.wait_drained(service, app=app)
        self.assertEqual(service.terminate()[0], 0, service.text()[-3000:])

    def run_to_end(self, config, *options, app=None):
        """Starts a service that decides everything, and stops. Returns it."""
        service = self.start(config, *options)
        self.end_drained(service, app=app)
        return service

    def assert_ends(self, service, code):
        """The service ends by itself, with this exit code. Returns its log."""
        self.wait(lambda: service.process.poll() is not None, f'the end with exit code {code}')
        service.log.close()
        self.assertEqual(service.process.returncode, code, service.text()[-3000:])
        return service.text()

    def headers(self, kind):
        """The neardup headers of all records of the output topics of this kind."""
        rows = [row for topic in self.topics for row in self.load('dump', '--topic', f'{topic}.{kind}').splitlines()]
        return [bytes.fromhex(row.rsplit('neardup=0x', 1)[1]).decode() for row in rows]

    def wait_decided(self, service, records):
        """Waits until the service has counted this number of records."""
        self.wait(lambda: service.decided() >= records, f'{records} records decided', services=[service])
        self.assertEqual(service.decided(), records)

    @staticmethod
    def is_active(service):
        return 'neardup_state{state="active"} 1' in service.get('/metrics')[1]

    def verify(self, config):
        done = run(NEARDUP, 'verify', '--config', config, '--json', code=None)
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        return done.returncode, json.loads(done.stdout)

    def assert_no_violation(self, config):
        """Returns the report, which names no violation."""
        code, report = self.verify(config)
        self.assertEqual(code, 0, json.dumps(report, indent=1)[:6000])
        return report

    def assert_promises_kept(self, config, records):
        report = self.assert_no_violation(config)
        self.assertEqual(report['inputs'], records)
        return report
