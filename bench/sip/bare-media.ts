/**
 * A program: the least that answers a call with drachtio-srf and drachtio-fsmrf and has its sound both ways by a fork.
 * It is what answering calls is measured against: `bare-media.ts <port> <drachtio> <FreeSWITCH>`, each `host:port:secret`.
 * The port answers when it is ready.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import Mrf from 'drachtio-fsmrf';
import Srf from 'drachtio-srf';
import { WebSocketServer } from 'ws';

const [port = '0', drachtio = '', freeSwitch = ''] = process.argv.slice(2);
const addressOf = (text: string): { host: string; port: number; secret: string } => {
  const [host = '', number = '', secret = ''] = text.split(':');
  return { host, port: Number(number), secret };
};

const sound = new WebSocketServer({ host: '127.0.0.1', port: 0 });
await once(sound, 'listening');
const soundAddress = sound.address();
if (soundAddress === null || typeof soundAddress === 'string') throw new Error('There is no port for sound');
const wsUrl = `ws://127.0.0.1:${soundAddress.port}`;
// Four seconds of a quiet tone at the beginning of each call, as long as the greeting of a gateway.
const greeting = Int16Array.from({ length: 32_000 }, (_, index) => 2_000 * Math.sin(index / 3));
sound.on('connection', (socket) => {
  socket.on('message', () => {});
  socket.send(Buffer.from(greeting.buffer));
});

const srf = new Srf();
const control = addressOf(drachtio);
srf.on('error', (error: Error) => {
  throw error;
});
await srf.connect(control);
const { host: address, port: mediaPort, secret } = addressOf(freeSwitch);
const mrf = new Mrf(srf);
const media = await new Promise<Mrf.MediaServer>((resolve, reject) => {
  mrf.connect(
    { address, port: mediaPort, secret, listenAddress: '127.0.0.1', listenPort: 0, profile: 'drachtio_mrf' },
    (error, connected) => {
      if (connected === undefined) reject(error ?? new Error('FreeSWITCH gave no reason'));
      else resolve(connected);
    },
  );
});

const answer = async (request: Srf.SrfRequest, response: Srf.SrfResponse): Promise<void> => {
  const endpoint = await media.createEndpoint({ remoteSdp: request.body });
  const dialog = await srf.createUAS(request, response, { localSdp: endpoint.local.sdp });
  dialog.on('destroy', () => void endpoint.destroy());
  await endpoint.forkAudioStart({
    wsUrl,
    bugname: 'bench',
    mixType: 'mono',
    sampling: '8000',
    metadata: {},
    bidirectionalAudio: { enabled: 'true', streaming: 'true', sampleRate: '8000' },
  });
};
srf.invite((request, response) => {
  answer(request, response).catch((error: unknown) => {
    process.stderr.write(`a call failed: ${String(error)}\n`);
    if (!response.finalResponseSent) response.send(500);
  });
});

const ready = createServer((_request, response) => response.end('ready')).listen(Number(port), '127.0.0.1');
await once(process, 'SIGTERM');
ready.close();
ready.closeAllConnections();
process.exit(0);
