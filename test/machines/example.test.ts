import test from 'ava';
import { createActor, fromCallback, SimulatedClock } from 'xstate';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { CallFact } from '#machines/facts.ts';
import type { KeysCommand, LineCommand, LineInput } from '#machines/line.ts';
import type { ReplyInput } from '#machines/reply.ts';
import { callInput } from '#test/helpers/call-world.ts';

test('runs a call without telephone or agent server', (t) => {
  const facts: CallFact[] = [];
  const publish = (_: unknown, fact: CallFact): void => void facts.push(fact);

  // The line never answers and the agent never replies, so the test needs neither a telephone nor a server.
  const line = fromCallback<LineCommand | KeysCommand, LineInput>(() => {});
  const reply = fromCallback<{ type: 'none' }, ReplyInput>(() => {});
  const conversation = conversationMachine.provide({ actors: { reply }, actions: { publish } });
  const clock = new SimulatedClock();
  const call = createActor(callMachine.provide({ actors: { line, conversation }, actions: { publish } }), {
    input: callInput,
    clock,
  });

  call.start();
  call.send({ type: 'line.answered', at: clock.now() });
  call.send({ type: 'hangup.requested', immediate: true });
  call.send({ type: 'line.ended', at: clock.now(), by: 'gateway' });

  t.is(call.getSnapshot().value, 'completed');
  t.deepEqual(
    facts.map((fact) => fact.type),
    ['call.answered', 'call.hangup_requested', 'call.ended'],
  );
});
