"""Accepts TCP connections on one port of this machine and hands each to the next of several others, in turn.

python3 spread.py [--tls AUTHORITY] PORT TO...

So the clients of one test come to different nodes of a cluster; or, with the file of an authority's certificate, clients that know
no TLS come to a broker that wants it.
"""
import argparse
import asyncio
import itertools
import ssl


async def copy(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()
        else:  # TLS is closed as a whole
            writer.close()
    except (ConnectionError, OSError):
        writer.transport.abort()


async def main(port, targets, tls):
    turns = itertools.cycle(targets)

    async def accepted(reader, writer):
        try:
            to_reader, to_writer = await asyncio.open_connection("127.0.0.1", next(turns), ssl=tls)
        except OSError:
            writer.transport.abort()
            return
        await asyncio.gather(copy(reader, to_writer), copy(to_reader, writer))
        to_writer.close()
        writer.close()

    server = await asyncio.start_server(accepted, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


parser = argparse.ArgumentParser()
parser.add_argument("--tls", metavar="AUTHORITY")
parser.add_argument("port", type=int)
parser.add_argument("to", type=int, nargs="+")
given = parser.parse_args()
context = ssl.create_default_context(cafile=given.tls) if given.tls else None
asyncio.run(main(given.port, given.to, context))
