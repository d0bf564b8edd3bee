/**
 * Ports of this test file alone. Its thread claims a block of ports by listening on the first one, which ends with the
 * thread; so several test files can run beside each other. The blocks are below the ports that the system gives to
 * sockets without one of their own: a port cannot be taken between its choice and its use.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const blocks = { from: 10_000, length: 3_000, count: 6 };
/** Within a block: single ports, the audio of lines without a media server, ranges of media servers and far ends. */
const linesFrom = 400;
const rangesFrom = 800;

const listenOn = async (port: number): Promise<Server | null> => {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  } catch {
    return null;
  }
};

const isFreeForUdp = async (port: number): Promise<boolean> => {
  const socket = createSocket('udp4');
  try {
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
};

const isFree = async (port: number): Promise<boolean> => {
  const server = await listenOn(port);
  if (server === null) return false;
  server.close();
  await once(server, 'close');
  return isFreeForUdp(port);
};

const areFree = async (first: number, count: number): Promise<boolean> => {
  for (let port = first; port < first + count; port += 1) if (!(await isFree(port))) return false;
  return true;
};

const claimBlock = async (): Promise<number> => {
  for (let block = 0; block < blocks.count; block += 1) {
    const first = blocks.from + block * blocks.length;
    const claim = await listenOn(first);
    if (claim === null) continue;
    claim.unref();
    return first;
  }
  throw new Error(`All ${blocks.count} blocks of ports from ${blocks.from} on are taken by other test files`);
};

let claimed: Promise<number> | undefined;
let nextPort = 1;
let nextRange = rangesFrom;

/** A free port of loopback, UDP and TCP; the first of `count` that are next to each other. */
export const ownPort = async (count = 1): Promise<number> => {
  const block = await (claimed ??= claimBlock());
  for (let tried = 0; tried < linesFrom; tried += count) {
    if (nextPort + count > linesFrom) nextPort = 1;
    const port = block + nextPort;
    nextPort += count;
    if (await areFree(port, count)) return port;
  }
  throw new Error(`None of the ports from ${block} on is free`);
};

/** For the audio of all lines of this file, which try the ports of the range themselves. */
export const ownLinePorts = async (): Promise<{ from: number; to: number }> => {
  const block = await (claimed ??= claimBlock());
  return { from: block + linesFrom, to: block + rangesFrom - 2 };
};

/** The next range of `count` ports for audio, even at its start. The ranges of a file follow each other in turns. */
export const ownRange = async (count: number): Promise<{ from: number; to: number }> => {
  const block = await (claimed ??= claimBlock());
  if (nextRange + count > blocks.length) nextRange = rangesFrom;
  const from = block + nextRange;
  nextRange += count + (count % 2);
  return { from, to: from + count - 2 };
};
