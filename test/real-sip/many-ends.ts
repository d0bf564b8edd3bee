/**
 * Far ends of many calls, which measure the audio that they hear. With SRTP they take the key of each offer, also of a
 * re-INVITE (RFC 4568 section 7.1.4), and hear only what they can decrypt.
 */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { ExecutionContext } from 'ava';
import { createDecryption, masterKeyBytes, type Decryption } from '#sip/rtp/srtp.ts';
import { keyLineOf, offeredKeyIn } from '#sip/sdp/sdes.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import { startUdpEnd } from './udp-end.ts';

/** Audio since `forget`: the longest time without it. `keys`: number of keys in the offers of the call. */
type Heard = { silenceMs: number; keys: number };

const openEar = async (t: ExecutionContext, srtp: TrunkSrtp) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  t.teardown(() => void socket.close());
  await once(socket, 'listening');
  const own = randomBytes(masterKeyBytes);
  const keys = new Set<string>();
  let decryption: Decryption | null = null;
  let lastAt = 0;
  let longestMs = 0;
  socket.on('message', (packet) => {
    if (srtp !== 'off' && decryption?.rtp(packet) === undefined) return;
    const now = performance.now();
    if (lastAt > 0) longestMs = Math.max(longestMs, now - lastAt);
    lastAt = now;
  });

  /** Takes the key of an offer, and returns the lines of the answer that encryption needs. */
  const answerKey = (offer: string): readonly string[] => {
    if (srtp === 'off') return [];
    const key = offeredKeyIn(offer);
    if (key === undefined) throw new Error('The offer has no key');
    const master = Buffer.from(key.master).toString('base64');
    if (!keys.has(master)) decryption = createDecryption(key.master);
    keys.add(master);
    return [keyLineOf({ tag: key.tag, master: own })];
  };

  return {
    answer: (offer: string): string =>
      [
        'v=0',
        'o=far 1 1 IN IP4 127.0.0.1',
        's=-',
        'c=IN IP4 127.0.0.1',
        't=0 0',
        `m=audio ${socket.address().port} RTP/${srtp === 'off' ? 'AVP' : 'SAVP'} 0 101`,
        'a=rtpmap:0 PCMU/8000',
        'a=rtpmap:101 telephone-event/8000',
        ...answerKey(offer),
        '',
      ].join('\r\n'),
    forget(): void {
      longestMs = 0;
    },
    measure: (): Heard => ({
      silenceMs: Math.round(lastAt === 0 ? Infinity : Math.max(longestMs, performance.now() - lastAt)),
      keys: keys.size,
    }),
  };
};

/** Starts a far end of at most this many calls. */
export const startManyEnds = async (t: ExecutionContext, count: number, srtp: TrunkSrtp) => {
  const ears: Awaited<ReturnType<typeof openEar>>[] = [];
  while (ears.length < count) ears.push(await openEar(t, srtp));
  const calls = new Map<string, (typeof ears)[number]>();
  const end = await startUdpEnd({
    describe(callId, offer) {
      const ear = calls.get(callId) ?? ears[calls.size];
      if (ear === undefined) throw new Error('There are more calls than far ends');
      calls.set(callId, ear);
      return ear.answer(offer);
    },
  });
  t.teardown(end.close);
  return {
    ...end,
    measure: (): Heard[] => ears.map(({ measure }) => measure()),
    /** Measures from now on. */
    forget(): void {
      for (const ear of ears) ear.forget();
    },
  };
};
