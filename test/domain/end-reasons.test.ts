import test from 'ava';
import { outcomeOf, type EndReason } from '#machines/outcome.ts';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';

const nobodyPickedUp: ReadonlySet<EndReason> = new Set(['no_answer', 'busy', 'declined', 'cancelled']);
const somethingBroke: ReadonlySet<EndReason> = new Set(['agent_error', 'media_error', 'system_error']);

for (const reason of endReasons) {
  const unanswered = nobodyPickedUp.has(reason) ? 'no_answer' : 'failed';
  test(`a call that was never answered and ended because of ${reason} is ${unanswered}`, (t) => {
    t.deepEqual(outcomeOf(reason, false), { reason, status: unanswered });
  });

  const answered = somethingBroke.has(reason) ? 'failed' : 'completed';
  test(`a call that was answered and ended because of ${reason} is ${answered}`, (t) => {
    t.deepEqual(outcomeOf(reason, true), { reason, status: answered });
  });
}

test('the list of end reasons is complete, each once', (t) => {
  // The type says which reasons exist; a reason that the list lacks does not compile here.
  const missing: Exclude<EndReason, (typeof endReasons)[number]>[] = [];
  t.deepEqual(missing, []);
  t.is(new Set(endReasons).size, 18);
});

test('a call has five statuses', (t) => {
  t.deepEqual(callStatuses, ['ringing', 'active', 'completed', 'no_answer', 'failed']);
});
