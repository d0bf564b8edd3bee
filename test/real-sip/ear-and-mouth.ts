/**
 * The sound of a far end whose SIP somebody else speaks (sipp): what arrives by RTP is kept with its time of arrival,
 * and what is to be said is sent as a telephone does it, 20 ms at a time, silence included. Where to, sipp tells it by a
 * datagram "call <port>".
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { fromMuLaw, toMuLaw } from './mu-law.ts';
import { until } from './real-lines.ts';
import { sayInTones } from './tone-speech.ts';

const frameMs = 20;
const frameLength = 160;
const headerLength = 12;
const pcmu = 0;
/** Louder is a voice; what FreeSWITCH sends as silence is quieter. */
const audible = 200;

/** Of an answering machine. */
export const beep = Int16Array.from(
  { length: 4_000 },
  (_, index) => 6_000 * Math.sin((2 * Math.PI * 1_000 * index) / 8_000),
);

export type EarAndMouth = {
  /** Where the sound of the far end's SDP is to go. */
  port: number;
  /** What was heard of the call that is on, 20 ms at a time, by the wall clock of its arrival. */
  heard(): readonly { at: number; loudness: number }[];
  /** The payload types of what arrived in the call that is on. */
  payloadTypes(): ReadonlySet<number>;
  /** When the agent was heard last; `null` while it was never. */
  lastHeardAt(): number | null;
  /** Speaks, in tones, as soon as possible; resolves when it was said, with the times of its first and last sound. */
  say(text: string): Promise<{ from: number; to: number }>;
  play(samples: Int16Array): Promise<{ from: number; to: number }>;
  /** Waits until the agent has spoken for so long without a pause of a second. */
  untilSpokenTo(milliseconds: number): Promise<void>;
  /** Waits until the agent has spoken and was silent for so long. */
  untilSilentFor(milliseconds: number): Promise<void>;
  /** The far end of a call that begins from now on does this. */
  onCall(act: () => Promise<unknown>): void;
  close(): Promise<void>;
};

const loudnessOf = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / Math.max(1, samples.length));

/** `sendsSilence: false` sends nothing at all between its words; of `loses` packets, one is lost on its way. */
export const startEarAndMouth = async ({
  sendsSilence = true,
  loses = Infinity,
  address = '127.0.0.1',
} = {}): Promise<EarAndMouth> => {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  socket.bind(0, address);
  await once(socket, 'listening');
  /** Where FreeSWITCH listens. */
  let port: number | null = null;
  let heard: { at: number; loudness: number }[] = [];
  let payloadTypes = new Set<number>();
  let act: () => Promise<unknown> = async () => {};
  let saying: {
    samples: Int16Array;
    at: number;
    from: number;
    done: (times: { from: number; to: number }) => void;
  } | null = null;
  let sequence = 0;

  socket.on('message', (packet) => {
    const call = /^call (\d+)\s*$/.exec(packet.toString('latin1'))?.[1];
    if (call !== undefined) {
      port = Number(call);
      heard = [];
      payloadTypes = new Set();
      saying = null;
      void act();
    } else if (packet.length > headerLength) {
      const payloadType = (packet[1] ?? 0) & 0x7f;
      payloadTypes.add(payloadType);
      if (payloadType === pcmu)
        heard.push({ at: Date.now(), loudness: loudnessOf(fromMuLaw(packet.subarray(headerLength))) });
    }
  });

  const nextFrame = (): Int16Array | null => {
    if (saying === null) return sendsSilence ? new Int16Array(frameLength) : null;
    if (saying.at === 0) saying.from = Date.now();
    const frame = new Int16Array(frameLength);
    frame.set(saying.samples.subarray(saying.at, saying.at + frameLength));
    saying.at += frameLength;
    if (saying.at >= saying.samples.length) {
      saying.done({ from: saying.from, to: Date.now() + frameMs });
      saying = null;
    }
    return frame;
  };

  const send = (): void => {
    sequence += 1;
    const frame = nextFrame();
    if (port === null || frame === null || sequence % loses === loses - 1) return;
    const header = Buffer.alloc(headerLength);
    header[0] = 0x80;
    header.writeUInt16BE(sequence & 0xffff, 2);
    header.writeUInt32BE((sequence * frameLength) >>> 0, 4);
    header.writeUInt32BE(0x7261_696e, 8);
    socket.send(Buffer.concat([header, toMuLaw(frame)]), port, address);
  };

  // Frames that a busy machine has delayed are not made up for: FreeSWITCH drops what comes in a burst.
  let nextAt = Date.now();
  const timer = setInterval(() => {
    if (Date.now() < nextAt) return;
    send();
    nextAt = Math.max(nextAt + frameMs, Date.now() + frameMs / 2);
  }, 2);

  const voiced = (): { at: number }[] => heard.filter(({ loudness }) => loudness > audible);
  const lastHeardAt = (): number | null => voiced().at(-1)?.at ?? null;

  const play = (samples: Int16Array): Promise<{ from: number; to: number }> =>
    new Promise((resolve) => {
      saying = { samples, at: 0, from: 0, done: resolve };
    });

  return {
    port: socket.address().port,
    heard: () => heard,
    payloadTypes: () => payloadTypes,
    lastHeardAt,
    play,
    say: (text) => play(sayInTones(text)),
    untilSpokenTo: (milliseconds) =>
      until(() => {
        const all = voiced();
        const last = all.at(-1)?.at ?? 0;
        const begin = all.findLastIndex(({ at }, index) => at - (all[index - 1]?.at ?? 0) > 1_000);
        return last > Date.now() - 100 && last - (all[begin]?.at ?? last) >= milliseconds;
      }, 15_000),
    untilSilentFor: (milliseconds) =>
      until(() => {
        const last = lastHeardAt();
        return last !== null && Date.now() - last >= milliseconds;
      }, 30_000),
    onCall(behave) {
      act = behave;
    },
    async close() {
      clearInterval(timer);
      socket.close();
      await once(socket, 'close');
    },
  };
};
