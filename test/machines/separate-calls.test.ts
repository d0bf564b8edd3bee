/** Calls are separate roots: what breaks in one is nothing to another. */
import test from 'ava';
import { createCallWorld } from '#test/helpers/call-world.ts';

test('a call whose journal crashes leaves another call untouched', (t) => {
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

test('a crashed call takes no more events and does not throw at who sends them', (t) => {
  const broken = createCallWorld({}, { publishCrashes: (fact) => fact.type === 'call.answered' });
  broken.answer();
  t.notThrows(() => {
    broken.hear('Hello?');
    broken.ask({ type: 'hangup.requested', immediate: true });
    broken.clock.increment(600_000);
  });
  t.deepEqual(broken.facts, []);
});
