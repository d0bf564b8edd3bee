/** The ladders of whole calls, on doubles of the servers. */
import test, { type ExecutionContext } from 'ava';
import { sipTrace } from '#config/policy.ts';
import { startLineOf, type SipMessage } from '#src/domain/sip-message.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { ownNumber, startSipEdge, type SipEdgeOptions } from '#test/doubles/sip-edge.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import { until } from '#test/helpers/until.ts';

const sdp = describeSound();

/** Lines whose messages are kept by call. */
const startTraced = async (t: ExecutionContext, options: SipEdgeOptions = {}) => {
  const calls = new Map<string, SipMessage[]>();
  const edge = await startSipEdge(t, {
    ...options,
    sipMessages: {
      keep(callId, message) {
        calls.set(callId, [...(calls.get(callId) ?? []), message]);
        return true;
      },
      limits: sipTrace.limits,
    },
  });
  const read = (message: SipMessage): string =>
    `${message.direction === 'out' ? '→' : '←'} ${startLineOf(message.text)
      .replace(/ sip:.*| SIP\/2.0$/, '')
      .replace('SIP/2.0 ', '')}`;
  /** Waits for so many messages of the only call. */
  const ladder = (count: number) =>
    until(`${count} messages`, async () => {
      const [only = []] = calls.values();
      return only.length >= count ? only.map(read) : undefined;
    });
  return { ...edge, calls, ladder };
};

test('a call that goes out: from the INVITE to the answer to BYE', async (t) => {
  const { trunk, call, said, ladder, calls } = await startTraced(t);
  const line = call();
  const far = await trunk.receives('INVITE');
  far.answers(180);
  far.answers(200, { sdp });
  await far.receives('ACK');
  await said([line], 'line.answered');
  far.sends('INVITE', { sdp: describeSound({ direction: 'sendonly' }) });
  await far.receives(200);
  far.sends('ACK');
  far.sends('INFO', { headers: { 'Content-Type': 'application/dtmf-relay' }, body: 'Signal=5\r\n' });
  await far.receives(200);
  far.sends('REFER', { headers: { 'Refer-To': '<sip:01000000000@127.0.0.1>' } });
  await far.receives(603);
  line.tell({ type: 'hangUp' });
  await far.receives('BYE');
  far.answers(200);
  await said([line], 'line.ended');
  t.deepEqual(await ladder(13), [
    '→ INVITE',
    '← 180 Ringing',
    '← 200 OK',
    '→ ACK',
    '← INVITE',
    '→ 200 OK',
    '← ACK',
    '← INFO',
    '→ 200 OK',
    '← REFER',
    '→ 603 Decline',
    '→ BYE',
    '← 200 OK',
  ]);
  const [messages = []] = calls.values();
  t.true(messages.some(({ text }) => text.includes('Signal=x')));
  t.is(calls.size, 1, 'what was said to FreeSWITCH is in no ladder');
});

test('a call over two trunks has the messages of both', async (t) => {
  const [first, second] = ['127.0.0.1:15060', '127.0.0.1:15060'];
  const { trunk, call, said, ladder } = await startTraced(t, {
    trunk: null,
    trunks: directoryOf(
      [first, second].map((_, index) =>
        someTrunk({ id: `t${index}`, name: `t${index}`, host: '127.0.0.1', port: 15_060, priority: index }),
      ),
    ),
  });
  const line = call();
  (await trunk.receives('INVITE')).answers(503);
  (await trunk.receives('INVITE')).answers(486);
  await said([line], 'line.unanswered');
  t.deepEqual(await ladder(4), ['→ INVITE', '← 503 Service Unavailable', '→ INVITE', '← 486 Busy Here']);
});

test('early media that is confirmed, and a call that is given up', async (t) => {
  const { trunk, call, said, ladder } = await startTraced(t);
  const line = call();
  const far = await trunk.receives('INVITE');
  far.answers(183, { sdp, headers: { Require: '100rel', RSeq: '7' } });
  await far.receives('PRACK');
  far.answers(200, { to: 'PRACK' });
  await said([line], 'line.ringing');
  line.tell({ type: 'hangUp' });
  await far.receives('CANCEL');
  far.answers(200, { to: 'CANCEL' });
  far.answers(487, { to: 'INVITE' });
  await said([line], 'line.unanswered');
  t.deepEqual((await ladder(6)).toSorted(), [
    '← 183 Session Progress',
    '← 200 OK',
    '← 487 Request Terminated',
    '→ CANCEL',
    '→ INVITE',
    '→ PRACK',
  ]);
});

test('a caller: from the INVITE to the answer to BYE', async (t) => {
  const { trunk, inbound, said, ladder } = await startTraced(t);
  const far = trunk.calls(ownNumber, { sdp });
  await far.receives(200);
  far.sends('ACK');
  await said(inbound, 'line.answered');
  far.sends('BYE');
  await far.receives(200);
  await said(inbound, 'line.ended');
  t.deepEqual(await ladder(5), ['← INVITE', '→ 200 OK', '← ACK', '← BYE', '→ 200 OK']);
});

test('a caller that gives up while it is decided', async (t) => {
  const { promise, resolve } = Promise.withResolvers<{ accepted: false; because: 'caller_rejected' }>();
  const { trunk, arrivals, until: untilHolds, ladder } = await startTraced(t, { decide: () => promise });
  const far = trunk.calls(ownNumber, { sdp });
  await untilHolds(() => arrivals.length === 1);
  far.sends('CANCEL');
  await far.receives(200);
  resolve({ accepted: false, because: 'caller_rejected' });
  t.deepEqual(await ladder(2), ['← INVITE', '← CANCEL']);
});

test('a caller that is not let in has a ladder where there is a call of it', async (t) => {
  const { trunk, ladder, calls } = await startTraced(t, {
    decide: ({ from }) => ({
      accepted: false,
      because: from.endsWith('1') ? 'unknown_number' : 'caller_rejected',
    }),
  });
  await trunk.calls(ownNumber, { sdp, headers: { From: '<sip:01011111111@127.0.0.1>;tag=a' } }).receives(404);
  await trunk.calls(ownNumber, { sdp, headers: { From: '<sip:01022222222@127.0.0.1>;tag=b' } }).receives(603);
  t.deepEqual(await ladder(2), ['← INVITE', '→ 603 Decline']);
  t.is(calls.size, 1);
});
