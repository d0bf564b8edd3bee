/** A gateway to which no FreeSWITCH belongs, or whose FreeSWITCH is away: what its trunks can still be used for. */
import test from 'ava';
import { describeSound } from '#test/doubles/session-description.ts';
import { ownNumber, startSipEdge, trunkAddress, type SipEdgeOptions } from '#test/doubles/sip-edge.ts';
import { createFarEnd } from '#test/doubles/far-end.ts';
import { headerOf } from '#test/doubles/sip-parser.ts';
import { directoryOf, someTrunk } from '#test/sip/trunks/some-trunk.ts';
import type { TrunkMedia } from '#src/domain/trunk.ts';

const over = (media: TrunkMedia) => ({ trunk: { address: trunkAddress, media }, freeSwitchCount: 0 });

for (const media of ['direct', 'auto'] as const)
  test(`${media}: calls come in and go out, and the trunk hears that we are there`, async (t) => {
    const { trunk, inbound, call, said, lines } = await startSipEdge(t, over(media));
    t.deepEqual(lines.health(), { ready: true });
    await trunk.asks('OPTIONS').receives(200);
    const caller = trunk.calls(ownNumber, { sdp: describeSound() });
    await caller.receives(200);
    caller.sends('ACK');
    await said(inbound, 'line.answered');
    const line = call();
    const callee = await trunk.receives('INVITE');
    callee.answers(200, { sdp: describeSound() });
    await callee.receives('ACK');
    await said([line], 'line.answered');
  });

test('freeswitch: callers are refused for good, calls come to nothing, and who looks is told why', async (t) => {
  const { trunk, arrivals, call, said, lines } = await startSipEdge(t, over('freeswitch'));
  t.deepEqual(lines.health(), {
    ready: true,
    warning:
      '1 of 1 trunks ask for FreeSWITCH (media), which this gateway does not have: their calls are refused.',
  });
  await trunk.asks('OPTIONS').receives(503);
  const refusal = await trunk.calls(ownNumber, { sdp: describeSound() }).receives(488);
  t.is(headerOf(refusal, 'Warning'), '399 trunkline "This gateway has no FreeSWITCH (GW_FREESWITCH=none)."');
  t.deepEqual(arrivals, []);
  const line = call();
  await said([line], 'line.unanswered');
  t.like(line.all('line.unanswered')[0], {
    cause: 'media_error',
    sip: { status: null, reason: 'This gateway has no FreeSWITCH (GW_FREESWITCH=none).' },
  });
});

test('a call that one trunk cannot carry goes out over the next one', async (t) => {
  const needy = someTrunk({ media: 'freeswitch', host: '127.0.0.1', port: 9 });
  const { trunk, call, said } = await startSipEdge(t, {
    ...over('direct'),
    trunks: directoryOf([needy]),
  });
  const line = call();
  const farCall = await trunk.receives('INVITE');
  farCall.answers(200, { sdp: describeSound() });
  await farCall.receives('ACK');
  await t.notThrowsAsync(said([line], 'line.answered'));
});

test('what a trunk is tried out for says that its calls cannot be carried', async (t) => {
  const { drachtio, lines } = await startSipEdge(t, over('direct'));
  const end = createFarEnd(drachtio, '127.0.0.1:15081');
  const needy = someTrunk({ media: 'freeswitch', host: '127.0.0.1', port: 15_081 });
  const checking = lines.tryTrunk(needy, { from: ownNumber, to: ownNumber });
  (await end.receives('OPTIONS')).answers(200);
  t.like((await checking).at(-1), {
    step: 'call',
    result: 'failed',
    sentence: 'This gateway has no FreeSWITCH (GW_FREESWITCH=none).',
  });
});

test('while FreeSWITCH is away, trunks that do without it are served, and that is enough to be ready', async (t) => {
  const spoil: Pick<SipEdgeOptions, 'spoil'> = {
    spoil: ({ freeSwitches }) => freeSwitches.forEach((freeSwitch) => freeSwitch.changeSecret()),
  };
  const direct = await startSipEdge(t, { trunk: { address: trunkAddress, media: 'auto' }, ...spoil });
  t.like(direct.lines.health(), { ready: true });
  await direct.trunk.calls(ownNumber, { sdp: describeSound() }).receives(200);
  const both = await startSipEdge(t, {
    trunk: { address: trunkAddress, media: 'auto' },
    trunks: directoryOf([someTrunk({ media: 'freeswitch' })]),
    ...spoil,
  });
  t.like(both.lines.health(), { ready: false });
  await both.trunk.asks('OPTIONS').receives(200);
});
