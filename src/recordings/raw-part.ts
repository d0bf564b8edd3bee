/**
 * Raw audio that one gateway recorded of one call: µ-law at the rate of recordings, a byte of the counterparty and a
 * byte of the agent in turns. The file has no header, because its name describes the part, so that the file of a killed
 * process is readable up to its last byte.
 */
import { recordingSampleRate } from '#sip/audio/recording-sink.ts';
import { pcmu } from '#sip/audio/g711.ts';
import type { Stretch } from './encoder.ts';

export type RawPart = {
  callId: string;
  /** Place of the first sample in the call, in milliseconds since the answer. */
  fromMs: number;
  /** Gateway that recorded the part. */
  node: string;
  /**
   * Whether the part contains the end of the call. Otherwise the process that wrote the part died, stopped, or released
   * the call.
   */
  hasEnd: boolean;
  /** Whether the end of the part is missing here, because it was fetched from the store without its last piece. */
  isCut: boolean;
};

/** Number of bytes of a moment, which is a sample of each party. */
export const momentBytes = 2;

export const bytesPerSecond = momentBytes * recordingSampleRate;

/** Returns the file name of a part, without a folder. Names of gateways contain no `+`. */
export const partName = ({ callId, fromMs, node, hasEnd, isCut }: RawPart): string =>
  `${callId}+${Math.round(fromMs)}+${node}+${isCut ? 'cut' : hasEnd ? 'end' : 'open'}.ulaw`;

const form = /^([\da-f-]{36})\+(\d{1,8})\+([\w.-]{1,64})\+(end|open|cut)\.ulaw$/;

/** Reads a file name. Returns undefined if the file is not a raw part. */
export const partIn = (name: string): RawPart | undefined => {
  const [, callId, fromMs, node, state] = form.exec(name) ?? [];
  if (callId === undefined || node === undefined) return undefined;
  return { callId, fromMs: Number(fromMs), node, hasEnd: state === 'end', isCut: state === 'cut' };
};

/** Encodes audio into `bytes`, from `at` on. */
export const writeMoments = ({ counterparty, agent }: Stretch, bytes: Uint8Array, at: number): void => {
  pcmu.encode(counterparty, bytes, at, momentBytes);
  pcmu.encode(agent, bytes, at + 1, momentBytes);
};

/** Decodes the bytes of whole moments. */
export const readMoments = (bytes: Uint8Array): Stretch => {
  const samples = pcmu.decode(bytes);
  const counterparty = new Int16Array(samples.length / momentBytes);
  const agent = new Int16Array(counterparty.length);
  for (let index = 0; index < counterparty.length; index += 1) {
    counterparty[index] = samples[2 * index] ?? 0;
    agent[index] = samples[2 * index + 1] ?? 0;
  }
  return { counterparty, agent };
};
