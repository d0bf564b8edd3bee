import test from 'ava';
import { conversationMachine } from '#machines/conversation.ts';
import { floorOf } from '#src/console/call/floor.ts';

const floorIn = (
  conversation: string | null,
  call = 'active.talking.conversing',
  voicemail: string | null = null,
) => floorOf({ call, conversation, voicemail });

test('the agent has the floor while it thinks, speaks and pauses', (t) => {
  t.deepEqual(floorIn('replying.thinking'), { who: 'agent', doing: 'thinking' });
  t.deepEqual(floorIn('replying.paused'), { who: 'agent', doing: 'pausing' });
  t.deepEqual(floorIn('saying.paused'), { who: 'agent', doing: 'pausing' });
  for (const path of ['replying.speaking', 'saying.sounding', 'parting'])
    t.deepEqual(floorIn(path), { who: 'agent', doing: 'speaking' }, path);
});

test('the other party has it while it is heard; in silence, on hold and while it rings nobody has', (t) => {
  t.deepEqual(floorIn('listening.hearing'), { who: 'counterparty', doing: 'hearing' });
  t.deepEqual(floorIn('listening.silent'), { who: 'nobody', doing: 'silent' });
  t.deepEqual(floorIn('on-hold'), { who: 'nobody', doing: 'onHold' });
  t.deepEqual(floorIn(null, 'ringing.alerting'), { who: 'nobody', doing: 'ringing' });
  t.deepEqual(floorIn(null, 'ending'), { who: 'nobody', doing: 'ending' });
});

test('a machine speaks until the agent leaves its message', (t) => {
  t.deepEqual(floorIn('voicemail', 'active.talking.conversing', 'awaiting-beep'), {
    who: 'counterparty',
    doing: 'machine',
  });
  t.deepEqual(floorIn('voicemail', 'active.talking.leaving-message', 'leaving-message'), {
    who: 'agent',
    doing: 'leavingMessage',
  });
});

test('every state in which somebody may speak is a state of the chart', (t) => {
  const states = conversationMachine.root.states;
  for (const path of ['replying', 'saying', 'parting', 'listening', 'on-hold', 'closing'])
    t.truthy(states[path], path);
  for (const [parent, child] of [
    ['replying', 'thinking'],
    ['replying', 'paused'],
    ['saying', 'paused'],
    ['listening', 'hearing'],
  ] as const)
    t.truthy(states[parent]?.states[child], `${parent}.${child}`);
});
