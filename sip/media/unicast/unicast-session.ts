/**
 * The sound of one call as FreeSWITCH's `unicast` carries it: 16-bit samples in datagrams, a frame of 20 ms each. It has
 * the rate of its channel's codec, both ways. What
 * FreeSWITCH is sent it plays as it comes, and what is ahead of its time waits there: so it is sent a frame at each
 * beat, silence too, because without any its far end hears nothing at all.
 *
 * Where FreeSWITCH sends from is not known before it does. Whoever is first at its address is believed, and nobody else
 * after that.
 */
import type { RemoteInfo } from 'node:dgram';
import { samplesPerMs, type SampleRate } from '../../samples.ts';
import type { SampleRing } from '../sample-ring.ts';
import { openUdpSocket } from '../udp-socket.ts';
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
  onSound: (samples: Int16Array) => void;
};

const frameMs = 20;

// FreeSWITCH takes its port away when the call ends, or it dies: both are known by its event socket.
const ignoreError = (): void => {};

/** A copy: what a datagram lies in may begin at an odd address. */
const samplesOf = (datagram: Buffer): Int16Array =>
  new Int16Array(Uint8Array.from(datagram.subarray(0, datagram.length & ~1)).buffer);

/** Datagrams are exchanged between a free port of this address and FreeSWITCH at the other one. `now` is monotonic. */
export const openUnicastSession = async (
  {
    address,
    from,
    sampleRate,
    now,
  }: { address: string; from: string; sampleRate: SampleRate; now: () => number },
  sound: Pick<SampleRing, 'read' | 'waiting'>,
  { onBegun, onSound }: UnicastEvents,
): Promise<UnicastSession> => {
  const socket = await openUdpSocket(address, 0);
  socket.on('error', ignoreError);
  const lead = createLead();
  const frame = new Int16Array(frameMs * samplesPerMs(sampleRate));
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
    if (peer?.port === sender.port) onSound(samplesOf(datagram));
  });

  return {
    port: socket.address().port,
    tick() {
      if (state !== 'connected' || !lead.isDue(now(), sound.waiting > 0)) return;
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
