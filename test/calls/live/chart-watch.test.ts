import test from 'ava';
import { createChartWatch, type ChartState } from '#src/calls/live/chart-watch.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';

const watched = (world: ReturnType<typeof createCallWorld>) => {
  const states: ChartState[] = [];
  const watch = createChartWatch({ find: (callId) => (callId === 'one' ? world.actor : undefined) });
  const stop = watch('one', (state) => states.push(state));
  return {
    watch,
    stop: () => stop?.(),
    states,
    story: () => states.map(({ call, conversation }) => `${call} | ${conversation ?? '-'}`),
  };
};

test('one who looks on sees where both charts are, from now to the end', (t) => {
  const world = createCallWorld();
  const { story } = watched(world);
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Good morning.' });
  world.onReply({ type: 'reply.finished' });
  world.ask({ type: 'hangup.requested', immediate: false });
  world.play();
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.deepEqual(story(), [
    'ringing.alerting | -',
    'active.talking.conversing | replying.thinking',
    'active.talking.conversing | replying.speaking',
    'active.talking.conversing | saying.sounding',
    'active.talking.hangup-pending | saying.sounding',
    'active.talking.hangup-pending | listening.silent',
    'active.ending | closing',
    'completed | -',
  ]);
});

test('who looks on sees a message being left', (t) => {
  const world = createCallWorld({ voicemail: 'leave_message' });
  world.answer();
  const { states, stop } = watched(world);
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  world.onLine({ type: 'line.takes_message' });
  world.play();
  t.deepEqual(
    states.map(({ conversation, voicemail }) => [conversation, voicemail]),
    [
      ['replying.thinking', null],
      ['voicemail', 'awaiting-beep'],
      ['voicemail', 'leaving-message'],
      ['voicemail', 'left'],
      ['closing', null],
      ['closing', null],
    ],
  );
  stop();
});

test('who begins to look in the middle is told at once', (t) => {
  const world = createCallWorld();
  world.answer();
  const { states } = watched(world);
  t.deepEqual(states, [
    { call: 'active.talking.conversing', conversation: 'replying.thinking', voicemail: null },
  ]);
});

test('what does not move is not told again, and nothing is told after the end of a watch', (t) => {
  const world = createCallWorld();
  const { states, stop } = watched(world);
  world.onLine({ type: 'line.ringing' });
  t.is(states.length, 1);
  stop();
  world.answer();
  t.is(states.length, 1);
});

test('a call that is not held here cannot be watched', (t) => {
  t.is(
    watched(createCallWorld()).watch('another', () => t.fail()),
    undefined,
  );
});

test('a crash of a call that is watched stays the crash of that call', (t) => {
  const world = createCallWorld({}, { publishCrashes: (fact) => fact.type === 'call.answered' });
  const { states } = watched(world);
  world.answer();
  t.is(world.errors.length, 1);
  t.is(states.at(-1)?.call, 'ringing.alerting');
});
