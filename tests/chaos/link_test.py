"""The link between service and brokers: which requests it holds back, and that they arrive."""
import asyncio
import socket
import socketserver
import threading
import unittest

from link import REQUESTS, Link

KEYS = {kind: key for key, kind in REQUESTS.items()}
PATIENCE_S = 60


def request(kind, body=b''):
    content = KEYS[kind].to_bytes(2) + body
    return len(content).to_bytes(4) + content


class Broker(socketserver.ThreadingTCPServer):
    """Answers each piece of data with OK, and remembers what it got, by connection."""
    daemon_threads = True

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            number = self.server.connections
            self.server.connections += 1
            while data := self.request.recv(1 << 16):
                with self.server.changed:
                    self.server.received.append((number, data))
                    self.server.changed.notify_all()
                self.request.sendall(b'OK')

    def __init__(self):
        super().__init__(('127.0.0.1', 0), self.Handler)
        self.connections = 0
        self.received = []
        self.changed = threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def wait_for(self, *parts):
        """Waits until the broker has got just this, in this order."""
        with self.changed:
            self.changed.wait_for(lambda: len(self.received) >= len(parts), PATIENCE_S)
            return self.received


class HoldingLink(Link):
    """Late requests arrive when the test lets them."""

    def __init__(self, ports):
        self.may_arrive = asyncio.Event()
        super().__init__(ports)

    async def wait_late(self, delay_s):
        await self.may_arrive.wait()

    def let_arrive(self):
        self.loop.call_soon_threadsafe(self.may_arrive.set)


class LinkTest(unittest.TestCase):
    def setUp(self):
        self.broker = Broker()
        self.addCleanup(self.broker.server_close)
        self.addCleanup(self.broker.shutdown)
        self.link = HoldingLink([self.broker.server_address[1]])

    def connect(self):
        (port,) = self.link.ports.values()
        client = socket.create_connection(('127.0.0.1', port), timeout=PATIENCE_S)
        self.addCleanup(client.close)
        return client

    def exchange(self, client, data):
        client.sendall(data)
        self.assertEqual(client.recv(16), b'OK')

    def test_requests_pass_in_pieces_of_any_size(self):
        client = self.connect()
        whole = request('Produce', b'x' * 100_000) + request('EndTxn')
        for at in range(0, len(whole), 30_000):
            client.sendall(whole[at:at + 30_000])
        with self.broker.changed:
            self.assertTrue(self.broker.changed.wait_for(
                lambda: b''.join(data for _, data in self.broker.received) == whole, PATIENCE_S))

    def test_a_late_request_loses_its_connection_and_arrives_after_later_ones(self):
        client = self.connect()
        self.exchange(client, request('Produce', b'1'))
        self.link.deliver_late('EndTxn', 1)
        self.exchange(client, request('Produce', b'2'))
        client.sendall(request('EndTxn', b'late'))
        with self.assertRaises(ConnectionResetError):
            if client.recv(16) == b'':
                raise ConnectionResetError
        again = self.connect()
        self.exchange(again, request('EndTxn', b'again'))
        self.link.let_arrive()
        self.assertEqual(self.broker.wait_for(*range(4)), [
            (0, request('Produce', b'1')), (0, request('Produce', b'2')), (1, request('EndTxn', b'again')),
            (0, request('EndTxn', b'late'))])
        self.assertEqual(self.link.late_requests, {'EndTxn': 1})

    def test_what_follows_a_late_request_comes_with_it(self):
        client = self.connect()
        self.link.deliver_late('Produce', 0)
        self.link.let_arrive()
        client.sendall(request('Metadata') + request('Produce', b'late') + request('Produce', b'next'))
        with self.broker.changed:
            self.assertTrue(self.broker.changed.wait_for(
                lambda: b''.join(data for _, data in self.broker.received)
                == request('Metadata') + request('Produce', b'late') + request('Produce', b'next'), PATIENCE_S))

    def test_a_connection_that_hangs_ends_when_the_client_gives_it_up(self):
        client = self.connect()
        self.link.deliver_late('EndTxn', 0, hangs=True)
        self.link.let_arrive()
        client.sendall(request('EndTxn', b'late'))
        client.settimeout(0.2)
        with self.assertRaises(TimeoutError):
            client.recv(16)
        self.assertEqual(self.broker.received, [])
        client.close()
        self.assertEqual(self.broker.wait_for(0), [(0, request('EndTxn', b'late'))])


if __name__ == '__main__':
    unittest.main(verbosity=2)
