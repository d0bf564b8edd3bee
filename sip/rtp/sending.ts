/** Outgoing stream of a call, with a packet every 20 ms that contains audio, silence, or a DTMF event. */
import { randomBytes } from 'node:crypto';
import type { G711 } from '#sip/audio/g711.ts';
import type { SampleRing } from '#sip/audio/sample-ring.ts';
import { rtpHeaderBytes, writeRtpHeader } from './rtp-packet.ts';
import type { SentSoFar } from './rtcp.ts';
import { telephoneEventBytes, writeTelephoneEvent } from './telephone-event.ts';

/** Agreed format of outgoing packets. */
export type SendingFormat = {
  codec: G711;
  payloadType: number;
  /** Payload type of RFC 4733; `null` if the far end does not accept telephone events. */
  dtmfPayloadType: number | null;
};

export type Sending = {
  /** Returns the next packet, in the same memory each time. Must be called every 20 ms. */
  next(): Buffer;
  /**
   * Sends DTMF digits one after the other; `w` is a pause of half a second. Returns false if the far end does not
   * accept telephone events.
   */
  press(keys: string): boolean;
  setFormat(format: SendingFormat): void;
  soFar(): SentSoFar;
};

export const frameMs = 20;
export const frameSamples = 160;

/** DTMF timing: duration of a digit, silence after it, and number of end packets (RFC 4733 section 2.5.1.4). */
const pressedFrames = 8;
const betweenFrames = 3;
const pauseFrames = 25;
const lastPackets = 3;

type Step = { key: string | null; frames: number };

const stepsOf = (keys: string): Step[] =>
  Array.from(keys).flatMap((key): Step[] =>
    key === 'w'
      ? [{ key: null, frames: pauseFrames }]
      : [
          { key, frames: pressedFrames + lastPackets - 1 },
          { key: null, frames: betweenFrames },
        ],
  );

/**
 * Returns the first sequence number, which is derived from the wall clock and advances a quarter faster than packets
 * do. A process that takes over a call therefore starts ahead of the previous sender, for calls of up to 43 minutes.
 * The jitter buffers of some far ends drop packets with lower numbers, even from another source. (RFC 3550 section 5.1
 * asks for a random number.)
 */
const firstSequence = (now: number): number => Math.floor(now / 16) & 0xffff;

export const createSending = (
  first: SendingFormat,
  ring: Pick<SampleRing, 'read'>,
  /** Wall-clock milliseconds since the epoch. */
  now: number = Date.now(),
): Sending => {
  const seed = randomBytes(8);
  const ssrc = seed.readUInt32BE(0);
  let sequence = firstSequence(now);
  let timestamp = seed.readUInt32BE(4);
  let format = first;
  let packets = 0;
  let bytes = 0;
  /**
   * Whether the next audio packet has the marker bit, as the first packet does, and a packet that follows packets other
   * than audio.
   */
  let isBeginning = true;
  const steps: Step[] = [];
  let inStep = 0;
  const frame = new Int16Array(frameSamples);
  const datagram = Buffer.alloc(rtpHeaderBytes + frameSamples);
  const keyDatagram = Buffer.alloc(rtpHeaderBytes + telephoneEventBytes);

  const finish = (
    packet: Buffer,
    head: { payloadType: number; marker: boolean; timestamp: number },
  ): Buffer => {
    writeRtpHeader(packet, { ...head, sequence, ssrc });
    sequence = (sequence + 1) & 0xffff;
    timestamp = (timestamp + frameSamples) >>> 0;
    packets += 1;
    bytes += packet.length - rtpHeaderBytes;
    return packet;
  };

  const voicePacket = (samples: number): Buffer => {
    frame.fill(0, samples);
    format.codec.encode(frame, datagram, rtpHeaderBytes);
    const marker = isBeginning;
    isBeginning = false;
    return finish(datagram, { payloadType: format.payloadType, marker, timestamp });
  };

  const keyPacket = (key: string, payloadType: number): Buffer => {
    const isOver = inStep >= pressedFrames - 1;
    const duration = Math.min(inStep + 1, pressedFrames) * frameSamples;
    writeTelephoneEvent(keyDatagram.subarray(rtpHeaderBytes), { key, isOver, duration });
    isBeginning = true;
    // All packets of a digit have the timestamp of its beginning.
    const begun = (timestamp - inStep * frameSamples) >>> 0;
    return finish(keyDatagram, { payloadType, marker: inStep === 0, timestamp: begun });
  };

  const pressing = (step: Step, dtmfPayloadType: number): Buffer => {
    const packet = step.key === null ? voicePacket(0) : keyPacket(step.key, dtmfPayloadType);
    inStep += 1;
    if (inStep === step.frames) {
      steps.shift();
      inStep = 0;
    }
    return packet;
  };

  return {
    next() {
      const [step] = steps;
      const { dtmfPayloadType } = format;
      if (step !== undefined && dtmfPayloadType !== null) return pressing(step, dtmfPayloadType);
      return voicePacket(ring.read(frame));
    },
    press(keys) {
      if (format.dtmfPayloadType === null) return false;
      steps.push(...stepsOf(keys));
      return true;
    },
    setFormat(changed) {
      format = changed;
    },
    soFar: () => ({ ssrc, packets, bytes, timestamp }),
  };
};
