/** Sound over real sockets, through a relay that loses, swaps and repeats packets by their number, with a stranger beside it. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createDirectEndpoint } from '#sip/media/direct/direct-endpoint.ts';
import type { MediaEndpoint } from '#sip/media/media-endpoint.ts';
import { writeRtpHeader } from '#sip/media/rtp/rtp-packet.ts';
import { createSoundThread } from '#sip/media/thread/sound-thread.ts';
import { steadyClock } from '#src/clocks.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import { until } from '#test/helpers/until.ts';
import { count, countingSound, type Counted } from '../counting-sound.ts';

const frames = 110;

const thread = createSoundThread({ ports: { from: 24_000, to: 24_398 }, logger: pino({ level: 'silent' }) });
test.after.always(() => thread.close());

const open = async (t: ExecutionContext, srtp: TrunkSrtp, offer?: string): Promise<MediaEndpoint> => {
  const options = { thread, address: '127.0.0.1', clock: steadyClock, rtpTimeoutMs: 0 };
  const endpoint = await createDirectEndpoint(offer, { codecs: null, srtp }, options);
  t.teardown(() => endpoint.destroy());
  return endpoint;
};

const portIn = (sdp: string): number => Number(/^m=audio (\d+)/m.exec(sdp)?.[1]);

const bound = async (t: ExecutionContext): Promise<Socket> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => void socket.close());
  return socket;
};

/** What becomes of a packet, by the number of its frame where it counts. */
type Fate = 'lost' | 'swapped' | 'twice' | 'passed';

/** Between two endpoints; only what goes to the second one meets its fate. */
const startRelay = async (t: ExecutionContext, fateOf: (packet: number) => Fate) => {
  const socket = await bound(t);
  let ports: { first: number; second: number } | null = null;
  let packets = 0;
  let held: Buffer | null = null;
  socket.on('message', (datagram, { port: from }) => {
    if (ports === null) return;
    const { first, second } = ports;
    if (from !== first) return socket.send(datagram, first, '127.0.0.1');
    const fate = fateOf((packets += 1));
    const waiting = held;
    held = fate === 'swapped' ? datagram : null;
    const passing = fate === 'passed' ? [datagram] : fate === 'twice' ? [datagram, datagram] : [];
    for (const one of waiting === null ? passing : [...passing, waiting])
      socket.send(one, second, '127.0.0.1');
    return undefined;
  });
  return {
    port: socket.address().port,
    between(first: number, second: number): void {
      ports = { first, second };
    },
  };
};

const callOver = async (t: ExecutionContext, srtp: TrunkSrtp, fateOf: (packet: number) => Fate) => {
  const relay = await startRelay(t, fateOf);
  const throughRelay = (sdp: string): string => sdp.replace(/^m=audio \d+/m, `m=audio ${relay.port}`);
  const caller = await open(t, srtp);
  const callee = await open(t, srtp, throughRelay(caller.localSdp));
  relay.between(portIn(caller.localSdp), portIn(callee.localSdp));
  await caller.takeAnswer(throughRelay(callee.localSdp));
  const pieces: Int16Array[] = [];
  await callee.connect({ onLost() {}, onAudio: (samples) => pieces.push(samples) }, 8_000);
  const mouth = await caller.connect({ onLost() {}, onAudio() {} }, 8_000);
  await until('it is heard', () => pieces.length > 5 || undefined);
  return {
    callee,
    async heard(): Promise<Counted[]> {
      mouth.send(countingSound(frames));
      const sound = (): Counted[] => count(joinSamples(pieces)).filter((it) => it !== 'silent');
      // The last may be one of those that are lost.
      await until('each frame is heard or filled', () => sound().length >= frames || undefined);
      return sound();
    },
  };
};

const numbers = (heard: readonly Counted[]): number[] => heard.filter((it) => typeof it === 'number');
const all = Array.from({ length: frames }, (_, frame) => frame);

for (const srtp of ['off', 'required'] as const)
  test(`srtp ${srtp}: what is swapped and repeated on the way is heard whole and once`, async (t) => {
    const { heard } = await callOver(t, srtp, (packet) =>
      packet % 7 === 3 ? 'swapped' : packet % 11 === 0 ? 'twice' : 'passed',
    );
    t.deepEqual(await heard(), all);
  });

test('of 5 % that are lost the others are heard in their order, with a filling for each', async (t) => {
  const { heard, callee } = await callOver(t, 'off', (packet) =>
    packet % 20 === 0 ? 'lost' : packet % 7 === 3 ? 'swapped' : 'passed',
  );
  const sound = await heard();
  const missing = all.filter((frame) => !sound.includes(frame));
  t.true(missing.length >= 4 && missing.length <= 6, missing.join());
  for (const [index, frame] of missing.slice(1).entries()) t.is(frame - (missing[index] ?? 0), 20);
  t.deepEqual(
    sound,
    all.map((frame): Counted => (missing.includes(frame) ? 'filled' : frame)),
  );
  t.true(((await callee.figures())?.received.loss ?? 0) > 0.03);
});

test('a stranger who sends to the port of a call is not heard in it, and gets nothing of it', async (t) => {
  const { heard, callee } = await callOver(t, 'off', () => 'passed');
  const stranger = await bound(t);
  const got: Buffer[] = [];
  stranger.on('message', (datagram) => got.push(datagram));
  let sequence = 0;
  const begun = performance.now();
  const shoutOnce = (): void => {
    const packet = Buffer.alloc(172, 0x80);
    sequence += 1;
    writeRtpHeader(packet, { payloadType: 0, marker: false, sequence, timestamp: 160 * sequence, ssrc: 666 });
    stranger.send(packet, portIn(callee.localSdp), '127.0.0.1');
    stranger.send(Buffer.from('no RTP at all'), portIn(callee.localSdp), '127.0.0.1');
    stranger.send(packet, portIn(callee.localSdp) + 1, '127.0.0.1');
  };
  // Every five milliseconds, however late a timer is.
  const shout = setInterval(() => {
    while (sequence * 5 < performance.now() - begun) shoutOnce();
  }, 5);
  t.teardown(() => clearInterval(shout));
  t.deepEqual(numbers(await heard()), all);
  t.true(sequence > 100);
  t.deepEqual(got, []);
});
