/** Calls through a whole gateway that the callee does not answer, or hangs up. */
import { finalStatuses } from '#test/helpers/gateway.ts';
import { startFarEnd, type Scenario } from './far-end.ts';
import { onRealServers } from './on-real-servers.ts';
import { noChannelIsLeft, realGateway } from './real-gateway.ts';
import { until } from './real-lines.ts';
import { realTimeTest } from './real-time-test.ts';

const callee = '01099998888';

onRealServers('calls through a whole gateway, and how they end', (servers) => {
  const endings: readonly [Scenario, string, Record<string, unknown>, number | null][] = [
    ['busy', 'a busy callee', { status: 'no_answer', end_reason: 'busy' }, 486],
    ['declining', 'a callee that declines', { status: 'no_answer', end_reason: 'declined' }, 603],
    [
      'unknown-number',
      'a number that the network does not know',
      { status: 'failed', end_reason: 'invalid_number' },
      503,
    ],
    ['leaving', 'a callee that hangs up', { status: 'completed', end_reason: 'counterparty_hangup' }, 200],
  ];
  for (const [scenario, title, expected, sipStatus] of endings)
    realTimeTest(`the call record has ${title}`, async (t) => {
      const far = await startFarEnd(scenario, servers().folder);
      t.teardown(far.close);
      const gateway = await realGateway(t, servers(), far.port);
      const callId = await gateway.call(callee, 'Say hello');
      const ended = await gateway.untilStatus(callId, ...finalStatuses);
      t.like(ended, expected);
      t.like(ended['sip'], { status: sipStatus });
      await noChannelIsLeft(servers());
    });

  realTimeTest('cancels a call that is not answered within the ring time-out', async (t) => {
    const far = await startFarEnd('unattended', servers().folder);
    t.teardown(far.close);
    const gateway = await realGateway(t, servers(), far.port);
    await gateway.admin.patch(gateway.numberPath, { ring_timeout_sec: 5 });
    const callId = await gateway.call(callee, 'Say hello');
    t.like(await gateway.untilStatus(callId, ...finalStatuses), {
      status: 'no_answer',
      end_reason: 'no_answer',
      duration_sec: 0,
    });
    await noChannelIsLeft(servers());
  });

  realTimeTest('hangs up a call whose answer crosses the CANCEL', async (t) => {
    const far = await startFarEnd('late-answer', servers().folder, { calls: 1 });
    t.teardown(far.close);
    const gateway = await realGateway(t, servers(), far.port);
    const callId = await gateway.call(callee, 'Say hello');
    await new Promise((resolve) => setTimeout(resolve, 500));
    t.is((await gateway.client.post(`/api/v1/calls/${callId}/cancel`)).status, 202);
    t.like(await gateway.untilStatus(callId, ...finalStatuses), {
      status: 'no_answer',
      end_reason: 'cancelled',
    });
    await until(() => far.child.exitCode !== null);
    t.is(far.child.exitCode, 0, 'it was acknowledged, and hung up by BYE');
    await noChannelIsLeft(servers());
  });
});
