"""A schema registry for tests: answers what neardup asks, as Confluent's and Apicurio do. A test can stop it and
start it again on the same port. Knows a few Avro types, enough to write records."""
import base64
import http.server
import json
import threading
import urllib.parse

from harness import free_port

UNKNOWN = 404, {'error_code': 40403, 'message': 'Schema not found'}


class SchemaRegistry:
    """Below `path`, as a registry has it behind a gateway. `login`: the user:password that it asks for."""

    def __init__(self, path='', login=None):
        self.port = free_port()
        self.path = path
        self.url = f'http://127.0.0.1:{self.port}{path}'
        self.login = login
        self.asked = []
        self.schemas = {}
        self.subjects = {}
        self.server = None
        self.start()

    def add(self, number, schema, kind=None, references=()):
        """Confluent's registry names no type where it is Avro."""
        answer = {'schema': schema if isinstance(schema, str) else json.dumps(schema)}
        if kind:
            answer['schemaType'] = kind
        if references:
            answer['references'] = [{'name': subject, 'subject': subject, 'version': 1} for subject in references]
        self.schemas[number] = answer

    def start(self):
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_GET(self):
                status, answer = registry.answer(self.path, self.headers.get('Authorization'))
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header('Content-Type', 'application/vnd.schemaregistry.v1+json')
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', self.port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
        self.server = None

    def answer(self, path, authorization):
        self.asked.append(path)
        if self.login and authorization != 'Basic ' + base64.b64encode(self.login.encode()).decode():
            return 401, {'error_code': 401, 'message': 'Unauthorized'}
        if not path.startswith(self.path + '/'):
            return 404, {'error_code': 404, 'message': 'HTTP 404 Not Found'}
        parts = path[len(self.path):].split('/')[1:]
        if parts == ['schemas', 'types']:
            return 200, ['JSON', 'PROTOBUF', 'AVRO']
        if parts[:2] == ['schemas', 'ids'] and len(parts) == 3:
            known = self.schemas.get(int(parts[2]))
            return (200, known) if known else UNKNOWN
        if parts[:1] == ['subjects'] and parts[2:] == ['versions', '1']:
            known = self.subjects.get(urllib.parse.unquote(parts[1]))
            return (200, known) if known else (404, {'error_code': 40401, 'message': 'Subject not found'})
        return 404, {'error_code': 404, 'message': 'HTTP 404 Not Found'}


def framed(number, value):
    return b'\0' + number.to_bytes(4, 'big') + value


def avro(schema, value):
    """The bytes of a value: records, unions with null, text, long, and bytes."""
    if isinstance(schema, list):
        branch = schema.index('null') if value is None else next(i for i, each in enumerate(schema) if each != 'null')
        return number_bytes(branch) + avro(schema[branch], value)
    kind = schema if isinstance(schema, str) else schema['type']
    if kind == 'null':
        return b''
    if kind == 'record':
        return b''.join(avro(field['type'], value[field['name']]) for field in schema['fields'])
    if kind == 'long':
        return number_bytes(value)
    content = value.encode() if kind == 'string' else value
    return number_bytes(len(content)) + content


def number_bytes(number):
    rest = number << 1 ^ number >> 63
    out = bytearray()
    while rest >= 0x80:
        out.append(rest & 0x7f | 0x80)
        rest >>= 7
    return bytes(out) + bytes([rest])
