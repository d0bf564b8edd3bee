/** Properties of all charts, the guide about them, and the chart of a delivery. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import * as fc from 'fast-check';
import { createActor, SimulatedClock } from 'xstate';
import { deliveryPolicy } from '#config/policy.ts';
import type { VoicemailPolicy } from '#machines/call-context.ts';
import { callMachine } from '#machines/call.ts';
import type { ConsentRequirement } from '#machines/consent.ts';
import { conversationMachine } from '#machines/conversation.ts';
import { type DeliveryEvent, deliveryMachine, type DeliveryTimes } from '#machines/delivery.ts';
import { inboundLegMachine } from '#machines/inbound-leg.ts';
import { lineLifeMachine } from '#machines/line-life.ts';
import type { LineEvent } from '#machines/line.ts';
import { outboundLegMachine } from '#machines/outbound-leg.ts';
import { trunkMachine } from '#machines/trunk-life.ts';
import { voicemailMachine } from '#machines/voicemail.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { asked as transfer, wanted as wantedTransfer } from './call/asked-transfer.ts';
import { neverBeforeConsent, neverMute } from './rules-of-a-call.ts';

// Any call
// Properties of every call, for any events in any order.

type World = ReturnType<typeof createCallWorld>;
type Step = { name: string; run: (world: World) => void };

const step = (name: string, run: (world: World) => void): Step => ({ name, run });

const isOver = (world: World): boolean => world.actor.getSnapshot().status !== 'active';
const wasAnswered = (world: World): boolean => world.actor.getSnapshot().context.wasAnswered;

const isAt = (world: World, ...states: readonly string[]): boolean =>
  states.some((state) => world.state() === `active.talking.transferring.${state}`);

/** True while the line still has to report the result of a transfer. */
const isRinging = (world: World): boolean =>
  isAt(world, 'consulting', 'referring', 'briefing', 'briefed', 'connecting', 'recalling');
const isWarm = ({ actor }: World): boolean => actor.getSnapshot().context.transfer?.mode === 'warm';

/** A person who answered a warm transfer is connected when the call commands it. */
const mayConnect = (world: World): boolean =>
  isWarm(world) ? isAt(world, 'connecting') : isAt(world, 'consulting', 'recalling');

/** Requests of other parts to a call; they do not depend on the line. */
const outsideSteps: readonly fc.Arbitrary<Step>[] = [
  fc.constantFrom(
    step('hangup', (world) => world.ask({ type: 'hangup.requested', immediate: false })),
    step('hangup now', (world) => world.ask({ type: 'hangup.requested', immediate: true })),
    step('cancel', (world) => world.ask({ type: 'cancel.requested' })),
    step('keys', (world) => world.ask({ type: 'keys.requested', keys: '1' })),
    step('say', (world) =>
      world.ask({ type: 'say.requested', sentences: ['One.', 'Two.'], interrupt: false }),
    ),
    step('say instead', (world) =>
      world.ask({ type: 'say.requested', sentences: ['Stop.'], interrupt: true }),
    ),
    ...[true, false].map((secret) =>
      step(secret ? 'collect in secret' : 'collect', (world) =>
        world.ask({
          type: 'collect.requested',
          wanted: { digits: 2, finish: '#', timeoutSec: 10, secret },
        }),
      ),
    ),
    step('pause', (world) => world.ask({ type: 'recording.pause_requested' })),
    step('resume', (world) => world.ask({ type: 'recording.resume_requested' })),
    step('transfer', (world) => world.ask(transfer)),
    step('warm transfer', (world) => world.ask({ ...transfer, mode: 'warm' })),
    step('warm transfer with a key', (world) => world.ask({ ...transfer, mode: 'warm', acceptKey: '1' })),
    step('announced transfer', (world) => world.ask({ ...transfer, sentences: ['One moment.'] })),
    step('briefing written', (world) =>
      world.ask({
        type: 'transfer.briefing_written',
        transferId: transfer.transferId,
        briefing: 'A summary.',
      }),
    ),
    step('transfer taken back', (world) => world.ask({ type: 'transfer.taken_back' })),
    step('closing', (world) => world.ask({ type: 'gateway.closing' })),
  ),
  fc.integer({ min: 1, max: 60_000 }).map((ms) => step(`${ms} ms`, (world) => world.clock.increment(ms))),
  fc.constantFrom(
    step('control', (world) => world.onReply({ type: 'reply.control', control: { act: 'hang_up' } })),
    step('secret keys by a control', (world) =>
      world.onReply({
        type: 'reply.control',
        control: {
          act: 'collect_keys',
          wanted: { digits: 2, finish: '#', timeoutSec: 10, secret: true },
        },
      }),
    ),
    step('keys by a control', (world) =>
      world.onReply({ type: 'reply.control', control: { act: 'press_keys', keys: '1' } }),
    ),
    step('transfer by a control', (world) =>
      world.onReply({ type: 'reply.control', control: { act: 'transfer', transfer: wantedTransfer } }),
    ),
    step('transfer that was wanted is refused', (world) => {
      if (world.wantedTransfers.length > 0) world.refuseTransfer(transfer.to);
    }),
    step('sentence', (world) => world.onReply({ type: 'reply.sentence', text: 'A sentence.' })),
    step('reply finished', (world) => world.onReply({ type: 'reply.finished' })),
    step('reply failed', (world) => world.onReply({ type: 'reply.failed', failure: 'http_error' })),
  ),
];

const reportAll = (world: World): void => {
  while (world.unplayed() > 0) world.play('');
};

const endLine = (world: World): void => {
  if (!wasAnswered(world)) return world.onLine({ type: 'line.unanswered', cause: 'declined' });
  reportAll(world);
  world.onLine({ type: 'line.ended', by: 'counterparty' });
};

/** Events of a line that keeps its contract (`machines/line.ts`). */
const lineSteps = fc.constantFrom<Step>(
  step('answered', (world) => {
    if (!wasAnswered(world)) world.answer();
  }),
  step('agreed', (world) => {
    if (wasAnswered(world)) world.hear('Yes.');
  }),
  step('agreed by a key', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.digit', digit: '1' });
  }),
  step('played', (world) => {
    if (world.unplayed() > 0) world.play();
  }),
  step('partly played', (world) => {
    if (world.unplayed() > 0) world.play('A');
  }),
  step('heard', (world) => {
    if (!wasAnswered(world)) return;
    world.onLine({ type: 'line.speech' });
    reportAll(world);
    world.onLine({ type: 'line.heard', text: 'Words.', backchannel: false });
  }),
  step('backchannel', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.heard', text: 'uh-huh', backchannel: true });
  }),
  step('onset', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.onset' });
  }),
  step('no speech', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.no_speech' });
  }),
  step('digit', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.digit', digit: '1' });
  }),
  step('hold', (world) => {
    if (!wasAnswered(world)) return;
    world.onLine({ type: 'line.held' });
    reportAll(world);
  }),
  step('taken back', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.resumed' });
  }),
  step('transferred', (world) => {
    if (mayConnect(world)) world.onLine({ type: 'line.transferred' });
  }),
  step('the other party asks to be transferred', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.refer_received', to: transfer.to });
  }),
  step('the far end is asked to call the person', (world) => {
    if (isAt(world, 'consulting') && !isWarm(world)) world.onLine({ type: 'line.referring' });
  }),
  step('the far end refuses to', (world) => {
    if (isAt(world, 'referring')) world.onLine({ type: 'line.refer_refused' });
  }),
  step('the far end has connected the person', (world) => {
    if (isAt(world, 'referring')) world.onLine({ type: 'line.referred' });
  }),
  step('the person answers', (world) => {
    if (isAt(world, 'consulting') && isWarm(world)) world.onLine({ type: 'line.transfer_answered' });
  }),
  step('the person is briefed', (world) => {
    if (isAt(world, 'briefing')) world.onLine({ type: 'line.briefed' });
  }),
  step('the person accepts', (world) => {
    if (isAt(world, 'briefing', 'briefed')) world.onLine({ type: 'line.accepted' });
  }),
  step('not transferred', (world) => {
    if (isRinging(world)) world.onLine({ type: 'line.transfer_failed', cause: 'busy' });
  }),
  step('audio lost', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.failed' });
  }),
  step('a machine', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.answered_by', by: 'machine' });
  }),
  step('call screening', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.answered_by', by: 'screening' });
  }),
  step('a menu', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.answered_by', by: 'menu' });
  }),
  step('a person', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.answered_by', by: 'human' });
  }),
  step('a beep', (world) => {
    if (!wasAnswered(world)) return;
    reportAll(world);
    world.onLine({ type: 'line.takes_message' });
  }),
  step('line over', endLine),
);

const somethingSaid = fc.constantFrom('', 'A', 'A sentence.');

/** Any event that a line can send, whether it makes sense or not. */
const anyLineEvent: fc.Arbitrary<LineEvent> = fc
  .record({
    at: fc.nat(),
    startedAt: fc.nat(),
    text: somethingSaid,
    backchannel: fc.boolean(),
    whole: fc.boolean(),
    utterance: fc.integer({ min: -1, max: 5 }),
    digit: fc.constantFrom('0', '#'),
    type: fc.constantFrom(
      'line.ringing' as const,
      'line.answered' as const,
      'line.speech' as const,
      'line.heard' as const,
      'line.played' as const,
      'line.digit' as const,
      'line.takes_message' as const,
      'line.failed' as const,
    ),
  })
  .map((event): LineEvent => event);

const anyEnd: fc.Arbitrary<LineEvent> = fc
  .record({ at: fc.nat(), by: fc.constantFrom('counterparty' as const, 'gateway' as const) })
  .map((event) => ({ type: 'line.ended', ...event }));

const anyUnanswered: fc.Arbitrary<LineEvent> = fc
  .record({
    at: fc.nat(),
    cause: fc.constantFrom(
      'no_answer' as const,
      'busy' as const,
      'trunk_error' as const,
      'system_error' as const,
    ),
  })
  .map((event) => ({ type: 'line.unanswered', ...event }));

const anyAnswer: fc.Arbitrary<LineEvent> = fc
  .record({ at: fc.nat(), by: fc.constantFrom('human' as const, 'machine' as const, 'screening' as const) })
  .map((event) => ({ type: 'line.answered_by', ...event }));

const wildSteps = fc
  .oneof({ weight: 8, arbitrary: anyLineEvent }, anyEnd, anyUnanswered, anyAnswer)
  .map((event) => step(event.type, (world) => world.onLine(event)));

/** Runs the steps, then lets the line end and time pass, as every call does at its end. */
const live = (
  steps: readonly Step[],
  isAnswered: boolean,
  voicemail: VoicemailPolicy,
  requirement: ConsentRequirement | null,
): World => {
  const world = createCallWorld({
    ringTimeoutSec: 45,
    maxDurationSec: 120,
    silenceTimeoutSec: 20,
    voicemail,
    recording: true,
    consent: requirement && { announcement: 'We record. Do you agree?', requirement, language: 'en' },
  });
  if (isAnswered) world.answer();
  for (const { run } of steps) {
    run(world);
    neverMute(world);
    if (requirement !== null) neverBeforeConsent(world);
  }
  endLine(world);
  // A line that sent events out of order may have ended before; then the time limits end the call.
  for (const wait of [45_000, 120_000, 5_000, 5_000]) world.clock.increment(wait);
  return world;
};

const holdsForEveryCall = (world: World): void => {
  const story = world.story();
  const count = (type: string): number => story.filter((other) => other === type).length;
  const check = (holds: boolean, rule: string): void => {
    if (!holds) throw new Error(`${rule}: ${world.state()}, ${story.join(', ')}`);
  };
  check(world.errors.length === 0, 'no call crashes');
  check(isOver(world), 'every call ends');
  check(world.counts.linesClosed === 1, 'the line is closed once');
  check(world.counts.repliesAborted === world.requests.length, 'no reply outlives its call');
  check(count('call.ended') === 1 && story.at(-1) === 'call.ended', 'call.ended is published once, and last');
  check(count('call.consent') <= 1, 'whether it agrees is told once');
  const answerers = world.facts.flatMap((fact) => (fact.type === 'call.answered_by' ? [fact.by] : []));
  check(
    answerers.length <= 1 || (answerers.length === 2 && answerers.indexOf('screening') === 0),
    'who answered is told once, and once more behind call screening',
  );
  check(count('call.answered') <= 1 && story.indexOf('call.answered') <= 0, 'an answer comes first and once');
  check(count('call.answered') === 1 || story.length === 1, 'a call that was not answered has only an end');
  check(
    count('call.hangup_cancelled') <= count('call.hangup_requested'),
    'only a requested hangup is cancelled',
  );
  check(world.end()?.status === world.state(), 'the state is the status that was published');
};

const numRuns = 2_000;

const anyConsent = fc.constantFrom<ConsentRequirement | null>(null, null, 'none', 'speech', 'key');

const anyPolicy = fc.constantFrom<VoicemailPolicy>('talk', 'hang_up', 'leave_message');

test('any call on a line that keeps its contract ends once and releases everything', (t) => {
  const steps = fc.array(fc.oneof(lineSteps, lineSteps, ...outsideSteps), { maxLength: 40 });
  t.notThrows(() =>
    fc.assert(
      fc.property(steps, fc.boolean(), anyPolicy, anyConsent, (...given) =>
        holdsForEveryCall(live(...given)),
      ),
      { numRuns, includeErrorInReport: true },
    ),
  );
});

test('any call on a line that breaks its contract ends once and releases everything', (t) => {
  const steps = fc.array(fc.oneof(wildSteps, lineSteps, ...outsideSteps), { maxLength: 40 });
  t.notThrows(() =>
    fc.assert(
      fc.property(steps, fc.boolean(), anyPolicy, anyConsent, (...given) =>
        holdsForEveryCall(live(...given)),
      ),
      { numRuns, includeErrorInReport: true },
    ),
  );
});

// Separate calls
// Calls are separate roots: a crash of one does not affect another.

test('a crash of the journal in one call does not affect another call', (t) => {
  const healthy = createCallWorld();
  const broken = createCallWorld({}, { publishCrashes: () => true });
  healthy.answer();
  broken.answer();
  t.is(broken.errors.length, 1, 'the crash is reported to who watches this call');
  t.is(broken.actor.getSnapshot().status, 'error');

  healthy.replyAndPlay('Good morning.');
  healthy.hear('Hello.');
  healthy.onLine({ type: 'line.ended', by: 'counterparty' });
  t.is(healthy.state(), 'completed');
  t.deepEqual(healthy.errors, []);
  t.deepEqual(healthy.story(), ['call.answered', 'turn.spoken', 'turn.spoken', 'call.ended']);
});

test('a crashed call ignores further events and does not throw', (t) => {
  const broken = createCallWorld({}, { publishCrashes: (fact) => fact.type === 'call.answered' });
  broken.answer();
  t.notThrows(() => {
    broken.hear('Hello?');
    broken.ask({ type: 'hangup.requested', immediate: true });
    broken.clock.increment(600_000);
  });
  t.deepEqual(broken.facts, []);
});

// Contexts

/**
 * Highest number of properties at which V8 copies an object quickly property by property, as XState copies contexts.
 */
const most = 16;

test('the contexts of call and conversation stay small, because each change copies them', (t) => {
  const { actor, answer } = createCallWorld();
  answer();
  const call = actor.getSnapshot();
  const conversation = call.children.conversation?.getSnapshot();
  for (const context of [call.context, conversation?.context ?? {}]) {
    const fields = Object.keys(context).length;
    t.true(fields > 0 && fields <= most, `${fields} fields`);
  }
});

// Delivery

const failed = (retryAfterMs: number | null = null, chance = 0): DeliveryEvent => ({
  type: 'attempt.failed',
  chance,
  retryAfterMs,
});

const begin = (times: DeliveryTimes = deliveryPolicy, failures = 0) => {
  const clock = new SimulatedClock();
  let disabled = 0;
  const machine = deliveryMachine.provide({ actions: { disableEndpoint: () => void (disabled += 1) } });
  const actor = createActor(machine, { input: { times, failures }, clock });
  actor.start();
  return {
    disabled: () => disabled,
    state: () => actor.getSnapshot().value,
    send: (...events: DeliveryEvent[]) => events.forEach((event) => actor.send(event)),
    /** Exact delay in milliseconds. */
    waits(): number {
      const { retryMs } = actor.getSnapshot().context;
      clock.increment(Math.max(0, retryMs - 1));
      if (retryMs > 0 && actor.getSnapshot().value !== 'waiting') throw new Error('It did not wait so long');
      clock.increment(1);
      if (actor.getSnapshot().value !== 'pending') throw new Error('It waited longer');
      return retryMs;
    },
  };
};

test('a delivery is in state sending once claimed, and delivered when the endpoint accepts it', (t) => {
  const { send, state } = begin();
  t.is(state(), 'pending');
  send({ type: 'attempt.delivered' });
  t.is(state(), 'pending', 'nobody has made an attempt');
  send({ type: 'claimed' });
  t.is(state(), 'attempting');
  send({ type: 'attempt.delivered' });
  t.is(state(), 'delivered');
});

test('attempts without jitter follow after 0 s, 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h and 14 h, then the state is dead', (t) => {
  const { send, state, waits } = begin();
  const minute = 60_000;
  const waited: number[] = [];
  for (;;) {
    send({ type: 'claimed' }, failed());
    if (state() !== 'waiting') break;
    waited.push(waits());
    t.is(state(), 'pending');
  }
  t.is(state(), 'dead');
  t.deepEqual(waited, [
    5_000,
    minute,
    5 * minute,
    30 * minute,
    120 * minute,
    300 * minute,
    600 * minute,
    840 * minute,
  ]);
});

test('respects Retry-After up to the longest delay and never waits less than the schedule', (t) => {
  const wait = (retryAfterMs: number): number => {
    const { send, waits } = begin();
    send({ type: 'claimed' }, failed(retryAfterMs));
    return waits();
  };
  t.is(wait(90_000), 90_000);
  t.is(wait(1_000), 5_000);
  t.is(wait(Infinity), deliveryPolicy.longestRetryAfterSec * 1_000);
});

test('jitter lengthens a delay by at most its share and never shortens it', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 1_000 }), { minLength: 2, maxLength: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.nat({ max: 12 }),
      (scheduleSec, jitter, chance, failures) => {
        const { send, state, waits } = begin({ scheduleSec, jitter, longestRetryAfterSec: 60 }, failures);
        send({ type: 'claimed' }, failed(null, chance));
        const plain = scheduleSec[failures + 1];
        if (plain === undefined) {
          t.is(state(), 'dead');
          return;
        }
        const waited = waits();
        t.true(waited >= plain * 1_000 && waited <= Math.ceil(plain * 1_000 * (1 + jitter)));
      },
    ),
    { numRuns: 50 },
  );
});

test('a response with 410 disables the endpoint, and its delivery is dead after the first attempt', (t) => {
  const { send, state, disabled } = begin();
  send({ type: 'claimed' }, { type: 'attempt.gone' });
  t.is(state(), 'dead');
  t.is(disabled(), 1);
});

test('retries an attempt with an unknown result and does not count it', (t) => {
  const { send, state } = begin({ ...deliveryPolicy, scheduleSec: [0, 0] });
  send({ type: 'claimed' }, { type: 'released' });
  t.is(state(), 'pending');
  send({ type: 'claimed' }, failed());
  t.is(state(), 'waiting');
});

test('a replay restarts the retry schedule in every state except during an attempt', (t) => {
  const times = { ...deliveryPolicy, scheduleSec: [0, 5] };
  const ways: DeliveryEvent[][] = [
    [{ type: 'claimed' }, { type: 'attempt.delivered' }],
    [{ type: 'claimed' }, { type: 'attempt.gone' }],
    [{ type: 'claimed' }, failed()],
  ];
  for (const way of ways) {
    const { send, state } = begin(times);
    send(...way, { type: 'replayed' });
    t.is(state(), 'pending');
    send({ type: 'claimed' }, failed());
    t.is(state(), 'waiting', 'its schedule is new');
  }
  const { send, state } = begin(times);
  send({ type: 'claimed' }, { type: 'replayed' });
  t.is(state(), 'attempting');
});

// Charts page
// The guide about the charts matches the charts.

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('machines/charts.md', root), 'utf8');

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, body]) => body ?? '');

/** Compared parts of a state node. */
type Node = {
  key: string;
  description?: string | undefined;
  states: Record<string, Node>;
};

const descendants = (node: Node): Node[] =>
  Object.values(node.states).flatMap((child) => [child, ...descendants(child)]);

const charts = [
  callMachine,
  conversationMachine,
  voicemailMachine,
  lineLifeMachine,
  outboundLegMachine,
  inboundLegMachine,
  trunkMachine,
  deliveryMachine,
].map(({ root }): Node => root);

test('every state has a description of one sentence', (t) => {
  for (const machine of charts)
    for (const { key, description } of [machine, ...descendants(machine)])
      t.regex(description ?? '', /^[A-Z"][^.]*\.$/, `the description of ${key}`);
});

test('charts have at most four levels of states', (t) => {
  const levels = ({ states }: Node): number =>
    Math.max(0, ...Object.values(states).map((one) => 1 + levels(one)));
  t.deepEqual(charts.map(levels), [4, 3, 1, 2, 2, 2, 2, 1]);
});

test('the example in the guide is the same as the test', (t) => {
  t.deepEqual(blocks('ts'), [readFileSync(new URL('test/machines/example.test.ts', root), 'utf8')]);
});

test('the guide lists every fact type', (t) => {
  const source = readFileSync(new URL('machines/facts.ts', root), 'utf8');
  const facts = [...source.matchAll(/type: '([\w.]+)'/g)].map(([, type]) => type ?? '');
  t.true(facts.length > 5);
  for (const fact of facts) t.regex(page, new RegExp(`^\\| \`${fact}\``, 'm'));
});
