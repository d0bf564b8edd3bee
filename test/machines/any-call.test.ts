/** Properties of every call, whatever happens in it and in whichever order. */
import test from 'ava';
import * as fc from 'fast-check';
import type { LineEvent } from '#machines/line.ts';
import type { VoicemailPolicy } from '#machines/call-context.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';

type World = ReturnType<typeof createCallWorld>;
type Step = { name: string; run: (world: World) => void };

const step = (name: string, run: (world: World) => void): Step => ({ name, run });

const isOver = (world: World): boolean => world.actor.getSnapshot().status !== 'active';
const wasAnswered = (world: World): boolean => world.actor.getSnapshot().context.wasAnswered;

/** What others do to a call; none of it depends on the line. */
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
    step('pause', (world) => world.ask({ type: 'recording.pause_requested' })),
    step('resume', (world) => world.ask({ type: 'recording.resume_requested' })),
    step('closing', (world) => world.ask({ type: 'gateway.closing' })),
  ),
  fc.integer({ min: 1, max: 60_000 }).map((ms) => step(`${ms} ms`, (world) => world.clock.increment(ms))),
  fc.constantFrom(
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

/** What a line does that keeps its contract (`machines/line.ts`). */
const lineSteps = fc.constantFrom<Step>(
  step('answered', (world) => {
    if (!wasAnswered(world)) world.answer();
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
  step('audio lost', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.failed' });
  }),
  step('a machine', (world) => {
    if (wasAnswered(world)) world.onLine({ type: 'line.answered_by', by: 'machine' });
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

/** Anything a line can put into words, whether it makes sense or not. */
const anyLineEvent: fc.Arbitrary<LineEvent> = fc
  .record({
    at: fc.nat(),
    startedAt: fc.nat(),
    text: somethingSaid,
    backchannel: fc.boolean(),
    whole: fc.boolean(),
    utterance: fc.integer({ min: -1, max: 5 }),
    digit: fc.constantFrom('0', '#'),
    cause: fc.constantFrom('no_answer' as const, 'busy' as const, 'trunk_error' as const),
    type: fc.constantFrom(
      'line.ringing' as const,
      'line.answered' as const,
      'line.unanswered' as const,
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

const anyAnswer: fc.Arbitrary<LineEvent> = fc
  .record({ at: fc.nat(), by: fc.constantFrom('human' as const, 'machine' as const) })
  .map((event) => ({ type: 'line.answered_by', ...event }));

const wildSteps = fc
  .oneof({ weight: 8, arbitrary: anyLineEvent }, anyEnd, anyAnswer)
  .map((event) => step(event.type, (world) => world.onLine(event)));

/** A line that was told to pause says nothing of what comes: only a conversation that pauses leaves it so. */
const neverMute = (world: World): void => {
  const last = world.commands.findLast(({ type }) => type.endsWith('Talking'));
  const isOn = world.state().startsWith('active.talking');
  if (last?.type === 'pauseTalking' && isOn && !world.conversationState().includes('paused'))
    throw new Error(`the line was left mute in ${world.conversationState()}`);
};

/** Runs the steps, then lets the line end and time pass, as every call in the end does. */
const live = (steps: readonly Step[], isAnswered: boolean, voicemail: VoicemailPolicy): World => {
  const world = createCallWorld({
    ringTimeoutSec: 45,
    maxDurationSec: 120,
    silenceTimeoutSec: 20,
    voicemail,
  });
  if (isAnswered) world.answer();
  for (const { run } of steps) {
    run(world);
    neverMute(world);
  }
  endLine(world);
  // A line that spoke out of turn may have been over before; then the time limits end the call.
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
  check(count('call.answered_by') <= 1, 'who answered is told once');
  check(count('call.answered') <= 1 && story.indexOf('call.answered') <= 0, 'an answer comes first and once');
  check(count('call.answered') === 1 || story.length === 1, 'a call that was not answered has only an end');
  check(
    count('call.hangup_cancelled') <= count('call.hangup_requested'),
    'only a requested hangup is cancelled',
  );
  check(world.end()?.status === world.state(), 'the state is the status that was published');
};

const numRuns = 2_000;

const anyPolicy = fc.constantFrom<VoicemailPolicy>('talk', 'hang_up', 'leave_message');

test('every call on a line that keeps its contract ends once and leaves nothing behind', (t) => {
  const steps = fc.array(fc.oneof(lineSteps, lineSteps, ...outsideSteps), { maxLength: 40 });
  t.notThrows(() =>
    fc.assert(
      fc.property(steps, fc.boolean(), anyPolicy, (...given) => holdsForEveryCall(live(...given))),
      { numRuns, includeErrorInReport: true },
    ),
  );
});

test('every call on a line that keeps no contract ends once and leaves nothing behind', (t) => {
  const steps = fc.array(fc.oneof(wildSteps, lineSteps, ...outsideSteps), { maxLength: 40 });
  t.notThrows(() =>
    fc.assert(
      fc.property(steps, fc.boolean(), anyPolicy, (...given) => holdsForEveryCall(live(...given))),
      { numRuns, includeErrorInReport: true },
    ),
  );
});
