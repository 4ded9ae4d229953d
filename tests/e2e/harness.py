"""Shared by the end-to-end tests: a real Kafka, the service as a process, the loader, and
`neardup verify` as the judge. Needs only the standard library, uses only loopback, and stops every
process at the end."""
import json
import os
import pathlib
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ['E2E_BUILD'])
NEARDUP = BUILD / 'neardup'
LOADER = BUILD / 'e2e_load'
RECORDS = int(os.environ.get('E2E_RECORDS', '200000'))
KAFKA_VERSION = os.environ.get('E2E_KAFKA_VERSION')


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def run(*command, **options):
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)


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
        code = self.process.wait(timeout=60)
        self.log.close()
        return code, time.monotonic() - begin

    def text(self):
        return pathlib.Path(self.log_path).read_text(errors='replace')


class KafkaTest(unittest.TestCase):
    """Starts the brokers of the class. Each test has its own topics and its own app."""
    kafka_options = ()

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix='neardup-e2e-'))
        version = ['--version', KAFKA_VERSION] if KAFKA_VERSION else []
        started = run(ROOT / 'scripts/kafka', 'start', '--dir', cls.directory / 'kafka', '--port', '0',
                      *cls.kafka_options, *version)
        if started.returncode != 0:
            raise RuntimeError(f'cannot start Kafka: {started.stdout}{started.stderr}')
        cls.brokers = started.stdout.strip().splitlines()[-1]

    @classmethod
    def tearDownClass(cls):
        run(ROOT / 'scripts/kafka', 'stop', '--dir', cls.directory / 'kafka')
        shutil.rmtree(cls.directory)

    def setUp(self):
        self.name = self.id().split('.')[-1].lower().replace('_', '-')
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
            'kafka': {'brokers': self.brokers},
            'input': {'topics': self.topics},
            'record': {'fields': ['title', 'body', 'name', 'brand', 'description']},
            'lease': {'session_timeout_ms': 6000, 'heartbeat_interval_ms': 500},
        }
        for section, values in sections.items():
            config.setdefault(section, {}).update(values)
        path = self.directory / f'{self.name}.yaml'
        path.write_text(json.dumps(config, indent=1))
        return path

    def load(self, *arguments):
        done = run(LOADER, '--brokers', self.brokers, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fill(self, records=RECORDS, partitions=2, seed=1):
        for topic in self.topics:
            self.load('create', '--topic', topic, '--partitions', partitions)
        self.load('fill', '--topics', ','.join(self.topics), '--records', records, '--seed', seed)

    def fill_meanwhile(self, records, seed, per_second=0):
        """Starts the loader beside the test. Wait for it with finish()."""
        return subprocess.Popen(
            [str(LOADER), '--brokers', self.brokers, 'fill', '--topics', ','.join(self.topics),
             '--records', str(records), '--seed', str(seed), '--per-second', str(per_second)])

    def finish(self, loader):
        self.assertEqual(loader.wait(timeout=300), 0)

    def start(self, config, *more):
        log = self.directory / f'{self.name}.{len(self.services)}.log'
        service = Service(config, log, *more)
        self.services.append(service)
        return service

    def wait(self, condition, what, seconds=180, services=()):
        deadline = time.monotonic() + seconds
        while not condition():
            for service in services:
                if service.process.poll() is not None:
                    self.fail(f'the service ended while waiting for {what}:\n{service.text()[-3000:]}')
            if time.monotonic() > deadline:
                logs = ''.join(service.text()[-2000:] for service in self.services)
                self.fail(f'{what}: did not happen within {seconds} s\n{logs}')
            time.sleep(0.05)

    def wait_drained(self, service, seconds=300):
        """Waits until the service is active and no input has a record left. The lag is a gauge that is
        set once a second, so it must stay 0 for longer than that."""
        since = None

        def drained():
            nonlocal since
            _, text = service.get('/metrics')
            active = re.search(r'^neardup_state\{state="active"\} 1$', text, re.M)
            lags = re.findall(r'^neardup_consumer_lag_records\{[^}]*\} (\S+)$', text, re.M)
            if not (active and lags and all(float(lag) == 0 for lag in lags)):
                since = None
                return False
            since = since or time.monotonic()
            return time.monotonic() - since > 3
        self.wait(drained, 'all records decided', seconds, [service])

    def verify(self, config):
        done = run(NEARDUP, 'verify', '--config', config, '--json')
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        return done.returncode, json.loads(done.stdout)

    def assert_promises_kept(self, config, records):
        code, report = self.verify(config)
        self.assertEqual(code, 0, json.dumps(report, indent=1)[:6000])
        self.assertEqual(report['inputs'], records)
        return report
