"""The network between the service and the brokers: a TCP proxy with faults. The service's connections to a
broker's port arrive here, because failpoints.cc changes the port in `connect`."""
import asyncio
import threading


class Link:
    """Forwards connections to 127.0.0.1:port for each of the ports. The methods may be called from any
    thread."""

    def __init__(self, ports):
        self.loop = asyncio.new_event_loop()
        self.delay_s = 0.0
        self.open = asyncio.Event()
        self.open.set()
        self.writers = set()
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
        await asyncio.gather(self.pump(reader, far_writer), self.pump(far_reader, writer))
        self.writers -= {writer, far_writer}

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(1 << 16):
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                await self.open.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass  # the other side learns of a lost connection when this one closes
        writer.close()

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

    def freeze(self):
        """Keeps all connections open, and accepts new ones, but nothing passes."""
        self.loop.call_soon_threadsafe(self.open.clear)

    def thaw(self):
        self.loop.call_soon_threadsafe(self.open.set)
