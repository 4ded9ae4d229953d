"""The network between the service and the brokers: a TCP proxy with faults. The service's connections to a
broker's port arrive here, because failpoints.cc changes the port in `connect`. The connections must be plain text,
because the link reads which requests pass."""
import asyncio
import collections
import threading

# Kafka's name of each kind of request that the service sends, by its key in the protocol.
REQUESTS = {0: 'Produce', 1: 'Fetch', 2: 'ListOffsets', 3: 'Metadata', 9: 'OffsetFetch', 10: 'FindCoordinator',
            11: 'JoinGroup', 12: 'Heartbeat', 13: 'LeaveGroup', 14: 'SyncGroup', 18: 'ApiVersions',
            21: 'DeleteRecords', 22: 'InitProducerId', 24: 'AddPartitionsToTxn', 25: 'AddOffsetsToTxn', 26: 'EndTxn',
            28: 'TxnOffsetCommit'}
# A request begins with its size (4 bytes, which are not counted) and its key (2 bytes).
SIZE_BYTES = 4
KEY_END = 6
# How long the answers to late requests are awaited before the broker's side of the connection is closed.
LAST_ANSWERS_S = 5


class Late:
    """What to do with the next request of a kind: it is held, and reaches the broker `delay_s` later."""

    def __init__(self, kind, delay_s, hangs):
        self.kind, self.delay_s, self.hangs = kind, delay_s, hangs


class Link:
    """Forwards connections to 127.0.0.1:port for each of the ports. The methods may be called from any
    thread."""

    def __init__(self, ports):
        self.loop = asyncio.new_event_loop()
        self.delay_s = 0.0
        self.open = asyncio.Event()
        self.open.set()
        self.writers = set()
        self.late = None
        self.late_requests = collections.Counter()  # by kind, those that were held
        self.ports = {}
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        for port in ports:
            self.ports[port] = asyncio.run_coroutine_threadsafe(self.listen(port), self.loop).result()

    async def listen(self, port):
        async def connected(reader, writer):
            await self.forward(reader, writer, port)
        server = await asyncio.start_server(connected, '127.0.0.1', 0)
        return server.sockets[0].getsockname()[1]

    async def forward(self, reader, writer, port):
        try:
            far_reader, far_writer = await asyncio.open_connection('127.0.0.1', port)
        except OSError:
            writer.close()
            return
        self.writers |= {writer, far_writer}
        answers = asyncio.ensure_future(self.pump(far_reader, writer))
        try:
            held = await self.pump_requests(reader, writer, far_writer)
            self.writers.discard(far_writer)
            if held:
                await self.deliver(far_writer, *held)
        except OSError:
            pass  # the other side learns of a lost connection when this one closes
        far_writer.close()
        await answers
        self.writers -= {writer, far_writer}

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(1 << 16):
                await self.pass_time()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    async def pass_time(self):
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        await self.open.wait()

    async def pump_requests(self, reader, writer, far_writer):
        """Returns the bytes that the broker gets late, and after how many seconds; None if there are none."""
        pending = b''
        while data := await reader.read(1 << 16):
            await self.pass_time()
            pending += data
            passed = 0
            while len(pending) >= passed + KEY_END:
                end = passed + SIZE_BYTES + int.from_bytes(pending[passed:passed + SIZE_BYTES])
                if len(pending) < end:
                    break
                kind = REQUESTS.get(int.from_bytes(pending[passed + SIZE_BYTES:passed + KEY_END]), 'other')
                late = self.late
                if late and late.kind == kind:
                    self.late = None
                    self.late_requests[kind] += 1
                    if passed:
                        far_writer.write(pending[:passed])
                    rest = await self.cut_off(reader, writer, late.hangs)
                    return pending[passed:] + rest, late.delay_s
                passed = end
            if passed:
                far_writer.write(pending[:passed])
                await far_writer.drain()
                pending = pending[passed:]
        return None

    async def cut_off(self, reader, writer, hangs):
        """Returns what the client still sends. A connection that hangs ends when the client gives it up."""
        if not hangs:
            writer.transport.abort()
            return b''
        return await reader.read(-1)

    async def deliver(self, far_writer, data, delay_s):
        """Acts like an orphaned socket: what was sent arrives in order, and nobody reads the answers."""
        await self.wait_late(delay_s)
        far_writer.write(data)
        await far_writer.drain()
        await asyncio.sleep(LAST_ANSWERS_S)

    async def wait_late(self, delay_s):
        await asyncio.sleep(delay_s)

    def environment(self):
        return {'FAILPOINT_LINK': ','.join(f'{port}={other}' for port, other in self.ports.items())}

    def slow(self, delay_s):
        """Delays every piece of data in both directions; 0 ends it."""
        self.delay_s = delay_s

    def cut(self):
        """Closes all connections."""
        def close():
            for writer in list(self.writers):
                writer.transport.abort()
        self.loop.call_soon_threadsafe(close)

    def deliver_late(self, kind, delay_s, hangs=False):
        """The next request of this kind does not pass. Its connection is lost (or, if it `hangs`, does not answer any
        more), and the request reaches the broker this many seconds later, together with what followed it. Replaces
        the earlier order, if no such request has come. Without a kind: ends that order."""
        def order():
            self.late = Late(kind, delay_s, hangs) if kind else None
        self.loop.call_soon_threadsafe(order)

    def late_total(self):
        """How many requests were held back so far."""
        return sum(self.late_requests.values())

    def freeze(self):
        """Keeps all connections open, and accepts new ones, but nothing passes."""
        self.loop.call_soon_threadsafe(self.open.clear)

    def thaw(self):
        self.loop.call_soon_threadsafe(self.open.set)
