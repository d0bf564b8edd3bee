/** A replay shows what the charts of the call really did. */
import test from 'ava';
import { z } from 'zod';
import { openEventStream } from '#test/helpers/event-stream.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';

const states = z.array(z.object({ call: z.string(), conversation: z.string().nullable() }));
const steps = z.array(
  z.object({
    at: z.string(),
    event: z.string(),
    fact: z.number().nullable(),
    call: z.string(),
    conversation: z.string().nullable(),
  }),
);

type State = z.infer<typeof states>[number];

const withoutRepeats = (names: readonly string[]): string[] =>
  names.filter((name, index) => name !== names[index - 1]);

const path = (all: readonly State[], chart: keyof State): string[] =>
  withoutRepeats(all.flatMap((state) => state[chart] ?? []));

const callees = {
  '01000000001': 'a polite conversation',
  '01000000003': 'a busy callee',
  '01000000004': 'a callee that declines',
  '01000000005': 'words into the farewell',
  '01000000006': 'silence',
  '01000000007': 'a callee that hangs up',
  '01000000008': 'interruptions',
  '01000000009': 'a trunk that fails',
};

test('calls are replayed as they were', async (t) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '10' });
  await gateway.admin.patch(gateway.numberPath, { silence_timeout_sec: 10 });
  const { base_url: baseUrl, number_key: key } = gateway.credentials;

  const live = async (callId: string): Promise<State[]> => {
    const stream = await openEventStream(`${baseUrl}/api/v1/calls/${callId}/events`, key);
    await gateway.untilStatus(callId, ...finalStatuses);
    await stream.until('the end of the call', ({ data }) => data['type'] === 'call.ended');
    stream.close();
    return states.parse(stream.events.filter(({ event }) => event === 'state').map(({ data }) => data));
  };

  const check = async (callee: string, what: string): Promise<void> => {
    const callId = await gateway.call(callee, 'Confirm the reservation');
    const lived = await live(callId);
    const { status, body } = await gateway.admin.get(`/api/v1/admin/calls/${callId}/replay`);
    t.is(status, 200);
    const replayed = steps.parse(body['steps']);
    t.is(replayed[0]?.call, 'ringing.alerting', what);
    t.true(finalStatuses.includes(replayed.at(-1)?.call ?? ''), what);
    for (const chart of ['call', 'conversation'] as const) {
      // Who looks on comes a moment late: what is seen from then on must be there to its end.
      const [then, now] = [path(lived, chart), path(replayed, chart)];
      t.deepEqual(now.slice(Math.max(0, now.length - then.length)), then, what);
    }
  };

  await Promise.all(Object.entries(callees).map(([callee, what]) => check(callee, what)));
});

test('the replay of a call of somebody else is not there', async (t) => {
  const gateway = await testGateway(t);
  const path = `/api/v1/admin/calls/${crypto.randomUUID()}/replay`;
  t.is((await gateway.admin.get(path)).status, 404);
});
