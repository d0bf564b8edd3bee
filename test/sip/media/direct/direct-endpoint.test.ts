import { createSocket } from 'node:dgram';
import test from 'ava';
import pino from 'pino';
import { createDirectEndpoint } from '#sip/media/direct/direct-endpoint.ts';
import { NothingInCommon } from '#sip/media/direct/negotiation.ts';
import type { MediaEndpoint } from '#sip/media/media-endpoint.ts';
import { createSoundThread } from '#sip/media/thread/sound-thread.ts';
import { levelOf } from '#sip/samples.ts';
import { steadyClock } from '#src/clocks.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import { until } from '#test/helpers/until.ts';

const thread = createSoundThread({ ports: { from: 21_000, to: 21_398 }, logger: pino({ level: 'silent' }) });
test.after.always(() => thread.close());

const open = (offer?: string, rtpTimeoutMs = 0, srtp: TrunkSrtp = 'off'): Promise<MediaEndpoint> =>
  createDirectEndpoint(
    offer,
    { codecs: null, srtp },
    { thread, address: '127.0.0.1', clock: steadyClock, rtpTimeoutMs },
  );

const tone = Int16Array.from({ length: 8_000 }, (_, index) => 8_000 * Math.sin(index / 3));

const hearing = async (endpoint: MediaEndpoint) => {
  const pieces: Int16Array[] = [];
  const marks: string[] = [];
  const path = await endpoint.connect(
    {
      onLost: () => {},
      onAudio: (samples) => pieces.push(samples),
    },
    8_000,
  );
  const loud = (): Int16Array => {
    const all = joinSamples(pieces);
    const from = all.findIndex((sample) => Math.abs(sample) > 500);
    return from === -1 ? new Int16Array() : all.subarray(from);
  };
  return { path, marks, loud, samples: () => joinSamples(pieces) };
};

const connected = async (t: { teardown: (end: () => Promise<void>) => void }) => {
  const caller = await open();
  const callee = await open(caller.localSdp);
  await caller.takeAnswer(callee.localSdp);
  t.teardown(async () => {
    await caller.destroy();
    await callee.destroy();
  });
  return { caller, callee };
};

test('who offers and who answers hear each other, whole', async (t) => {
  const { caller, callee } = await connected(t);
  t.regex(callee.localSdp, /m=audio \d+ RTP\/AVP 0 101\r\n/);
  const ear = await hearing(callee);
  const mouth = await hearing(caller);
  mouth.path.send(tone);
  mouth.path.whenPlayed(() => mouth.marks.push('said'));
  await until(
    'all that was said is heard',
    () => (mouth.marks.length === 1 && ear.loud().length >= 8_000) || undefined,
  );
  const heard = ear.loud().subarray(0, 7_900);
  t.true(Math.abs(levelOf(heard) - levelOf(tone)) < 0.2);
});

test('what is taken back is not heard, and counted', async (t) => {
  const { caller, callee } = await connected(t);
  const ear = await hearing(callee);
  const { path } = await hearing(caller);
  for (let second = 0; second < 30; second += 1) path.send(tone);
  await until('it is heard', () => ear.loud().length > 1_600 || undefined);
  t.true(path.takeBack() > 28 * tone.length);
  const before = ear.samples().length;
  await until('more is heard', () => ear.samples().length > before + 1_600 || undefined);
  t.is(levelOf(ear.samples().subarray(-800)) < -60, true);
});

test('keys reach the other side, each once, and none goes to who takes none', async (t) => {
  const { caller, callee } = await connected(t);
  const digits: string[] = [];
  callee.onDigit((digit) => digits.push(digit));
  await caller.press('1#');
  await until('both keys are told', () => digits.length === 2 || undefined);
  t.deepEqual(digits, ['1', '#']);
  const deaf = await open(
    caller.localSdp.replace(/a=(?:rtpmap|fmtp):101.*\r\n/g, '').replace(' 101\r\n', '\r\n'),
  );
  t.teardown(() => deaf.destroy());
  await t.throwsAsync(deaf.press('1'));
});

test('an offer of our second codec is answered with it, an unknown one not at all', async (t) => {
  const { caller } = await connected(t);
  const pcma = await open(caller.localSdp.replace('RTP/AVP 0 8 101', 'RTP/AVP 8 0 101'));
  t.teardown(() => pcma.destroy());
  t.regex(pcma.localSdp, /RTP\/AVP 8 101\r\n/);
  await t.throwsAsync(open(caller.localSdp.replace('RTP/AVP 0 8 101', 'RTP/AVP 9 18')), {
    instanceOf: NothingInCommon,
  });
});

test('who is put on hold is sent nothing, and hears again when it is taken back', async (t) => {
  const { caller, callee } = await connected(t);
  const ear = await hearing(caller);
  await hearing(callee);
  await until('something is heard', () => ear.samples().length > 0 || undefined);
  const held = await callee.modify(caller.localSdp.replace('a=sendrecv', 'a=sendonly'));
  t.regex(held, /a=recvonly\r\n/);
  t.regex(held, /^o=- \d+ 2 /m);
  // What was on its way may still come.
  const quiet = async (): Promise<boolean> => {
    const before = ear.samples().length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return ear.samples().length === before;
  };
  while (!(await quiet()));
  const resumed = await callee.modify(caller.localSdp);
  t.regex(resumed, /a=sendrecv\r\n/);
  const before = ear.samples().length;
  await until('something is heard again', () => ear.samples().length > before || undefined);
  t.pass();
});

test('a session description that says nothing new has the version of the one before', async (t) => {
  const { caller, callee } = await connected(t);
  t.is(await callee.modify(caller.localSdp), callee.localSdp);
});

test('sound that stops coming is a loss after its time', async (t) => {
  const socket = createSocket('udp4');
  t.teardown(() => void socket.close());
  const endpoint = await open(undefined, 2_000);
  t.teardown(() => endpoint.destroy());
  const [, port = '0'] = /m=audio (\d+)/.exec(endpoint.localSdp) ?? [];
  let lost: string | null | undefined;
  endpoint.onLost((reason) => (lost = reason));
  await endpoint.takeAnswer(endpoint.localSdp.replace(/m=audio \d+/, 'm=audio 9'));
  socket.send(
    Buffer.concat([Buffer.from([0x80, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]), Buffer.alloc(160)]),
    Number(port),
    '127.0.0.1',
  );
  await until('the loss is told', () => lost !== undefined || undefined);
  t.is(lost, 'MEDIA_TIMEOUT');
});

test('a call to which no sound ever comes is lost after its time', async (t) => {
  const endpoint = await open(undefined, 2_000);
  t.teardown(() => endpoint.destroy());
  let lost: string | null | undefined;
  endpoint.onLost((reason) => (lost = reason));
  await endpoint.takeAnswer(endpoint.localSdp.replace(/m=audio \d+/, 'm=audio 9'));
  await until('the loss is told', () => lost !== undefined || undefined);
  t.is(lost, 'MEDIA_TIMEOUT');
});

test('the figures are those of this moment: where the sound is, how much of it came and went', async (t) => {
  const { caller, callee } = await connected(t);
  const ear = await hearing(callee);
  await hearing(caller);
  await until('something is heard', () => ear.samples().length > 1_600 || undefined);
  const figures = await callee.figures();
  t.like(figures, { codec: 'PCMU', isHeardThere: null });
  t.is(figures?.remoteAddress, (await caller.figures())?.localAddress);
  t.true((figures?.received.packets ?? 0) >= 10);
  t.is(figures?.received.loss, 0);
  t.true((figures?.received.mos ?? 0) > 4);
  t.true((figures?.sent.packets ?? 0) > 0);
  t.is(figures?.sent.mos, null, 'nobody has said how it arrives');
});
