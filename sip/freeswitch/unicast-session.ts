/**
 * Audio of one call over FreeSWITCH's `unicast`: 16-bit samples in datagrams, a frame of 20 ms each, in both directions
 * at the rate of the channel's codec. FreeSWITCH plays frames as they arrive, and early frames wait there. A frame is
 * sent at each beat, even of silence, because without frames FreeSWITCH's far end hears no audio at all.
 *
 * FreeSWITCH's source port is unknown until FreeSWITCH sends. The first sender at its address is accepted, and all
 * later ones are ignored. From then on FreeSWITCH sends a frame every 20 ms, even in silence. A longer gap means that
 * FreeSWITCH ended the unicast, which it does not signal.
 */
import type { RemoteInfo } from 'node:dgram';
import { samplesPerMs, type SampleRate } from '#sip/audio/samples.ts';
import type { SampleRing } from '#sip/audio/sample-ring.ts';
import { unguarded, type Guard } from '#sip/rtp/guard.ts';
import { openUdpSocket } from '#sip/rtp/udp-socket.ts';
import { createFillerFilter } from './filler-frames.ts';
import { createLead } from './unicast-lead.ts';

export type UnicastSession = {
  /** Local port for datagrams of FreeSWITCH. */
  readonly port: number;
  /** Whether FreeSWITCH has sent its first datagram, and frames are sent to it. */
  isConnected(): boolean;
  /** Sends a frame. Must be called every 20 ms. */
  tick(): void;
  close(): void;
};

export type UnicastEvents = {
  /** Called when the first datagram has arrived. */
  onBegun: () => void;
  /** Called when no datagram has arrived for `silenceMs`, and when the first one after that has arrived. */
  onSilence: (isSilent: boolean) => void;
  /** Called once when several frames in succession were shorter than 20 ms. */
  onShortFrames: () => void;
  onAudio: (samples: Int16Array) => void;
};

const frameMs = 20;

// Errors of the socket are ignored. FreeSWITCH closes its port when the call ends or FreeSWITCH dies; its event socket
// reports both.
const ignoreError = (): void => {};

/** Returns the samples of a datagram, whose memory they share unless it is unaligned. */
const samplesOf = (datagram: Buffer): Int16Array => {
  const { buffer, byteOffset } =
    datagram.byteOffset % Int16Array.BYTES_PER_ELEMENT === 0 ? datagram : new Uint8Array(datagram);
  return new Int16Array(buffer, byteOffset, datagram.length >> 1);
};

/**
 * Measures the silence of FreeSWITCH. A beat adds at most 20 ms, because after a stall of this process, late beats run
 * before the datagrams that wait in the socket.
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
    /** Called when a datagram has arrived. */
    end(): void {
      lastedMs = 0;
      if (!isSilent) return;
      isSilent = false;
      onSilence(false);
    },
  };
};

/** Number of consecutive short frames that count. Single short frames are remainders. */
const minShortFrames = 5;

const createLengthWatch = (usualLength: number, onShortFrames: UnicastEvents['onShortFrames']) => {
  let shortFrames = 0;
  let isReported = false;
  return (length: number): void => {
    shortFrames = length < usualLength ? shortFrames + 1 : 0;
    if (isReported || shortFrames < minShortFrames) return;
    isReported = true;
    onShortFrames();
  };
};

/** Exchanges datagrams between a free port of this address and FreeSWITCH at the other address. `now` is monotonic. */
export const openUnicastSession = async (
  {
    address,
    from,
    sampleRate,
    silenceMs,
    now,
  }: { address: string; from: string; sampleRate: SampleRate; silenceMs: number; now: () => number },
  sound: Pick<SampleRing, 'read' | 'waiting'>,
  { onBegun, onAudio, onSilence, onShortFrames }: UnicastEvents,
  guard: Guard = unguarded,
  openSocket: typeof openUdpSocket = openUdpSocket,
): Promise<UnicastSession> => {
  const socket = await openSocket(address, 0);
  socket.on('error', ignoreError);
  const lead = createLead();
  const isFiller = createFillerFilter(samplesPerMs(sampleRate));
  const silence = createSilence(silenceMs, onSilence);
  const frame = new Int16Array(frameMs * samplesPerMs(sampleRate));
  const notice = createLengthWatch(frame.length, onShortFrames);
  let peer: Pick<RemoteInfo, 'port'> | null = null;
  let state: 'alone' | 'connected' | 'closed' = 'alone';

  const send = (): void => {
    if (!lead.isDue(now(), sound.waiting > 0)) return;
    frame.fill(0, sound.read(frame));
    // The frame is copied, because the next frame reuses the memory.
    socket.send(Buffer.from(new Uint8Array(frame.buffer)));
  };

  const meet = (sender: RemoteInfo): void => {
    peer = sender;
    const connected = (): void => {
      if (state !== 'alone') return;
      state = 'connected';
      // The far end hears no audio before the first frame.
      send();
    };
    socket.connect(sender.port, sender.address, () => guard(connected));
    onBegun();
  };

  const take = (datagram: Buffer, sender: RemoteInfo): void => {
    // A sender at port 0 is ignored, because nothing can be sent there.
    if (state === 'closed' || sender.address !== from || sender.port === 0 || datagram.length < 2) return;
    if (peer === null) meet(sender);
    if (peer?.port !== sender.port) return;
    silence.end();
    const samples = samplesOf(datagram);
    notice(samples.length);
    if (!isFiller(samples)) onAudio(samples);
  };
  socket.on('message', (datagram, sender) => guard(() => take(datagram, sender)));

  return {
    port: socket.address().port,
    isConnected: () => state === 'connected',
    tick() {
      if (state !== 'connected') return;
      silence.tick(now());
      send();
    },
    close() {
      state = 'closed';
      socket.close();
    },
  };
};
