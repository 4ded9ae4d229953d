"""Adds rules (ACLs) to a Kafka, with one request of its protocol: the Java tools of Kafka 4 are not available, and
librdkafka 2.0.2 knows no transactional ids."""
import socket
import struct

CREATE_ACLS, VERSION = 30, 1
RESOURCES = {'topic': 2, 'group': 3, 'cluster': 4, 'transactional-id': 5}
OPERATIONS = {'Read': 3, 'Write': 4, 'Create': 5, 'Delete': 6, 'Alter': 7, 'Describe': 8, 'DescribeConfigs': 10}
LITERAL, ALLOW = 3, 3


def text(value):
    return struct.pack('>h', len(value)) + value.encode()


def rule(principal, right):
    """`right` is such as Read@topic:news, or Describe@cluster."""
    operation, _, resource = right.partition('@')
    kind, _, name = resource.partition(':')
    return (struct.pack('>b', RESOURCES[kind]) + text(name or 'kafka-cluster') + struct.pack('>b', LITERAL) +
            text(principal) + text('*') + struct.pack('>bb', OPERATIONS[operation], ALLOW))


def receive(connection, size):
    data = b''
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise ConnectionError('the broker closed the connection')
        data += part
    return data


def allow(brokers, principal, *rights):
    """Allows a principal, such as User:alice, these rights. `brokers`: an address without TLS and login."""
    host, _, port = brokers.partition(':')
    request = struct.pack('>hhi', CREATE_ACLS, VERSION, 1) + text('e2e') + struct.pack('>i', len(rights))
    request += b''.join(rule(principal, right) for right in rights)
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(struct.pack('>i', len(request)) + request)
        answer = receive(connection, struct.unpack('>i', receive(connection, 4))[0])
    at = 12  # after the correlation id, the throttle time and the number of results
    for right in rights:
        code, length = struct.unpack_from('>hh', answer, at)
        if code != 0:
            raise RuntimeError(f'{principal} {right}: error {code}, {answer[at + 4:at + 4 + max(0, length)]}')
        at += 4 + max(0, length)
