/** The wall clock of the machine is set while a call is in progress. The database keeps its own time. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';

const hourMs = 3_600_000;
const RealDate = Date;

/** Every reading of the wall clock in this process is so much off, until the test is over. */
const setClock = (t: ExecutionContext, byMs: number): void => {
  const now = (): number => RealDate.now() + byMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: []) =>
      given.length === 0 ? new target(now()) : Reflect.construct(target, given),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  t.teardown(() => {
    globalThis.Date = RealDate;
  });
};

for (const [title, step] of Object.entries({ forward: hourMs, back: -hourMs })) {
  test.serial(
    `a clock that is set ${title} by an hour in a call changes neither its duration nor when its events come`,
    async (t) => {
      const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '1' });
      const receiver = await startWebhookReceiver();
      t.teardown(receiver.close);
      const { status, body: endpoint } = await gateway.admin.post('/api/v1/admin/webhooks', {
        url: receiver.url,
        events: ['call.ended'],
      });
      t.is(status, 201);
      // It accepts nothing that is not signed with the time of the clock as it is.
      receiver.trust(z.string().parse(endpoint['secret']));
      const told = (): number => new Set(receiver.received.map(({ id }) => id)).size;
      const begun = performance.now();
      const callId = await gateway.call('01000000006');
      await gateway.untilStatus(callId, 'active');
      setClock(t, step);
      await gateway.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
      const ended = await gateway.untilStatus(callId, 'completed');
      const lasted = z.number().parse(ended['duration_sec']);
      t.true(lasted > 0 && lasted <= (performance.now() - begun) / 1000, `${lasted} s`);
      const [started, over] = [ended['started_at'], ended['ended_at']].map((at) =>
        RealDate.parse(z.string().parse(at)),
      );
      t.true(
        (over ?? 0) - (started ?? 0) <= performance.now() - begun + 1,
        'the call keeps the time that it began in',
      );
      await until('its end is told', () => (told() === 1 ? true : undefined));
      const next = await gateway.call('01000000003');
      const { body } = await gateway.client.get(`/api/v1/calls/${next}`);
      const off = RealDate.parse(z.string().parse(body['started_at'])) - RealDate.now() - step;
      t.true(Math.abs(off) < hourMs / 2, 'a call that begins now has the time of the clock as it is now');
      await until('its end is told as well', () => (told() === 2 ? true : undefined));
      t.deepEqual(
        receiver.received.map(({ signedWith }) => signedWith.length),
        [1, 1],
        'none is told twice, and each is believed',
      );
    },
  );
}
