/**
 * A program: receives RTP by UDP for any number of calls and records the gap before each packet of a call:
 * `rtp-receiver.ts <port>`, for both IP versions. `GET /` returns the gaps in milliseconds and clears them.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';

const port = Number(process.argv[2]);
const arrivals = new Map<number, number>();
let gapsMs: number[] = [];

const sound = createSocket('udp4').bind(port, '127.0.0.1');
sound.on('message', (_packet, from) => {
  const now = performance.now();
  const before = arrivals.get(from.port);
  if (before !== undefined) gapsMs.push(now - before);
  arrivals.set(from.port, now);
});

const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(gapsMs));
  gapsMs = [];
});
server.listen(port, '127.0.0.1');

await once(process, 'SIGTERM');
sound.close();
server.close();
server.closeAllConnections();
