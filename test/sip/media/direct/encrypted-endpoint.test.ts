/** Sound that this process carries itself, encrypted. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createDirectEndpoint } from '#sip/media/direct/direct-endpoint.ts';
import { NothingInCommon } from '#sip/media/direct/negotiation.ts';
import type { MediaEndpoint } from '#sip/media/media-endpoint.ts';
import { pcmu } from '#sip/media/g711.ts';
import { parseRtp } from '#sip/media/rtp/rtp-packet.ts';
import { createDecryption } from '#sip/media/rtp/srtp.ts';
import { createSoundThread } from '#sip/media/thread/sound-thread.ts';
import { offeredKeyIn } from '#sip/trunks/sdes.ts';
import { steadyClock } from '#src/clocks.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import { until } from '#test/helpers/until.ts';

const thread = createSoundThread({ ports: { from: 21_400, to: 21_798 }, logger: pino({ level: 'silent' }) });
test.after.always(() => thread.close());

const open = async (t: ExecutionContext, srtp: TrunkSrtp, offer?: string): Promise<MediaEndpoint> => {
  const terms = { codecs: null, srtp };
  const options = { thread, address: '127.0.0.1', clock: steadyClock, rtpTimeoutMs: 0 };
  const endpoint = await createDirectEndpoint(offer, terms, options);
  t.teardown(() => endpoint.destroy());
  return endpoint;
};

const tone = Int16Array.from({ length: 8_000 }, (_, index) => 8_000 * Math.sin(index / 3));

/** What is heard there, without the silence; `say` puts a second of a tone into the call. */
const listen = async (endpoint: MediaEndpoint) => {
  const pieces: Int16Array[] = [];
  const path = await endpoint.connect(
    {
      onLost() {},
      onAudio: (samples) => pieces.push(samples),
    },
    8_000,
  );
  const loud = (): number => joinSamples(pieces).filter((sample) => Math.abs(sample) > 500).length;
  const hears = async (): Promise<void> => {
    const before = loud();
    await until('a second is heard', () => loud() > before + 7_000 || undefined);
  };
  return { say: () => path.send(tone), hears, loud };
};

const both = async (t: ExecutionContext, one: TrunkSrtp, other: TrunkSrtp) => {
  const caller = await open(t, one);
  const callee = await open(t, other, caller.localSdp);
  await caller.takeAnswer(callee.localSdp);
  return { caller, callee, mouth: await listen(caller), ear: await listen(callee) };
};

for (const [one, other, isSecret] of [
  ['required', 'required', true],
  ['required', 'optional', true],
  ['optional', 'optional', true],
  ['optional', 'off', false],
  ['off', 'optional', false],
] as const)
  test(`${one} offers, ${other} answers: they hear each other, ${isSecret ? 'encrypted' : 'in clear'}`, async (t) => {
    const { callee, mouth, ear } = await both(t, one, other);
    t.is(/^a=crypto:1 /m.test(callee.localSdp), isSecret);
    mouth.say();
    ear.say();
    await Promise.all([ear.hears(), mouth.hears()]);
  });

for (const [one, other] of [
  ['required', 'off'],
  ['off', 'required'],
] as const)
  test(`${one} offers, ${other} answers: nothing is agreed on`, async (t) => {
    const caller = await open(t, one);
    await t.throwsAsync(open(t, other, caller.localSdp), { instanceOf: NothingInCommon });
  });

test('on the wire there is nothing but what the key opens, and what comes without it is not heard', async (t) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => void socket.close());
  const endpoint = await open(t, 'required');
  const { say, loud } = await listen(endpoint);
  const theirs = endpoint.localSdp
    .replace(/m=audio \d+/, `m=audio ${socket.address().port}`)
    .replace(/inline:\S+/, `inline:${Buffer.alloc(30, 9).toString('base64')}`);
  await endpoint.takeAnswer(theirs);
  say();
  const decryption = createDecryption(offeredKeyIn(endpoint.localSdp)?.master ?? Buffer.alloc(30));
  let secret: Buffer = Buffer.alloc(0);
  let heard = 0;
  while (heard < 500) {
    const [datagram]: Buffer[] = await once(socket, 'message');
    secret = datagram ?? secret;
    t.is(secret.length, 12 + 160 + 10);
    const opened = decryption.rtp(secret);
    if (opened === undefined) return t.fail('it cannot be opened');
    t.notDeepEqual(opened.subarray(12), secret.subarray(12, 172));
    heard += pcmu
      .decode(parseRtp(opened)?.payload ?? Buffer.alloc(0))
      .filter((it) => Math.abs(it) > 500).length;
  }
  const [, port = '0'] = /m=audio (\d+)/.exec(endpoint.localSdp) ?? [];
  // In clear, and with the key of the other direction.
  for (const wrong of [Buffer.concat([secret.subarray(0, 12), Buffer.alloc(160, 7)]), secret])
    for (let times = 0; times < 5; times += 1) socket.send(wrong, Number(port), '127.0.0.1');
  const figures = await endpoint.figures();
  await until(
    'the next figures',
    async () => (await endpoint.figures())?.sent.packets !== figures?.sent.packets || undefined,
  );
  t.is(loud(), 0);
  return t.is((await endpoint.figures())?.received.packets, 0);
});

test('a call goes on with its keys when it is described again, and with another key when there is one', async (t) => {
  const { caller, callee, mouth, ear } = await both(t, 'required', 'required');
  mouth.say();
  await ear.hears();
  t.is(await callee.modify(caller.localSdp), callee.localSdp);
  mouth.say();
  await ear.hears();
  const other = await open(t, 'required', callee.localSdp);
  await callee.takeAnswer(other.localSdp);
  const { say } = await listen(other);
  say();
  await ear.hears();
  t.not(offeredKeyIn(other.localSdp)?.master, offeredKeyIn(caller.localSdp)?.master);
});
