"""TLS, logins and rights on a real Kafka: what is right works, and what is wrong or missing is named in one line, with
an exit code, by `run` and by `validate --online`. No secret is printed."""
import json
import re
import shutil
import signal
import unittest

from acls import allow
from harness import KafkaTest, NEARDUP, run
from secure_kafka import KEY_PASSWORD, PASSWORD, SCRAM, SecureKafkaTest

RECORDS = 500
APP = 'sec'
INPUT = 'sec-news'
CHANGELOG, LEASE = f'{APP}-changelog', f'{APP}-lease'
ON_ID = f'Write@transactional-id:{APP}-lane-0'


def outputs(topic):
    return [f'{topic}.{route}' for route in ('unique', 'duplicate', 'dead-letter')]


def rights(app, topic):
    """All rights that the service needs but that on the transactional id. docs/security.md lists the same."""
    return [
        f'Read@topic:{topic}', f'DescribeConfigs@topic:{topic}',
        *(f'{operation}@topic:{output}' for output in outputs(topic) for operation in ('Read', 'Write', 'DescribeConfigs')),
        *(f'{operation}@topic:{app}-changelog' for operation in ('Read', 'Write', 'Delete', 'DescribeConfigs')),
        f'Describe@topic:{app}-lease', f'Read@group:{app}', f'Read@group:{app}-lease',
    ]


OUTPUTS, RIGHTS = outputs(INPUT), rights(APP, INPUT)
# Each of these users has all rights but one.
LACKING = {
    'no-input': f'Read@topic:{INPUT}',
    'no-output': f'Write@topic:{OUTPUTS[0]}',
    'no-deltas': f'Write@topic:{CHANGELOG}',
    'no-changelog': f'Read@topic:{CHANGELOG}',
    'no-lease': f'Describe@topic:{LEASE}',
    'no-group': f'Read@group:{APP}',
    'no-lease-group': f'Read@group:{LEASE}',
    'no-id': ON_ID,
}
# The service runs without these.
MISSED = {'no-purge': f'Delete@topic:{CHANGELOG}', 'no-settings': f'DescribeConfigs@topic:{OUTPUTS[1]}'}


def words(right):
    """Write@topic:news as ('Write', 'topic', 'news')."""
    operation, resource = right.split('@')
    return (operation, *resource.split(':', 1))


class Security(SecureKafkaTest):
    users = (*LACKING, *MISSED, 'nobody')

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.create_topics(APP, INPUT)
        everybody = ['neardup', 'CN=client', *LACKING, *MISSED]
        for user in everybody:
            lacks = {**LACKING, **MISSED}.get(user)
            more = {'no-id': ['Describe@cluster'], 'no-input': [f'Describe@topic:{INPUT}']}.get(user, [])
            allow(cls.brokers, f'User:{user}', *more, *(right for right in [*RIGHTS, ON_ID] if right != lacks))

    @classmethod
    def create_topics(cls, app, topic):
        cls.load_once('create', '--topic', topic, '--partitions', 2)
        for output in outputs(topic):
            cls.load_once('create', '--topic', output, '--partitions', 2, '--config', 'max.message.bytes=2000000')
        for own in (f'{app}-changelog', f'{app}-lease'):
            cls.load_once('create', '--topic', own, '--partitions', 1, '--config', 'retention.bytes=-1', '--config',
                          'message.timestamp.type=LogAppendTime')

    @classmethod
    def load_once(cls, *arguments):
        KafkaTest.load(cls(), *arguments)

    def setUp(self):
        super().setUp()
        self.app, self.topics = APP, [INPUT]
        self.printed = ''
        self.addCleanup(self.assert_no_secret)

    def assert_no_secret(self):
        logs = ''.join(service.text() for service in self.services)
        for secret in (PASSWORD, KEY_PASSWORD):
            self.assertNotIn(secret, self.printed + logs)

    def neardup(self, command, kafka, *more):
        config = self.write_config(kafka=kafka, lease={'give_up_ms': '1s', 'stay_out_ms': '1s'})
        done = run(NEARDUP, *command.split(), '--config', config, *more, code=None, timeout=180)
        self.printed += done.stdout + done.stderr
        return done

    def run_service(self, kafka):
        return self.neardup('run', kafka, '--metrics-port', '0')

    def online(self, kafka, *more):
        return self.neardup('validate --online', kafka, *more)

    def assert_line(self, text, *parts):
        found = [line for line in text.splitlines() if all(part in line for part in parts)]
        self.assertTrue(found, f'no line with {parts} in:\n{text}')
        return found[-1]

    def test_a_right_login_works_and_shows_no_secret(self):
        kafka = self.login('neardup', 'SCRAM-SHA-512' if SCRAM else 'PLAIN')
        self.create_own_topics('login')
        checked = self.online(kafka)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        config, service = self.start_on_own_topics(kafka)
        self.assertEqual(re.findall(r'(?m)^\S+ (?:error|warning) .*SASL authentication error.*', service.text()), [])
        self.printed += service.get('/status')[1] + service.get('/metrics')[1]
        self.assertIn('******', service.get('/status')[1])
        self.assertEqual(self.neardup('config show --origin', kafka).returncode, 0)
        with self.subTest('SIGHUP takes over what does not change fingerprints, and refuses the rest'):
            self.write_config(kafka=kafka, log={'level': 'debug'})
            service.process.send_signal(signal.SIGHUP)
            self.wait(lambda: 'in force now: log.level' in service.text(), 'the new level', services=[service])
            self.assertIn('"level":"debug"', service.get('/status')[1].replace(' ', ''))
            self.write_config(kafka=kafka, record={'fields': ['title']}, log={'level': 'info'})
            service.process.send_signal(signal.SIGHUP)
            self.wait(lambda: 'nothing is changed: record.fields needs' in service.text(), 'a refusal', services=[service])
            config.write_text('{')
            service.process.send_signal(signal.SIGHUP)
            self.wait(lambda: service.text().count('nothing is changed') == 2, 'a refusal', services=[service])
            self.write_config(kafka=kafka, window={'window_ms': '1h'}, log={'level': 'info'})
            service.process.send_signal(signal.SIGHUP)
            self.wait(lambda: 'starts again with: window.window_ms' in service.text(), 'a start', services=[service])
            self.wait(lambda: service.text().count('lane is active') == 2, 'the lane again', services=[service])
            self.wait_drained(service)
            self.assertIn('"window_ms":3600000', service.get('/status')[1].replace(' ', ''))
            self.assertEqual(service.decided(), 0, 'records are decided twice')
            self.write_config(kafka=kafka)
        with self.subTest('validate --online beside the running service disturbs nothing'):
            unchanged = (*outputs(self.topics[0]), f'{self.app}-lease')
            before = [self.load('dump', '--topic', topic) for topic in unchanged]
            checked = self.online(kafka)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
            self.assertEqual(before, [self.load('dump', '--topic', topic) for topic in unchanged])
            self.assertEqual(service.metric('neardup_lane_losses_total'), 0)
        self.assertEqual(service.terminate()[0], 0)
        self.assert_promises_kept(config, RECORDS)
        with self.subTest('a client certificate is a login, too'):
            service = self.start(self.write_config(kafka=self.mutual()))
            self.wait_drained(service)
            self.printed += service.get('/status')[1]
            self.assertEqual(service.terminate()[0], 0)

    def create_own_topics(self, app):
        self.app, self.topics = app, [f'{app}-news']
        self.create_topics(app, self.topics[0])
        for user in ('CN=client', 'neardup'):
            allow(self.brokers, f'User:{user}', *rights(app, self.topics[0]), f'Write@transactional-id:{app}-lane-0')

    def start_on_own_topics(self, kafka):
        self.fill_more(RECORDS, seed=7)
        config = self.write_config(kafka=kafka)
        service = self.start(config)
        self.wait_drained(service)
        return config, service

    def assert_takes_over(self, config, service, spoil, mend, named):
        """Spoils the secrets of a running service, then mends them. It goes on all the time."""
        spoil()
        self.wait(lambda: service.metric('neardup_secrets_refused') == 1, 'a refusal', services=[service])
        self.assert_line(service.text(), f' error {named}', 'changed secrets are not used yet')
        self.fill_more(RECORDS, seed=8)
        self.wait_drained(service)
        mend()
        self.wait(lambda: service.text().count('lane is active') == 2, 'new connections', services=[service])
        self.assert_line(service.text(), 'secrets have changed, and the brokers accept them', named)
        self.assertEqual(service.metric('neardup_secrets_refused'), 0)
        self.fill_more(RECORDS, seed=9)
        self.wait_drained(service)
        # It complains again only for another reason: a busy broker may also be slow to answer.
        complaints = re.findall(r' error (.*); changed secrets are not used yet', service.text())
        self.assertGreaterEqual(len(complaints), 1)
        for first, second in zip(complaints, complaints[1:]):
            self.assertNotEqual(first, second)
        code, seconds = service.terminate()
        self.assertEqual(code, 0, service.text()[-3000:])
        self.assert_promises_kept(config, 3 * RECORDS)

    def test_changed_certificates_are_taken_over_without_a_restart(self):
        certificate, key = (self.directory / f'client.{kind}' for kind in ('pem', 'key'))
        for path in (certificate, key):
            shutil.copy(self.certificates.path(path.name), path)
        kafka = self.mutual(**{'ssl.certificate.location': str(certificate), 'ssl.key.location': str(key)})
        self.create_own_topics('renewing')
        config, service = self.start_on_own_topics(kafka)
        # A rotation writes one file after the other.
        self.assert_takes_over(config, service, named=str(key),
                               spoil=lambda: shutil.copy(self.certificates.path('renewed.key'), key),
                               mend=lambda: shutil.copy(self.certificates.path('renewed.pem'), certificate))

    @unittest.skipUnless(SCRAM, 'librdkafka before 2.6.1 cannot log in with SCRAM to Kafka 4')
    def test_a_changed_password_is_taken_over_without_a_restart(self):
        password = self.directory / 'password'
        password.write_text(PASSWORD + '\n')
        kafka = self.login('neardup', 'SCRAM-SHA-512', **{'sasl.password': f'${{file:{password}}}'})
        self.create_own_topics('repassed')
        config, service = self.start_on_own_topics(kafka)
        other = PASSWORD + '-next'
        self.addCleanup(self.set_scram_password, PASSWORD)
        self.assert_takes_over(config, service, named='kafka.properties.sasl.password',
                               spoil=lambda: password.write_text(other),
                               mend=lambda: self.set_scram_password(other))

    @unittest.skipUnless(SCRAM, 'librdkafka before 2.6.1 cannot log in with SCRAM to Kafka 4')
    def test_a_changed_password_is_taken_over_while_the_lane_learns(self):
        password = self.directory / 'password-of-a-learner'
        password.write_text(PASSWORD)
        self.create_own_topics('learner')
        config = self.write_config(
            kafka=self.login('neardup', 'SCRAM-SHA-512', **{'sasl.password': f'${{file:{password}}}'}))
        settings = json.loads(config.read_text())
        del settings['record'], settings['match']
        config.write_text(json.dumps(settings))
        service = self.start(config)
        self.wait(lambda: 'learning from the input topics' in service.text(), 'the learning', services=[service])
        self.addCleanup(self.set_scram_password, PASSWORD)
        self.set_scram_password(PASSWORD + '-next')
        self.wait(lambda: 'cannot learn now' in service.text(), 'a refusal', services=[service])
        password.write_text(PASSWORD + '-next')
        self.wait(lambda: 'the brokers accept them' in service.text(), 'the new password', services=[service])
        self.fill_more(RECORDS, seed=11)
        self.end_drained(service)
        self.assert_promises_kept(config, RECORDS)

    def test_a_wrong_login_is_named_with_the_exit_code_77(self):
        no_certificate = self.mutual()
        for name in ('ssl.certificate.location', 'ssl.key.location', 'ssl.key.password'):
            del no_certificate['properties'][name]
        other = self.certificates.path('other-ca.pem')
        for what, kafka, parts in (
                ('wrong password', self.login('neardup', **{'sasl.password': 'wrong'}), ['Invalid username or password']),
                ('wrong authority', self.login('neardup', **{'ssl.ca.location': other}),
                 ['certificate of broker localhost', 'is not signed by an authority in ssl.ca.location']),
                ('expired', self.login('neardup', listener='EXPIRED'), ['certificate of broker', 'has expired']),
                ('other host', self.login('neardup', listener='ELSEWHERE'), ['is for another host name']),
                ('no client certificate', no_certificate, ['the broker got no client certificate, or refused it']),
                ('no TLS', {**self.login('neardup'), 'brokers': self.brokers}, ['perhaps the listener has no TLS'])):
            with self.subTest(what):
                done = self.online(kafka)
                self.assert_line(done.stdout, 'wrong    brokers', *parts)
                self.assertEqual(done.returncode, 77)
                done = self.run_service(kafka)
                self.assert_line(done.stderr + done.stdout, 'error', 'no login to the brokers', *parts)
                self.assertEqual(done.returncode, 77)

    def test_a_wrong_key_password_is_named_with_the_exit_code_78(self):
        kafka = self.mutual(**{'ssl.key.password': 'planted-but-wrong'})
        for done in (self.online(kafka), self.run_service(kafka)):
            self.assertEqual(done.returncode, 78)
            self.assert_line(done.stdout + done.stderr, 'ssl.key.location')
            self.assertNotIn('planted-but-wrong', done.stdout + done.stderr)

    def test_brokers_that_do_not_answer_have_the_exit_code_69(self):
        done = self.online({'brokers': 'localhost:1'}, '--set', 'kafka.properties={}')
        self.assert_line(done.stdout, 'wrong    brokers localhost:1')
        self.assertEqual(done.returncode, 69)

    def test_each_missing_right_is_named_with_what_grants_it(self):
        # The outputs and the changelog hold records, and some are left to decide.
        _, service = self.start_on_own_topics(self.login('neardup'))
        self.assertEqual(service.terminate()[0], 0)
        self.fill_more(RECORDS, seed=8)
        for user, right in LACKING.items():
            operation, kind, name = words(right)
            grant = f'--add --allow-principal User:{user} --operation {operation} --{kind} {name}'
            with self.subTest(user):
                done = self.online(self.login(user))
                self.assert_line(done.stdout, 'wrong', grant)
                self.assertEqual(done.returncode, 77, done.stdout)
                done = self.run_service(self.login(user))
                self.assert_line(done.stderr + done.stdout, 'error', 'is missing', grant)
                self.assertEqual(done.returncode, 77, done.stderr)

    def test_a_user_without_rights_is_told_all_that_it_needs(self):
        done = self.online(self.login('nobody'))
        self.assertEqual(done.returncode, 77)
        for needed in (f'--operation Read --operation DescribeConfigs --topic {INPUT}',
                       f'--operation Read --operation Write --operation DescribeConfigs --topic {OUTPUTS[2]}',
                       f'--operation Read --operation Write --operation Delete --operation DescribeConfigs --topic '
                       f'{CHANGELOG}', f'--operation Describe --topic {LEASE}', f'--operation Read --group {APP}'):
            self.assert_line(done.stdout, 'wrong', needed)

    def test_topics_that_do_not_exist_and_settings_that_lose_records_are_named(self):
        self.load('create', '--topic', 'bad-changelog', '--partitions', 1, '--config', 'cleanup.policy=compact')
        admin = {'brokers': self.brokers}
        done = self.online(admin, '--set', 'app=bad', '--set', 'input.topics=[absent]')
        self.assert_line(done.stdout, 'wrong    topic absent: does not exist')
        self.assert_line(done.stdout, 'ok       topic absent.unique: does not exist yet; the service may create it')
        self.assert_line(done.stdout, 'wrong    topic bad-changelog', 'cleanup.policy=compact')
        self.assertEqual(done.returncode, 66)
        done = self.online(self.login('neardup'), '--set', 'app=bad', '--set', f'input.topics=[{INPUT}]', '--set',
                           'output.unique_topic=absent')
        self.assert_line(done.stdout, 'wrong    topic absent', 'Describe is missing')
        self.load('create', '--topic', 'small.unique', '--partitions', 1, '--config', 'max.message.bytes=1000')
        self.load('create', '--topic', 'small', '--partitions', 2)
        done = self.online(admin, '--set', 'app=small', '--set', 'input.topics=[small]', '--set',
                           'output.replication_factor=3')
        self.assert_line(done.stdout, 'warning  topic small.unique: max.message.bytes=1000, expected')
        self.assert_line(done.stdout, 'ok       topic small.unique', 'the service will add partitions up to 2')
        self.assert_line(done.stdout, 'wrong    topic small-changelog: does not exist', 'replication factor')
        self.assertEqual(done.returncode, 78)

    def test_a_compacted_input_is_a_warning(self):
        self.load('create', '--topic', 'compacted', '--partitions', 1, '--config', 'cleanup.policy=compact')
        done = self.online({'brokers': self.brokers}, '--set', 'app=compacted', '--set', 'input.topics=[compacted]')
        self.assert_line(done.stdout, 'warning  topic compacted: cleanup.policy=compact', 'docs/compacted-inputs.md')
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_right_that_the_service_can_do_without_is_a_warning(self):
        for user, right in MISSED.items():
            operation, kind, name = words(right)
            with self.subTest(user):
                done = self.online(self.login(user))
                self.assert_line(done.stdout, 'warning',
                                 f'--add --allow-principal User:{user} --operation {operation} --{kind} {name}')
                self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == '__main__':
    unittest.main(verbosity=2)
