"""A real Kafka with TLS, logins and rights for the tests of this folder. `openssl` makes the certificates."""
import pathlib
import re
import shutil
import tempfile

from harness import KAFKA_VERSION, KafkaTest, NEARDUP, free_port, free_ports, run

PASSWORD = 'planted-secret-4711'
KEY_PASSWORD = 'planted-key-secret-0815'


def scram_works():
    """librdkafka before 2.6.1 cannot log in with SCRAM to Kafka 4."""
    version = re.search(r'librdkafka (\d+)\.(\d+)\.(\d+)', run(NEARDUP, '--version').stdout)
    new_library = tuple(int(part) for part in version.groups()) >= (2, 6, 1)
    return new_library or not (KAFKA_VERSION or '3').startswith('4')


SCRAM = scram_works()


class Certificates:
    """Two authorities, and certificates of the first one: of the broker, of a client, and bad ones."""

    def __init__(self, directory):
        self.directory = directory
        for name in ('ca', 'other-ca'):
            self.openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', f'{name}.key', '-out', f'{name}.pem',
                         '-subj', f'/CN={name}', '-days', '30')
        self.issue('broker', '20200101000000Z', '20991231000000Z', 'DNS:localhost,IP:127.0.0.1')
        self.issue('expired', '20200101000000Z', '20210101000000Z', 'DNS:localhost,IP:127.0.0.1')
        self.issue('elsewhere', '20200101000000Z', '20991231000000Z', 'DNS:elsewhere.example')
        self.issue('client', '20200101000000Z', '20991231000000Z', 'DNS:client.example')
        self.issue('renewed', '20200101000000Z', '20991231000000Z', 'DNS:client.example', common_name='client')
        self.openssl('pkcs8', '-topk8', '-in', 'client.key', '-out', 'client.locked.key', '-passout',
                     f'pass:{KEY_PASSWORD}')

    def openssl(self, *arguments):
        run('openssl', *arguments, cwd=self.directory)

    def issue(self, name, begin, end, names, common_name=None):
        self.openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', f'{name}.key', '-out', f'{name}.csr', '-subj',
                     f'/CN={common_name or name}')
        (self.directory / 'ca.conf').write_text(
            f'[ca]\ndefault_ca=a\n[a]\nnew_certs_dir={self.directory}\ndatabase={self.directory}/index\n'
            'default_md=sha256\npolicy=p\nrand_serial=yes\nunique_subject=no\nx509_extensions=x\n'
            f'[p]\ncommonName=supplied\n[x]\nsubjectAltName={names}\n')
        (self.directory / 'index').touch()
        self.openssl('ca', '-batch', '-notext', '-config', 'ca.conf', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-in',
                     f'{name}.csr', '-out', f'{name}.pem', '-startdate', begin, '-enddate', end)
        # The broker reads key and certificate from one file.
        both = (self.directory / f'{name}.key').read_text() + (self.directory / f'{name}.pem').read_text()
        (self.directory / f'{name}.both.pem').write_text(both)

    def path(self, name):
        return str(self.directory / name)


class SecureKafkaTest(KafkaTest):
    """The broker has these listeners. PLAINTEXT: everybody is User:ANONYMOUS, who may do everything. LOGIN: TLS with
    SCRAM or PLAIN. MUTUAL: TLS with a certificate of the client. EXPIRED and ELSEWHERE: as LOGIN, with a bad
    certificate of the broker. Without a rule, nobody may do anything."""
    users = ()  # for PLAIN, beside `neardup`; all have the same password

    @classmethod
    def setUpClass(cls):
        cls.secrets = pathlib.Path(tempfile.mkdtemp(prefix='neardup-certificates-'))
        cls.addClassCleanup(shutil.rmtree, cls.secrets)
        cls.certificates = Certificates(cls.secrets)
        cls.ports = {name: free_port() for name in ('LOGIN', 'MUTUAL', 'EXPIRED', 'ELSEWHERE')}
        base = free_ports(2)  # of the broker, and of its controller
        plain = ' '.join(f'user_{user}="{PASSWORD}"' for user in ('neardup', *cls.users))
        listeners = [f'PLAINTEXT://127.0.0.1:{base}', *(f'{name}://127.0.0.1:{p}' for name, p in cls.ports.items())]
        properties = {
            'listeners': ','.join([*listeners, f'CONTROLLER://127.0.0.1:{base + 1}']),
            'advertised.listeners': ','.join(listeners),
            'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,LOGIN:SASL_SSL,MUTUAL:SSL,'
                                              'EXPIRED:SASL_SSL,ELSEWHERE:SASL_SSL',
            'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512',
            'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
            'super.users': 'User:ANONYMOUS',
            'ssl.keystore.type': 'PEM',
            'ssl.truststore.type': 'PEM',
            'ssl.truststore.location': cls.certificates.path('ca.pem'),
            'listener.name.mutual.ssl.client.auth': 'required',
        }
        for name, certificate in (('login', 'broker'), ('mutual', 'broker'), ('expired', 'expired'),
                                  ('elsewhere', 'elsewhere')):
            properties[f'listener.name.{name}.ssl.keystore.location'] = cls.certificates.path(f'{certificate}.both.pem')
            properties[f'listener.name.{name}.plain.sasl.jaas.config'] = (
                f'org.apache.kafka.common.security.plain.PlainLoginModule required {plain};')
            properties[f'listener.name.{name}.scram-sha-512.sasl.jaas.config'] = (
                'org.apache.kafka.common.security.scram.ScramLoginModule required;')
        cls.kafka_options = ('--port', str(base), *(
            part for name, value in properties.items() for part in ('--property', f'{name}={value}')))
        super().setUpClass()
        if SCRAM:
            cls.set_scram_password(PASSWORD)

    @classmethod
    def set_scram_password(cls, password):
        cls.kafka_tool('kafka.admin.ConfigCommand', '--bootstrap-server', cls.brokers, '--alter', '--entity-type',
                       'users', '--entity-name', 'neardup', '--add-config',
                       f'SCRAM-SHA-512=[iterations=4096,password={password}]')

    @classmethod
    def kafka_tool(cls, *arguments):
        pid = (cls.directory / 'kafka' / '1' / 'pid').read_text().strip()
        command = pathlib.Path(f'/proc/{pid}/cmdline').read_text().split('\0')
        run('java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', command[command.index('-cp') + 1], *arguments)

    @classmethod
    def login(cls, user, mechanism='PLAIN', listener='LOGIN', **changes):
        """The section `kafka` of a configuration."""
        return {'brokers': f'localhost:{cls.ports[listener]}', 'properties': {
            'security.protocol': 'sasl_ssl', 'sasl.mechanism': mechanism, 'sasl.username': user,
            'sasl.password': PASSWORD, 'ssl.ca.location': cls.certificates.path('ca.pem'),
            'ssl.endpoint.identification.algorithm': 'https', **changes}}

    @classmethod
    def mutual(cls, **changes):
        return {'brokers': f'localhost:{cls.ports["MUTUAL"]}', 'properties': {
            'security.protocol': 'ssl', 'ssl.ca.location': cls.certificates.path('ca.pem'),
            'ssl.certificate.location': cls.certificates.path('client.pem'),
            'ssl.key.location': cls.certificates.path('client.locked.key'), 'ssl.key.password': KEY_PASSWORD,
            'ssl.endpoint.identification.algorithm': 'https', **changes}}
