/** Trying a trunk out, as ladders. */
import test, { type ExecutionContext } from 'ava';
import { createFarEnd, type FarEnd } from '#test/doubles/far-end.ts';
import { describeSound } from '#test/doubles/session-description.ts';
import { ownNumber, startSipEdge, type SipEdge } from '#test/doubles/sip-edge.ts';
import { mustHave } from '#test/doubles/sip-parser.ts';
import { someTrunk } from '#test/sip/trunks/some-trunk.ts';

const sdp = describeSound();
const callee = '01099998888';

const startCheck = async (t: ExecutionContext, to: string, register = false) => {
  const edge = await startSipEdge(t);
  const end = createFarEnd(edge.drachtio, '127.0.0.1:15081');
  const carrier = someTrunk({
    host: '127.0.0.1',
    port: 15_081,
    ...(register ? { register: true, username: 'gateway', password: 'secret' } : {}),
  });
  return { edge, end, checking: edge.lines.tryTrunk(carrier, { from: ownNumber, to }) };
};

const results = async (checking: ReturnType<SipEdge['lines']['tryTrunk']>): Promise<string[]> =>
  (await checking).map(({ step, result }) => `${step} ${result}`);

const answerOptions = async (end: FarEnd, status = 200): Promise<void> =>
  (await end.receives('OPTIONS')).answers(status);

test('a trunk takes the registration, answers, and carries a call, which is cancelled when it rings', async (t) => {
  const { edge, end, checking } = await startCheck(t, callee, true);
  const registration = await end.receives('REGISTER');
  t.is(mustHave(registration.last('REGISTER'), 'Expires'), '600');
  registration.answers(200, { headers: { Expires: '600' } });
  await answerOptions(end);
  const call = await end.receives('INVITE');
  call.answers(180);
  await call.receives('CANCEL');
  call.answers(200, { to: 'CANCEL' });
  call.answers(487, { to: 'INVITE' });
  t.deepEqual(await results(checking), ['registration ok', 'options ok', 'call ok']);
  await edge.freeSwitches[0]?.untilChannels(0);
});

test('a call to itself that comes back is refused as busy, and both directions work', async (t) => {
  const { edge, end, checking } = await startCheck(t, ownNumber);
  await answerOptions(end);
  const out = await end.receives('INVITE');
  const headers = { From: `<sip:${ownNumber}@127.0.0.1>;tag=back` };
  await edge.trunk.calls(ownNumber, { sdp, headers }).receives(486);
  out.answers(486);
  const steps = await checking;
  t.is(steps.at(-1)?.sentence, 'The call went out and came back in: both directions work.');
  t.deepEqual(edge.arrivals, [], 'nobody is asked about it');
});

test('a call that is answered is hung up at once', async (t) => {
  const { end, checking } = await startCheck(t, callee);
  await answerOptions(end);
  const call = await end.receives('INVITE');
  call.answers(200, { sdp });
  await call.receives('ACK');
  await call.receives('BYE');
  call.answers(200);
  t.deepEqual(await results(checking), ['registration skipped', 'options ok', 'call ok']);
});

test('what a trunk refuses has failed, each step by itself', async (t) => {
  const { end, checking } = await startCheck(t, callee, true);
  (await end.receives('REGISTER')).answers(403);
  await answerOptions(end, 503);
  (await end.receives('INVITE')).answers(503);
  t.deepEqual(await results(checking), ['registration failed', 'options failed', 'call failed']);
});
