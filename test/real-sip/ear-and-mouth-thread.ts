/**
 * The media socket of a far end, in its own thread because a telephone is a separate machine: a stalled main thread
 * delays neither sent packets nor the recorded times of received ones.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { parseRtp } from '#sip/rtp/rtp-packet.ts';
import { createDigitReader, telephoneEventBytes, writeTelephoneEvent } from '#sip/rtp/telephone-event.ts';
import { goBeforeOthers } from '#sip/media-thread/thread-priority.ts';
import type { FromThread, ThreadOptions, ToThread } from './ear-and-mouth.ts';
import { fromMuLaw, toMuLaw } from './mu-law.ts';

const headerLength = 12;
const pcmu = 0;
const telephoneEvents = 101;
/** Packets of a DTMF digit, the last three with the end mark, and the silence after it. */
const keyPackets = 10;
const betweenPackets = 5;
const marker = 0x80;
if (parentPort === null) throw new Error('This is the program of a thread');
const main = parentPort;
const { sendsSilence, loses, address, ssrc, frameMs }: ThreadOptions = workerData;
const samplesPerMs = 8;
const frameLength = frameMs * samplesPerMs;

goBeforeOthers();

const tell = (message: FromThread): void => main.postMessage(message);

const loudnessOf = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / Math.max(1, samples.length));

const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
socket.bind(0, address);
await once(socket, 'listening');

/** The address where FreeSWITCH receives. */
let port: number | null = null;
let saying: { samples: Int16Array; at: number; from: number } | null = null;
/** The remaining packets of pressed digits, one entry per packet; `null` for silence. */
const pressing: ({ key: string; packet: number } | null)[] = [];
let keyTimestamp = 0;
const readKey = createDigitReader();
let sequence = 0;
let timestamp = 0;
/** True if the previous frame was sent: RFC 3551 section 4.1 marks the first packet after silence. */
let isTalking = false;

socket.on('message', (packet) => {
  const call = /^call (\d+)\s*$/.exec(packet.toString('latin1'))?.[1];
  if (call !== undefined) {
    port = Number(call);
    saying = null;
    tell({ type: 'call' });
  } else if (packet.length > headerLength) {
    const payloadType = (packet[1] ?? 0) & 0x7f;
    const payload = packet.subarray(headerLength);
    const sound =
      payloadType === pcmu
        ? { loudness: loudnessOf(fromMuLaw(payload)), lastsMs: payload.length / samplesPerMs }
        : null;
    tell({ type: 'packet', at: Date.now(), payloadType, sound });
    const rtp = payloadType === telephoneEvents ? parseRtp(packet) : undefined;
    const key = rtp && readKey(rtp);
    if (key !== undefined) tell({ type: 'key', key });
  }
});

const nextFrame = (): Int16Array | null => {
  if (saying === null) return sendsSilence ? new Int16Array(frameLength) : null;
  if (saying.at === 0) saying.from = Date.now();
  const frame = new Int16Array(frameLength);
  if (saying.at >= 0) frame.set(saying.samples.subarray(saying.at, saying.at + frameLength));
  saying.at += frameLength;
  if (saying.at >= saying.samples.length) {
    tell({ type: 'said', from: saying.from, to: Date.now() + frameMs });
    saying = null;
  }
  return frame;
};

const sendKey = ({ key, packet }: { key: string; packet: number }): void => {
  if (port === null) return;
  if (packet === 0) keyTimestamp = timestamp;
  sequence += 1;
  const datagram = Buffer.alloc(headerLength + telephoneEventBytes);
  datagram[0] = 0x80;
  datagram[1] = telephoneEvents | (packet === 0 ? marker : 0);
  datagram.writeUInt16BE(sequence & 0xffff, 2);
  datagram.writeUInt32BE(keyTimestamp >>> 0, 4);
  datagram.writeUInt32BE(ssrc, 8);
  const isOver = packet >= keyPackets - 3;
  const duration = frameLength * (Math.min(packet, keyPackets - 3) + 1);
  writeTelephoneEvent(datagram.subarray(headerLength), { key, isOver, duration });
  socket.send(datagram, port, address);
};

const send = (): void => {
  timestamp += frameLength;
  const key = pressing.shift();
  if (key !== undefined && key !== null) return sendKey(key);
  const frame = nextFrame();
  const wasTalking = isTalking;
  isTalking = port !== null && frame !== null;
  if (port === null || frame === null) return;
  sequence += 1;
  if (sequence % loses === loses - 1) return;
  const header = Buffer.alloc(headerLength);
  header[0] = 0x80;
  header[1] = wasTalking ? pcmu : pcmu | marker;
  header.writeUInt16BE(sequence & 0xffff, 2);
  header.writeUInt32BE(timestamp >>> 0, 4);
  header.writeUInt32BE(ssrc, 8);
  socket.send(Buffer.concat([header, toMuLaw(frame)]), port, address);
};

// Frames that a busy machine delays are sent later, without skipping any: FreeSWITCH drops faster packets or keeps them
// as a delay of everything after them.
let dueAt = performance.now();
const timer = setInterval(() => {
  const now = performance.now();
  if (now < dueAt) return;
  send();
  dueAt = Math.max(dueAt + frameMs, now + frameMs / 2);
}, 2);

main.on('message', (message: ToThread) => {
  if (message.type === 'play') {
    saying = { samples: message.samples, at: 0, from: 0 };
    return;
  }
  if (message.type === 'press') {
    for (const key of message.keys) {
      for (let packet = 0; packet < keyPackets; packet += 1) pressing.push({ key, packet });
      for (let packet = 0; packet < betweenPackets; packet += 1) pressing.push(null);
    }
    return;
  }
  clearInterval(timer);
  socket.close();
  main.close();
});

tell({ type: 'listening', port: socket.address().port });
