/** Replay of a call from its journal. */
import test from 'ava';
import { z } from 'zod';
import { type RecordedCall, replayCall } from '#src/calls/replay/replay-call.ts';
import type { JournalEntry } from '#src/persistence/calls/call-journal.ts';
import type { StoredTransition } from '#src/persistence/calls/call-transitions.ts';
import { openEventStream } from '#test/helpers/event-stream.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';

// Replay
// A replay shows what the charts of the call actually did.

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

test.serial('replays calls with their recorded states', async (t) => {
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
      // The watcher starts a moment late: the replay must have all that it received, up to the end.
      const [then, now] = [path(lived, chart), path(replayed, chart)];
      t.deepEqual(now.slice(Math.max(0, now.length - then.length)), then, what);
    }
  };

  await Promise.all(Object.entries(callees).map(([callee, what]) => check(callee, what)));
});

test.serial('responds with not found for the replay of a foreign call', async (t) => {
  const gateway = await testGateway(t);
  const path = `/api/v1/admin/calls/${crypto.randomUUID()}/replay`;
  t.is((await gateway.admin.get(path)).status, 404);
});

// Replay call
// A replay of stored data; replay.test.ts shows that it matches the charts.

const begun = Date.UTC(2026, 10, 21);
const callId = '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11';

/** `at` in milliseconds from the beginning. */
const fact = (
  sequence: number,
  type: string,
  at: number,
  more: Partial<JournalEntry> = {},
): JournalEntry => ({
  sequence,
  type,
  at: new Date(begun + at),
  data: {},
  tOffsetSec: null,
  role: null,
  text: null,
  whole: null,
  summary: null,
  ...more,
});

let sequence = 0;
const moved = (
  machine: StoredTransition['machine'],
  at: number,
  eventType: string,
  stateAfter: string,
  factsBefore = 0,
): StoredTransition => ({
  callId,
  epoch: 1,
  sequence: (sequence += 1),
  at: new Date(begun + at),
  machine,
  chartVersion: 'v',
  stateBefore: null,
  eventType,
  stateAfter,
  factsBefore,
});

const told = (call: Partial<RecordedCall>): unknown[] =>
  replayCall({ startedAt: new Date(begun), facts: [], transitions: [], ...call }).map((step) => [
    step.at.getTime() - begun,
    step.event,
    step.fact,
    step.call,
    step.conversation,
  ]);

const answered = fact(1, 'call.answered', 1_000);
const ended = fact(4, 'call.ended', 7_000, { data: { status: 'completed' } });

test('lists the transitions as steps, with the facts between them', (t) => {
  const steps = told({
    facts: [
      answered,
      fact(2, 'turn.digit', 2_500),
      fact(3, 'turn.spoken', 1_900, { role: 'assistant', data: { endedAt: begun + 3_000 } }),
      ended,
      fact(5, 'call.summarized', 9_000),
    ],
    transitions: [
      moved('call', 0, 'xstate.init', 'ringing.alerting'),
      moved('conversation', 1_000, 'xstate.init', 'replying.thinking', 1),
      moved('call', 1_000, 'line.answered', 'active.talking.conversing', 1),
      moved('conversation', 1_800, 'reply.sentence', 'replying.speaking', 1),
      moved('conversation', 3_000, 'line.played', 'listening.silent', 3),
      moved('conversation', 6_000, 'xstate.after.silenceTimeout.x', 'closing', 3),
      moved('call', 7_000, 'line.ended', 'completed', 4),
    ],
  });
  t.deepEqual(steps, [
    [0, '(begin)', null, 'ringing.alerting', null],
    [1_000, 'line.answered', 1, 'active.talking.conversing', 'replying.thinking'],
    [1_800, 'reply.sentence', 3, 'active.talking.conversing', 'replying.speaking'],
    [2_500, 'turn.digit', 2, 'active.talking.conversing', 'replying.speaking'],
    [3_000, 'line.played', 3, 'active.talking.conversing', 'listening.silent'],
    [6_000, '(time)', null, 'active.talking.conversing', 'closing'],
    [7_000, 'line.ended', 4, 'completed', null],
  ]);
});

test('ends the replay of a call that another gateway ended', (t) => {
  const steps = told({
    facts: [answered, fact(2, 'call.ended', 5_000, { data: { status: 'failed' } })],
    transitions: [
      moved('call', 0, 'xstate.init', 'ringing.alerting'),
      moved('conversation', 1_000, 'xstate.init', 'listening.silent', 1),
      moved('call', 1_000, 'line.answered', 'active.talking.conversing', 1),
    ],
  });
  t.deepEqual(steps.at(-1), [5_000, 'call.ended', 2, 'failed', null]);
});

test('replays a call without stored transitions from its facts and status', (t) => {
  t.deepEqual(told({ facts: [answered, ended] }), [
    [0, '(begin)', null, 'ringing', null],
    [1_000, 'call.answered', 1, 'active', null],
    [7_000, 'call.ended', 4, 'completed', null],
  ]);
});
