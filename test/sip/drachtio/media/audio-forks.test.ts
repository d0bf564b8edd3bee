import { once } from 'node:events';
import test from 'ava';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { createAudioForks } from '#sip/drachtio/media/audio-forks.ts';
import type { SoundEvents } from '#sip/media/endpoint.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const protocol = 'audio.drachtio.org';

const createWorld = async () => {
  const clock = createOrderedClock();
  const media = createAudioForks({
    host: '127.0.0.1',
    port: 0,
    clock,
    logger: pino({ level: 'silent' }),
  });
  await media.open();
  return { clock, media };
};

const deaf: SoundEvents = { onAudio: () => {}, onMark: () => {}, onLost: () => {} };

const isRefused = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url, protocol);
    socket.on('error', () => resolve(true));
    socket.on('open', () => {
      socket.terminate();
      resolve(false);
    });
  });

test('sound comes in as samples and goes out without the value that stands for a mark', async (t) => {
  const { media } = await createWorld();
  const frames: Int16Array[] = [];
  const marks: string[] = [];
  const { url, arrived } = media.expect({
    ...deaf,
    onAudio: (samples) => frames.push(samples),
    onMark: (name) => marks.push(name),
  });
  const freeSwitch = new WebSocket(url, protocol);
  await once(freeSwitch, 'open');
  t.is(freeSwitch.protocol, protocol);
  const fork = await arrived;
  freeSwitch.send('{"call":"metadata"}');
  freeSwitch.send('not JSON');
  freeSwitch.send(Buffer.from([1, 2, 3]));
  freeSwitch.send(Buffer.from([1, 0, 255, 255]));
  freeSwitch.send(JSON.stringify({ type: 'mark', data: { name: 'm1', event: 'playout' } }));
  const received: unknown[] = [];
  freeSwitch.on('message', (data, isBinary) =>
    received.push(Buffer.isBuffer(data) && (isBinary ? [...data] : JSON.parse(data.toString()))),
  );
  fork.send(Int16Array.of(1, -1, -2));
  fork.mark('m2');
  fork.kill();
  while (received.length < 3 || marks.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  t.deepEqual(
    frames.map((samples) => [...samples]),
    [[1, -1]],
  );
  t.deepEqual(marks, ['m1']);
  t.deepEqual(received, [
    [1, 0, 0, 0, 254, 255],
    { type: 'mark', data: { name: 'm2' } },
    { type: 'killAudio' },
  ]);
  await media.close();
});

/** Sends frames of 20 ms taken at this rate, as time goes by or, after a standstill, all at once. */
const heardAt = async (samplesPerSecond: number, { standstillMs = 0 } = {}): Promise<number> => {
  const { media, clock } = await createWorld();
  let frames = 0;
  const { url, arrived } = media.expect({ ...deaf, onAudio: () => (frames += 1) });
  const freeSwitch = new WebSocket(url, protocol);
  await once(freeSwitch, 'open');
  await arrived;
  const frame = Buffer.alloc((samplesPerSecond / 50) * 2);
  clock.advance(standstillMs);
  for (let sent = 1; sent <= 1_000; sent += 1) {
    if (sent * 20 > standstillMs) clock.advance(20);
    freeSwitch.send(frame);
    // Answered when the frame has been taken.
    freeSwitch.ping();
    await once(freeSwitch, 'pong');
  }
  await media.close();
  return frames;
};

test('sound of the right rate is taken, also what has piled up while this process stood still', async (t) => {
  t.is(await heardAt(8_000), 1_000);
  t.is(await heardAt(8_000, { standstillMs: 15_000 }), 1_000);
});

test('sound of a wrong rate is found out within seconds and dropped; the connection stands', async (t) => {
  t.is(await heardAt(16_000), 250);
});

test('a token lets one connection in, once; nobody comes in without', async (t) => {
  const { media } = await createWorld();
  const { url } = media.expect(deaf);
  t.true(await isRefused(`${url}x`));
  t.true(await isRefused(url.replace(/audio\/.*/, 'audio/')));
  t.false(await isRefused(url));
  t.true(await isRefused(url));
  const cancelled = media.expect(deaf);
  cancelled.cancel();
  t.true(await isRefused(cancelled.url));
  await media.close();
});

test('a connection that does not come is given up, and its token with it', async (t) => {
  const { media, clock } = await createWorld();
  const { url, arrived } = media.expect(deaf);
  clock.advance(3_000);
  await t.throwsAsync(arrived, { message: /did not connect/ });
  t.true(await isRefused(url));
  t.is(clock.pending(), 0);
  await media.close();
});

test('a connection that breaks is reported, one that is closed here is not', async (t) => {
  const { media } = await createWorld();
  let lost = 0;
  const connect = async () => {
    const { url, arrived } = media.expect({ ...deaf, onLost: () => (lost += 1) });
    const socket = new WebSocket(url, protocol);
    await once(socket, 'open');
    return { socket, fork: await arrived };
  };
  const first = await connect();
  first.fork.close();
  await once(first.socket, 'close');
  t.is(lost, 0);
  const second = await connect();
  second.socket.terminate();
  while (lost === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  t.is(lost, 1);
  await media.close();
});
