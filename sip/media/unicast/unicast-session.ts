/**
 * The sound of one call as FreeSWITCH's `unicast` carries it: 16-bit samples in datagrams, a frame of 20 ms each. It has
 * the rate of its channel's codec, both ways. What
 * FreeSWITCH is sent it plays as it comes, and what is ahead of its time waits there: so it is sent a frame at each
 * beat, silence too, because without any its far end hears nothing at all.
 *
 * Where FreeSWITCH sends from is not known before it does. Whoever is first at its address is believed, and nobody else
 * after that. From then on FreeSWITCH sends a frame every 20 ms, also while it has nothing to send: a longer silence means
 * that it has ended the unicast, of which it says nothing.
 */
import type { RemoteInfo } from 'node:dgram';
import { samplesPerMs, type SampleRate } from '../../samples.ts';
import type { SampleRing } from '../sample-ring.ts';
import { openUdpSocket } from '../udp-socket.ts';
import { createFillerFilter } from './filler.ts';
import { createLead } from './lead.ts';

export type UnicastSession = {
  /** Where its datagrams are taken in. */
  readonly port: number;
  /** To be called every 20 ms. */
  tick(): void;
  close(): void;
};

export type UnicastEvents = {
  /** The first datagram has come. */
  onBegun: () => void;
  /** None has come for `silenceMs`; or the first one after that has. */
  onSilence: (isSilent: boolean) => void;
  /** Some frames in succession were shorter than 20 ms; once. */
  onShortFrames: () => void;
  onSound: (samples: Int16Array) => void;
};

const frameMs = 20;

// FreeSWITCH takes its port away when the call ends, or it dies: both are known by its event socket.
const ignoreError = (): void => {};

/** A copy: what a datagram lies in may begin at an odd address. */
const samplesOf = (datagram: Buffer): Int16Array =>
  new Int16Array(Uint8Array.from(datagram.subarray(0, datagram.length & ~1)).buffer);

/**
 * The silence of FreeSWITCH. A beat adds 20 ms at most: after a stall of this process, beats that are made up for come before
 * the datagrams that wait in the socket.
 */
const createSilence = (silenceMs: number, onSilence: UnicastEvents['onSilence']) => {
  let lastTickAt = -Infinity;
  let lastedMs = 0;
  let isSilent = false;
  return {
    tick(at: number): void {
      lastedMs += Math.min(frameMs, at - lastTickAt);
      lastTickAt = at;
      if (isSilent || silenceMs === 0 || lastedMs < silenceMs) return;
      isSilent = true;
      onSilence(true);
    },
    /** A datagram has come. */
    end(): void {
      lastedMs = 0;
      if (!isSilent) return;
      isSilent = false;
      onSilence(false);
    },
  };
};

/** Single short frames are the rest of something. */
const tellingFrames = 5;

const createLengthWatch = (usualLength: number, onShortFrames: UnicastEvents['onShortFrames']) => {
  let shortFrames = 0;
  let isTold = false;
  return (length: number): void => {
    shortFrames = length < usualLength ? shortFrames + 1 : 0;
    if (isTold || shortFrames < tellingFrames) return;
    isTold = true;
    onShortFrames();
  };
};

/** Datagrams are exchanged between a free port of this address and FreeSWITCH at the other one. `now` is monotonic. */
export const openUnicastSession = async (
  {
    address,
    from,
    sampleRate,
    silenceMs,
    now,
  }: { address: string; from: string; sampleRate: SampleRate; silenceMs: number; now: () => number },
  sound: Pick<SampleRing, 'read' | 'waiting'>,
  { onBegun, onSound, onSilence, onShortFrames }: UnicastEvents,
): Promise<UnicastSession> => {
  const socket = await openUdpSocket(address, 0);
  socket.on('error', ignoreError);
  const lead = createLead();
  const isFiller = createFillerFilter(samplesPerMs(sampleRate));
  const silence = createSilence(silenceMs, onSilence);
  const frame = new Int16Array(frameMs * samplesPerMs(sampleRate));
  const notice = createLengthWatch(frame.length, onShortFrames);
  let peer: Pick<RemoteInfo, 'port'> | null = null;
  let state: 'alone' | 'connected' | 'closed' = 'alone';

  const meet = (sender: RemoteInfo): void => {
    peer = sender;
    socket.connect(sender.port, sender.address, () => {
      if (state === 'alone') state = 'connected';
    });
    onBegun();
  };

  socket.on('message', (datagram: Buffer, sender: RemoteInfo) => {
    if (state === 'closed' || sender.address !== from || datagram.length < 2) return;
    if (peer === null) meet(sender);
    if (peer?.port !== sender.port) return;
    silence.end();
    const samples = samplesOf(datagram);
    notice(samples.length);
    if (!isFiller(samples)) onSound(samples);
  });

  return {
    port: socket.address().port,
    tick() {
      if (state !== 'connected') return;
      silence.tick(now());
      if (!lead.isDue(now(), sound.waiting > 0)) return;
      frame.fill(0, sound.read(frame));
      // Its memory is that of the next frame, too.
      socket.send(Buffer.from(new Uint8Array(frame.buffer)));
    },
    close() {
      state = 'closed';
      socket.close();
    },
  };
};
