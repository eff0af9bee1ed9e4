"""Accepts TCP connections on one port of this machine and hands each to the next of several others, in turn.

python3 spread.py PORT TO...

So the clients of one test come to different nodes of a cluster.
"""
import asyncio
import itertools
import sys


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except (ConnectionError, OSError):
        writer.transport.abort()


async def main(port, targets):
    turns = itertools.cycle(targets)

    async def accepted(reader, writer):
        try:
            to_reader, to_writer = await asyncio.open_connection("127.0.0.1", next(turns))
        except OSError:
            writer.transport.abort()
            return
        await asyncio.gather(copy(reader, to_writer), copy(to_reader, writer))
        to_writer.close()
        writer.close()

    server = await asyncio.start_server(accepted, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


asyncio.run(main(int(sys.argv[1]), [int(port) for port in sys.argv[2:]]))
