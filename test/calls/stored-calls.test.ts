import { randomUUID } from 'node:crypto';
import test from 'ava';
import { createStoredCalls } from '#src/calls/stored-calls.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { scriptedDatabase } from '#test/helpers/scripted-database.ts';

test('reads a call and the latency of its replies at once', async (t) => {
  const bothAreAsked = Promise.withResolvers<void>();
  let asked = 0;
  const { findWithLatency } = createStoredCalls(
    scriptedDatabase(async () => {
      asked += 1;
      if (asked === 2) bothAreAsked.resolve();
      await bothAreAsked.promise;
      return [];
    }),
  );
  const found = findWithLatency({ callId: randomUUID(), numberId: randomUUID() });
  const refusal = await t.throwsAsync(found, { instanceOf: Refusal });
  t.is(refusal?.code, 'call_not_found');
});
