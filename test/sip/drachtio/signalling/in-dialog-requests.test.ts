/** Requests of the far end in a call that stands, as ladders between it and the gateway. */
import test, { type ExecutionContext } from 'ava';
import type { WatchedLine } from '#test/contract/watched-line.ts';
import type { FarCall } from '#test/doubles/far-end.ts';
import type { MediaChannel } from '#test/doubles/media-channel.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { headerOf, type MessageParts } from '#test/doubles/sip-parser.ts';
import { ownNumber, startSipEdge, type SipEdge } from '#test/doubles/sip-edge.ts';

const sdp = describeSound();

type Standing = SipEdge & { line: WatchedLine; farCall: FarCall; channel: MediaChannel };

/** A call that was dialled and answered. */
const dialled = async (t: ExecutionContext): Promise<Standing> => {
  const edge = await startSipEdge(t);
  const line = edge.call();
  const farCall = await edge.trunk.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  await edge.said([line], 'line.answered');
  return { ...edge, line, farCall, channel: channelOf(edge) };
};

/** A call that came in and was answered. */
const taken = async (t: ExecutionContext): Promise<Standing> => {
  const edge = await startSipEdge(t);
  const farCall = edge.trunk.calls(ownNumber, { sdp });
  await farCall.receives(200);
  farCall.sends('ACK');
  await edge.said(edge.inbound, 'line.answered');
  const [line] = edge.inbound;
  if (line === undefined) throw new Error('No line was opened');
  return { ...edge, line, farCall, channel: channelOf(edge) };
};

const channelOf = ({ freeSwitches }: SipEdge): MediaChannel => {
  const channel = freeSwitches[0]?.channels()[0];
  if (channel === undefined) throw new Error('There is no channel');
  return channel;
};

const holds: readonly [string, string, string][] = [
  ['sendonly', describeSound({ direction: 'sendonly' }), 'recvonly'],
  ['inactive', describeSound({ direction: 'inactive' }), 'inactive'],
  ['to 0.0.0.0', sdp.replace('IN IP4 127.0.0.1\r\nt=', 'IN IP4 0.0.0.0\r\nt='), 'sendrecv'],
];
for (const [how, held, answered] of holds)
  for (const [way, begin] of [
    ['dialled', dialled],
    ['taken', taken],
  ] as const)
    test(`a call that was ${way} is held and taken back: ${how}`, async (t) => {
      const { line, farCall, said, until } = await begin(t);
      farCall.sends('INVITE', { sdp: held });
      t.regex((await farCall.receives(200)).body, new RegExp(`^a=${answered}\\r$`, 'm'));
      farCall.sends('ACK');
      await said([line], 'line.held');
      farCall.sends('INVITE', { sdp });
      t.regex((await farCall.receives(200)).body, /^a=sendrecv\r$/m);
      farCall.sends('ACK');
      await until(() => line.saw('line.resumed'));
      t.deepEqual(line.story().slice(-2), ['line.held', 'line.resumed']);
    });

const unacceptable: readonly [string, string, RegExp][] = [
  ['a codec that nobody has', describeSound({ formats: [18, 101] }), /^399 trunkline "/],
  ['no audio', describeSound({ port: 0 }), /^399 trunkline "/],
];
for (const method of ['INVITE', 'UPDATE'])
  for (const [what, offer, warning] of unacceptable)
    test(`${method} with ${what} is refused, and the call goes on as it was`, async (t) => {
      const { farCall, channel, line } = await dialled(t);
      const before = channel.remoteSdp;
      farCall.sends(method, { sdp: offer });
      t.regex(headerOf(await farCall.receives(488), 'Warning') ?? '', warning);
      farCall.sends('OPTIONS');
      await farCall.receives(200);
      t.is(channel.remoteSdp, before);
      t.false(line.isOver());
    });

test('sound that moves elsewhere is followed, and held no more than before', async (t) => {
  const { farCall, channel, line } = await dialled(t);
  farCall.sends('UPDATE', { sdp: describeSound({ port: 32_000 }) });
  t.regex((await farCall.receives(200)).body, /^m=audio \d+ /m);
  t.regex(channel.remoteSdp, /^m=audio 32000 /m);
  t.false(line.saw('line.held'));
});

test('a re-INVITE without an offer gets ours, and the answer of its ACK is taken', async (t) => {
  const { farCall, channel, line, said } = await dialled(t);
  farCall.sends('INVITE');
  t.regex((await farCall.receives(200)).body, /^m=audio \d+ RTP\/AVP 0/m);
  farCall.sends('ACK', { sdp: describeSound({ port: 33_000, direction: 'sendonly' }) });
  await said([line], 'line.held');
  t.regex(channel.remoteSdp, /^m=audio 33000 /m);
});

for (const method of ['INVITE', 'UPDATE'])
  for (const refresher of ['uac', 'uas'])
    test(`a session is refreshed by ${method}, and the refresher stays ${refresher}`, async (t) => {
      const { farCall, line } = await dialled(t);
      const headers = { Supported: 'timer', 'Session-Expires': `90;refresher=${refresher}` };
      farCall.sends(method, method === 'INVITE' ? { headers, sdp } : { headers });
      const answer = await farCall.receives(200);
      t.is(headerOf(answer, 'Session-Expires'), `90;refresher=${refresher}`);
      t.is(headerOf(answer, 'Require'), refresher === 'uac' ? 'timer' : undefined);
      t.false(line.isOver());
    });

test('a session that nobody refreshed is over', async (t) => {
  const { drachtio, farCall, line, said } = await dialled(t);
  drachtio.giveUp(farCall.callId, 'Session timer expired');
  await farCall.receives('BYE');
  await said([line], 'line.ended');
  t.like(line.all('line.ended')[0], { by: 'counterparty' });
});

const keys: readonly [string, MessageParts, string][] = [
  [
    'of a relay',
    { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=5\r\nDuration=160\r\n' },
    '5',
  ],
  ['as it is', { headers: { 'Content-Type': 'application/dtmf' }, body: '#' }, '#'],
  ['by its number', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=10\r\n' }, '*'],
];
for (const [how, parts, key] of keys)
  test(`a key by INFO is reported: ${how}`, async (t) => {
    const { farCall, line, said } = await dialled(t);
    farCall.sends('INFO', parts);
    await farCall.receives(200);
    await said([line], 'line.digit');
    t.deepEqual(
      line.all('line.digit').map(({ digit }) => digit),
      [key],
    );
  });

test('a key that comes by INFO and with the sound is one, and twice pressed it is two', async (t) => {
  const { farCall, line, channel, until } = await dialled(t);
  const [, info] = keys[0] ?? [];
  const press = async (): Promise<void> => {
    farCall.sends('INFO', info);
    await farCall.receives(200);
    channel.hearsKey('5');
  };
  await press();
  await press();
  channel.hearsKey('6');
  await until(() => line.all('line.digit').some(({ digit }) => digit === '6'));
  t.deepEqual(
    line.all('line.digit').map(({ digit }) => digit),
    ['5', '5', '6'],
  );
});

const answers: readonly [string, MessageParts, number, string?, string?][] = [
  ['REFER', { headers: { 'Refer-To': '<sip:01000000000@127.0.0.1>' } }, 603],
  ['MESSAGE', { headers: { 'Content-Type': 'text/plain' }, body: 'Hello' }, 405, 'Allow', 'INVITE, ACK'],
  ['PUBLISH', { headers: { Event: 'presence' } }, 405, 'Allow', 'INVITE, ACK'],
  ['NOTIFY', { headers: { Event: 'refer' } }, 481],
  ['OPTIONS', {}, 200, 'Allow', 'INVITE, ACK'],
  ['INFO', {}, 200],
  ['INFO', { headers: { 'Content-Type': 'text/plain' }, body: 'x' }, 415, 'Accept', 'application/dtmf-relay'],
];
for (const [method, parts, status, header, value] of answers)
  test(`${method} in a call${parts.body === undefined ? '' : ` with ${parts.body}`} is answered ${status}, and the call goes on`, async (t) => {
    const { farCall, line } = await dialled(t);
    farCall.sends(method, parts);
    const answer = await farCall.receives(status);
    if (header !== undefined) t.true(headerOf(answer, header)?.startsWith(value ?? ''));
    t.deepEqual(line.story(), ['line.answered']);
  });

test('a call that is hung up in the moment of its answer is over', async (t) => {
  const { trunk, call, said } = await startSipEdge(t);
  const line = call();
  const farCall = await trunk.receives('INVITE');
  farCall.answers(200, { sdp });
  await farCall.receives('ACK');
  farCall.sends('BYE');
  await farCall.receives(200);
  await said([line], 'line.ended');
  t.deepEqual(line.story(), ['line.answered', 'line.ended']);
});

test('keys that the agent presses go out with the sound', async (t) => {
  const { line, channel } = await dialled(t);
  line.tell({ type: 'press', keys: '1w2' });
  await channel.untilPressed('1w2');
  t.is(channel.pressed, '1w2');
});

test('a call whose sound the media server ends has failed, and is hung up', async (t) => {
  const { farCall, line, channel, said } = await dialled(t);
  channel.hangUp('MEDIA_TIMEOUT');
  await said([line], 'line.failed');
  line.tell({ type: 'hangUp' });
  await t.notThrowsAsync(farCall.receives('BYE'));
});
