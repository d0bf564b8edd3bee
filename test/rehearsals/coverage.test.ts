import test from 'ava';
import { createCoverage, statesOf, type JournalledStep } from '#src/rehearsals/coverage.ts';

const steps: JournalledStep[] = [
  { event: '(begin)', call: 'ringing.alerting', conversation: null },
  { event: 'line.answered', call: 'active.talking.conversing', conversation: 'replying.thinking' },
  { event: 'call.answered', call: 'active.talking.conversing', conversation: 'replying.thinking' },
  { event: 'reply.sentence', call: 'active.talking.conversing', conversation: 'replying.speaking' },
  { event: 'line.speech', call: 'active.talking.conversing', conversation: 'listening.hearing' },
  { event: 'line.heard', call: 'active.talking.conversing', conversation: 'replying.thinking' },
  { event: 'line.ended', call: 'active.hung-up', conversation: 'closing' },
  { event: 'agent.quiet', call: 'completed', conversation: null },
];

const taken = (chart: string, steps: JournalledStep[]): ((name: string) => boolean) => {
  const coverage = createCoverage();
  const never = (): string[] => coverage.report().find((one) => one.chart === chart)?.transitions.never ?? [];
  const before = never();
  coverage.add(steps);
  const after = never();
  return (name) => before.some((one) => one.startsWith(name)) && !after.some((one) => one.startsWith(name));
};

test('nothing is visited without a call', (t) => {
  for (const { states, transitions } of createCoverage().report()) {
    t.is(states.visited + transitions.visited, 0);
    t.is(states.never.length, states.all);
    t.is(transitions.never.length, transitions.all);
  }
});

test('what was journalled is found among the arrows of the chart', (t) => {
  const isTaken = taken('call', steps);
  t.true(isTaken('ringing.alerting → active:'));
  t.true(isTaken('active.talking → active.hung-up:'));
  t.false(isTaken('active.talking.conversing → active.talking.transferring:'));
});

test('a state that is left at once, and the ways through it, are visited', (t) => {
  const isTaken = taken('call', steps);
  t.true(isTaken('active.hung-up → over:'));
  t.true(isTaken('over → completed:'));
  t.false(isTaken('over → failed:'));
  const isTakenInConversation = taken('conversation', steps);
  t.true(isTakenInConversation('opening → replying:'));
  t.false(isTakenInConversation('opening → saying:'));
});

test('an event that leads nowhere by itself may open what leads on at once', (t) => {
  const isTaken = taken('conversation', steps);
  t.true(isTaken('listening → replying:'));
  t.true(isTaken('replying → listening.hearing:'));
  t.true(isTaken('replying → replying.speaking:'));
});

test('figures add up, and outer states are visited with inner ones', (t) => {
  const coverage = createCoverage();
  coverage.add(steps);
  for (const { states, transitions } of coverage.report())
    for (const { visited, all, never } of [states, transitions]) t.is(visited + never.length, all);
  const states = statesOf(steps);
  for (const state of ['active', 'active.talking', 'active.talking.conversing', 'listening', 'closing'])
    t.true(states.has(state), state);
  t.false(states.has('active.bridged'));
});
