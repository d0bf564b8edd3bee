/**
 * A program: the minimal server that answers a call with drachtio-srf and FreeSWITCH and exchanges audio through
 * FreeSWITCH's unicast, with one INVITE and one event socket message per call. Baseline for answering calls:
 * `bare-media.ts <port> <drachtio> <FreeSWITCH>`, each `host:port:secret`. The port responds when the program is ready.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import Srf from 'drachtio-srf';

const [port = '0', drachtio = '', freeSwitch = ''] = process.argv.slice(2);
const addressOf = (text: string): { host: string; port: number; secret: string } => {
  const [host = '', number = '', secret = ''] = text.split(':');
  return { host, port: Number(number), secret };
};

// Four seconds of a quiet tone at the beginning of each call, as long as a gateway's greeting.
const greeting = Int16Array.from({ length: 32_000 }, (_, index) => 2_000 * Math.sin(index / 3));
const frameSamples = 160;

/** Opens a port for the audio of a call, which plays the greeting and then silence, frame by frame. */
const openSound = async (): Promise<Socket> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  let at = 0;
  socket.on('message', (_frame, { port: from, address: host }) => {
    const frame = new Int16Array(frameSamples);
    frame.set(greeting.subarray(at, (at += frameSamples)));
    socket.send(Buffer.from(frame.buffer), from, host);
  });
  return socket;
};

const srf = new Srf();
const control = addressOf(drachtio);
srf.on('error', (error: Error) => {
  throw error;
});
await srf.connect(control);
const { host: address, port: mediaPort, secret } = addressOf(freeSwitch);
const eventSocket = connect(mediaPort, address).setNoDelay(true).setEncoding('utf8');
eventSocket.write(`auth ${secret}\n\napi sofia status\n\n`);
let said = '';
const sipAddress = await new Promise<string>((resolve) => {
  eventSocket.on('data', (text: string) => {
    said = (said + text).slice(-10_000);
    const found = /sip:mod_sofia@([\d.]+:\d+)/.exec(said)?.[1];
    if (found !== undefined) resolve(found);
  });
});

const createChannel = async (localSdp: string): Promise<{ uuid: string; channel: Srf.Dialog }> => {
  const uuid = randomUUID();
  const options = { headers: { 'Call-ID': uuid }, localSdp };
  return { uuid, channel: await srf.createUAC(`sip:endpoint@${sipAddress}`, options) };
};

const answer = async (request: Srf.SrfRequest, response: Srf.SrfResponse): Promise<void> => {
  // FreeSWITCH answers 488 if another socket has the port that it chose for the audio; the next channel has another.
  const { uuid, channel } = await createChannel(request.body).catch(() => createChannel(request.body));
  const dialog = await srf.createUAS(request, response, { localSdp: channel.remote.sdp });
  const sound = await openSound();
  dialog.on('destroy', () => {
    sound.close();
    channel.destroy({ headers: {} }, () => {});
  });
  const message = [
    `sendmsg ${uuid}`,
    'call-command: unicast',
    `local-ip: ${address}`,
    'local-port: 0',
    'remote-ip: 127.0.0.1',
    `remote-port: ${sound.address().port}`,
    'transport: udp',
  ];
  eventSocket.write(`${message.join('\n')}\n\n`);
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
