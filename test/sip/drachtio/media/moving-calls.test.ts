/** Calls that this process carries until the far end wants what only FreeSWITCH can do. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { pcmu } from '#sip/media/g711.ts';
import { parseRtp } from '#sip/media/rtp/rtp-packet.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { ownNumber, startSipEdge, trunkAddress, type SipEdge } from '#test/doubles/sip-edge.ts';
import { sameSpeech } from '#test/helpers/same-speech.ts';
import { until } from '#test/helpers/until.ts';

const frames = 120;

/** The loudness of a frame says which one it is, and G.711 carries it unchanged. */
const loudness = Array.from(
  { length: frames },
  (_, index) => pcmu.decode(Uint8Array.of(0xfe - index))[0] ?? 0,
);
const countingVoice = {
  name: 'counting',
  synthesize: async () => ({
    sampleRate: 8_000,
    samples: Int16Array.from({ length: frames * 160 }, (_, index) => loudness[Math.floor(index / 160)] ?? 0),
  }),
};
const frameOf = (samples: Int16Array): number => loudness.indexOf(samples[80] ?? 0);

/** Sound at a name, which this process never looks up. */
const elsewhere = describeSound({ port: 31_000 }).replace('c=IN IP4 127.0.0.1', 'c=IN IP4 sound.example');

const originOf = (sdp: string): string[] => (/^o=(.*?)\r?$/m.exec(sdp)?.[1] ?? '').split(' ').slice(0, 3);

const farSound = async (t: ExecutionContext) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => void socket.close());
  const heard: number[] = [];
  socket.on('message', (datagram) =>
    heard.push(frameOf(pcmu.decode(parseRtp(datagram)?.payload ?? new Uint8Array()))),
  );
  return { port: socket.address().port, heard };
};

const over = (media: 'auto' | 'direct') => ({
  trunk: { address: trunkAddress, media },
  speech: sameSpeech(countingVoice),
});

const answered = async (edge: SipEdge, port = 30_000) => {
  const call = edge.trunk.calls(ownNumber, { sdp: describeSound({ port }) });
  const { body } = await call.receives(200);
  call.sends('ACK');
  await edge.said(edge.inbound, 'line.answered');
  return { call, body };
};

test('the call goes over to FreeSWITCH in the middle of a sentence, of which nothing is lost or said twice', async (t) => {
  const far = await farSound(t);
  const edge = await startSipEdge(t, over('auto'));
  const { call, body } = await answered(edge, far.port);
  const [line] = edge.inbound;
  line?.say('A long sentence that goes on elsewhere.');
  await until('a part of it was heard', () => {
    edge.clock.advance(20);
    return far.heard.some((frame) => frame >= 40) || undefined;
  });
  t.deepEqual(edge.freeSwitches[0]?.channels(), []);

  call.sends('INVITE', { sdp: elsewhere });
  const moved = (await call.receives(200)).body;
  call.sends('ACK');
  const [channel] = edge.freeSwitches[0]?.channels() ?? [];
  t.regex(channel?.remoteSdp ?? '', /sound\.example/);
  t.deepEqual([originOf(body)[1], originOf(body)[2], originOf(moved)[2]], [originOf(moved)[1], '1', '2']);
  const there: number[] = [];
  await until('the rest was heard', () => {
    edge.clock.advance(20);
    there.push(frameOf(channel?.sound?.tick(new Int16Array(160)) ?? new Int16Array(160)));
    return there.includes(frames - 1) || undefined;
  });
  const all = [...far.heard, ...there].filter((frame) => frame >= 0);
  t.deepEqual(
    all,
    Array.from({ length: frames }, (_, frame) => frame),
  );
  await until('it is told', () => {
    edge.clock.advance(20);
    return line?.saw('line.played') || undefined;
  });
  t.true(line?.all('line.played')[0]?.whole);

  // It stays there, and is one call still.
  call.sends('INVITE', { sdp: describeSound({ port: far.port }) });
  t.is(originOf((await call.receives(200)).body)[1], originOf(body)[1]);
  call.sends('ACK');
  t.false(line?.saw('line.failed'));
  call.sends('BYE');
  await call.receives(200);
  await edge.freeSwitches[0]?.untilChannels(0);
});

test('a caller that begins with it is on FreeSWITCH from the start', async (t) => {
  const edge = await startSipEdge(t, over('auto'));
  await edge.trunk.calls(ownNumber, { sdp: elsewhere }).receives(200);
  t.is(edge.freeSwitches[0]?.channels().length, 1);
});

for (const [why, media, spoil, newCall] of [
  ['the trunk wants none', 'direct', () => {}, 488],
  // Another time there may be one.
  ['it has no place', 'auto', ({ freeSwitches }: SipEdge) => freeSwitches[0]?.refuseEndpoints(), 503],
] as const)
  test(`without FreeSWITCH, because ${why}, it is refused, and the call stays as it was`, async (t) => {
    const far = await farSound(t);
    const edge = await startSipEdge(t, over(media));
    const { call } = await answered(edge, far.port);
    spoil(edge);
    call.sends('INVITE', { sdp: elsewhere });
    await call.receives(488);
    edge.inbound[0]?.say('This is heard as before.');
    await until('it is heard', () => {
      edge.clock.advance(20);
      return far.heard.includes(frames - 1) || undefined;
    });
    t.false(edge.inbound[0]?.saw('line.failed'));
    await edge.trunk.calls(ownNumber, { sdp: elsewhere }).receives(newCall);
  });
