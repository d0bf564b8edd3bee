import test from 'ava';
import { createSessionNames } from '#src/inspector/session-names.ts';

const actor = { type: '@xstate.actor', rootId: 'x:1', sessionId: 'x:1' };
const child = { type: '@xstate.actor', rootId: 'x:1', sessionId: 'x:2', parentId: 'x:1' };
const event = { type: '@xstate.event', rootId: 'x:1', sessionId: 'x:2', sourceId: 'x:1' };

test('actors that the next gateway numbers alike get names of their own, everywhere in its messages', (t) => {
  const named = createSessionNames();
  t.deepEqual([actor, child, event].map(named), [actor, child, event]);
  t.deepEqual([actor, child, event].map(named), [
    { ...actor, rootId: '2/x:1', sessionId: '2/x:1' },
    { ...child, rootId: '2/x:1', sessionId: '2/x:2', parentId: '2/x:1' },
    { ...event, rootId: '2/x:1', sessionId: '2/x:2', sourceId: '2/x:1' },
  ]);
  t.is(named(actor).sessionId, '3/x:1');
});

test('what has no source has none afterwards', (t) => {
  const named = createSessionNames();
  named(actor);
  named(actor);
  t.is(named({ ...event, sourceId: null }).sourceId, null);
});
