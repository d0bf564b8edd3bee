import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { ringMemory, SampleRing } from '#sip/media/sample-ring.ts';
import { openUnicastSession } from '#sip/media/unicast/unicast-session.ts';
import type { SampleRate } from '#sip/samples.ts';
import { until } from '#test/helpers/until.ts';

const frameBytes = 320;

/** Who speaks to a session from this address, as a FreeSWITCH does. */
const startSpeaker = async (t: ExecutionContext, address = '127.0.0.1') => {
  const socket: Socket = createSocket('udp4');
  const frames: Buffer[] = [];
  socket.on('message', (datagram) => frames.push(datagram));
  socket.bind(0, address);
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return {
    frames,
    say: (port: number, bytes: Uint8Array) =>
      new Promise<void>((resolve) => {
        socket.send(bytes, port, '127.0.0.1', () => resolve());
      }),
  };
};

const startSession = async (t: ExecutionContext, sampleRate: SampleRate = 8_000) => {
  let now = 0;
  let begun = 0;
  const heard: Int16Array[] = [];
  const sound = new SampleRing(ringMemory(1_024));
  const session = await openUnicastSession(
    { address: '127.0.0.1', from: '127.0.0.1', sampleRate, now: () => now },
    sound,
    {
      onBegun: () => (begun += 1),
      onSound: (samples) => heard.push(samples),
    },
  );
  t.teardown(session.close);
  return {
    session,
    sound,
    heard,
    begun: () => begun,
    beat(): void {
      now += 20;
      session.tick();
    },
  };
};

const bytesOf = (...samples: number[]): Uint8Array => new Uint8Array(Int16Array.from(samples).buffer);

test('what comes in are samples; each beat sends a frame of what is said, and silence behind it', async (t) => {
  const { session, sound, heard, begun, beat } = await startSession(t);
  const freeSwitch = await startSpeaker(t);
  await freeSwitch.say(session.port, bytesOf(1, -2, 32_767));
  await until('it is heard', () => heard.length === 1 || undefined);
  t.deepEqual([...(heard[0] ?? [])], [1, -2, 32_767]);
  t.is(begun(), 1);

  sound.write(new Int16Array(200).fill(7));
  await until('frames come', () => {
    if (freeSwitch.frames.length < 3) beat();
    return freeSwitch.frames.length >= 3 || undefined;
  });
  const [first, second, third] = freeSwitch.frames.map(
    (each) => new Int16Array(Uint8Array.from(each).buffer),
  );
  t.deepEqual(first, new Int16Array(160).fill(7));
  t.deepEqual(second, new Int16Array(160).fill(7, 0, 40));
  t.deepEqual(third, new Int16Array(160));
  t.true(freeSwitch.frames.every(({ length }) => length === frameBytes));
});

test('nothing is sent, and nothing of what is said is used up, before the first sound has come', async (t) => {
  const { session, sound, heard, beat } = await startSession(t);
  sound.write(new Int16Array(200).fill(7));
  for (let beats = 0; beats < 5; beats += 1) beat();
  t.is(sound.waiting, 200);
  const freeSwitch = await startSpeaker(t);
  await freeSwitch.say(session.port, bytesOf(1));
  await until('it is heard', () => heard.length === 1 || undefined);
  await until('a frame comes', () => {
    beat();
    return freeSwitch.frames.length > 0 || undefined;
  });
  t.is(freeSwitch.frames[0]?.readInt16LE(0), 7);
});

test('whoever speaks from another address, or later than the first, is not heard', async (t) => {
  const { session, heard, begun } = await startSession(t);
  const stranger = await startSpeaker(t, '127.0.0.2');
  await stranger.say(session.port, bytesOf(1));
  const freeSwitch = await startSpeaker(t);
  const second = await startSpeaker(t);
  // Both lie in the socket before either is looked at.
  await Promise.all([freeSwitch.say(session.port, bytesOf(2)), second.say(session.port, bytesOf(3))]);
  await until('it is heard', () => heard.length === 1 || undefined);
  for (const who of [stranger, second]) await who.say(session.port, bytesOf(3));
  await freeSwitch.say(session.port, bytesOf(4));
  await until('it is heard', () => heard.length === 2 || undefined);
  t.deepEqual(
    heard.flatMap((samples) => [...samples]),
    [2, 4],
  );
  t.is(begun(), 1);
});

test('a datagram of nothing or of an odd length ends nothing', async (t) => {
  const { session, heard } = await startSession(t);
  const freeSwitch = await startSpeaker(t);
  for (const bytes of [new Uint8Array(), Uint8Array.of(5), Uint8Array.of(5, 0, 9), bytesOf(6)])
    await freeSwitch.say(session.port, bytes);
  await until('the last is heard', () => heard.at(-1)?.[0] === 6 || undefined);
  t.deepEqual(
    heard.flatMap((samples) => [...samples]),
    [5, 6],
  );
});

test('what is sent where nobody listens any more ends nothing', async (t) => {
  const { session, heard, beat } = await startSession(t);
  const gone = createSocket('udp4').bind(0, '127.0.0.1');
  await once(gone, 'listening');
  gone.send(bytesOf(1), session.port, '127.0.0.1');
  await until('it is heard', () => heard.length === 1 || undefined);
  gone.close();
  for (let beats = 0; beats < 20; beats += 1) {
    beat();
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.is(heard.length, 1);
});
