/**
 * The audio of a far end whose SIP is handled by sipp: received RTP is stored with its time of arrival, and audio is
 * sent as by a telephone, packet by packet, silence included. sipp sends the target by a datagram "call <port>".
 */
import { createSocket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { isIPv6 } from 'node:net';
import { Worker } from 'node:worker_threads';
import { until } from './real-lines.ts';
import { sayInTones } from './tone-speech.ts';

/** SSRC of its packets. */
export const earSsrc = 0x7261_696e;

/** RMS threshold between a voice, which is louder, and FreeSWITCH's silence. */
export const audible = 200;

/** The beep of an answering machine. */
export const beep = Int16Array.from(
  { length: 4_000 },
  (_, index) => 6_000 * Math.sin((2 * Math.PI * 1_000 * index) / 8_000),
);

export type HeardPacket = { at: number; loudness: number; lastsMs: number };

export type EarAndMouth = {
  /** Target of the audio, from the far end's SDP. */
  port: number;
  /** Received audio of the current call, one packet at a time, by the wall clock of its arrival. */
  heard(): readonly HeardPacket[];
  /** Payload types received in the current call. */
  payloadTypes(): ReadonlySet<number>;
  /** When the agent was last heard; `null` if never. */
  lastHeardAt(): number | null;
  /** Speaks in tones as soon as possible; resolves at the end, with the times of its first and last audio. */
  say(text: string): Promise<{ from: number; to: number }>;
  play(samples: Int16Array): Promise<{ from: number; to: number }>;
  /** Presses these DTMF digits, as telephone events (RFC 4733). */
  press(keys: string): void;
  /** The received DTMF digits, as telephone events. */
  keys(): string;
  /** Waits until the agent has spoken for this long without a pause of a second. */
  untilSpokenTo(milliseconds: number): Promise<void>;
  /** Waits until the agent has spoken and was silent for this long. */
  untilSilentFor(milliseconds: number): Promise<void>;
  /** Announces a call whose audio goes to this port. */
  callsTo(port: number): Promise<void>;
  /** Behaviour of the far end in calls that start after this. */
  onCall(act: () => Promise<unknown>): void;
  close(): Promise<void>;
};

/**
 * `sendsSilence: false` sends no packets between words; one of every `loses` packets is lost; a packet lasts
 * `frameMs`.
 */
export type ThreadOptions = {
  sendsSilence: boolean;
  loses: number;
  address: string;
  ssrc: number;
  frameMs: number;
};

export type ToThread =
  | { type: 'play'; samples: Int16Array }
  | { type: 'press'; keys: string }
  | { type: 'close' };

/** `sound` is `null` for packets of another codec. */
export type FromThread =
  | { type: 'listening'; port: number }
  | { type: 'call' }
  | { type: 'packet'; at: number; payloadType: number; sound: Omit<HeardPacket, 'at'> | null }
  | { type: 'key'; key: string }
  | { type: 'said'; from: number; to: number };

export const startEarAndMouth = async ({
  sendsSilence = true,
  loses = Infinity,
  address = '127.0.0.1',
  frameMs = 20,
}: Partial<Omit<ThreadOptions, 'ssrc'>> = {}): Promise<EarAndMouth> => {
  const options: ThreadOptions = { sendsSilence, loses, address, ssrc: earSsrc, frameMs };
  const thread = new Worker(new URL('./ear-and-mouth-thread.ts', import.meta.url), { workerData: options });
  const ended = once(thread, 'exit');
  let heard: HeardPacket[] = [];
  let payloadTypes = new Set<number>();
  let keys = '';
  const calls = new EventEmitter();
  let act: () => Promise<unknown> = async () => {};
  let said: (times: { from: number; to: number }) => void = () => {};

  const tell = (message: ToThread): void => thread.postMessage(message);

  const port = await new Promise<number>((resolve, reject) => {
    thread.once('error', reject);
    thread.on('message', (message: FromThread) => {
      switch (message.type) {
        case 'listening':
          // A thread that fails later fails the test.
          thread.off('error', reject);
          return resolve(message.port);
        case 'call':
          heard = [];
          payloadTypes = new Set();
          calls.emit('call');
          return void act();
        case 'packet':
          payloadTypes.add(message.payloadType);
          if (message.sound !== null) heard.push({ at: message.at, ...message.sound });
          return;
        case 'key':
          keys += message.key;
          return;
        case 'said':
          return said({ from: message.from, to: message.to });
      }
    });
  });

  const voiced = (): { at: number }[] => heard.filter(({ loudness }) => loudness > audible);
  const lastHeardAt = (): number | null => voiced().at(-1)?.at ?? null;

  const play = (samples: Int16Array): Promise<{ from: number; to: number }> =>
    new Promise((resolve) => {
      said = resolve;
      tell({ type: 'play', samples });
    });

  return {
    port,
    heard: () => heard,
    payloadTypes: () => payloadTypes,
    lastHeardAt,
    play,
    press: (pressed) => tell({ type: 'press', keys: pressed }),
    keys: () => keys,
    say: (text) => play(sayInTones(text)),
    untilSpokenTo: (milliseconds) =>
      until(() => {
        const all = voiced();
        const last = all.at(-1)?.at ?? 0;
        const begin = all.findLastIndex(({ at }, index) => at - (all[index - 1]?.at ?? 0) > 1_000);
        return last > Date.now() - 100 && last - (all[begin]?.at ?? last) >= milliseconds;
      }),
    untilSilentFor: (milliseconds) =>
      until(() => {
        const last = lastHeardAt();
        return last !== null && Date.now() - last >= milliseconds;
      }),
    async callsTo(callee) {
      const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
      const begun = once(calls, 'call');
      socket.send(`call ${callee}`, port, address);
      await begun;
      socket.close();
    },
    onCall(behave) {
      act = behave;
    },
    async close() {
      tell({ type: 'close' });
      await ended;
    },
  };
};
