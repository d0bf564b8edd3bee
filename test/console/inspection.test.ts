/** What the console's inspector keeps of the messages of a gateway. */
import test from 'ava';
import {
  entriesWanted,
  inspectionAfter,
  mostActors,
  mostEntries,
  nothingSeen,
  readMessage,
  stateText,
  type Told,
} from '#src/console/inspector/inspection.ts';

const told = (message: object): Told => {
  const read = readMessage({ createdAt: '1764115200000', rootId: 'x:0', ...message });
  if (read === undefined) throw new Error('It is no message of the protocol.');
  return read;
};

const appears = (sessionId: string, name: string, value?: unknown): Told =>
  told({ type: '@xstate.actor', sessionId, name, parentId: 'x:0', snapshot: { status: 'active', value } });

const sends = (sourceId: string | undefined, sessionId: string, event: object): Told =>
  told({ type: '@xstate.event', sessionId, sourceId, event });

const moves = (sessionId: string, snapshot: object): Told =>
  told({ type: '@xstate.snapshot', sessionId, event: { type: 'line.answered' }, snapshot });

const everything = { actor: '', kind: '', type: '', search: '' };

test('actors are known by their names, and stand where their last snapshot was', (t) => {
  const { actors, entries } = inspectionAfter(nothingSeen, [
    appears('x:0', 'call', { ringing: 'alerting' }),
    appears('x:1', 'line'),
    sends('x:1', 'x:0', { type: 'line.answered', at: 5 }),
    moves('x:0', { status: 'active', value: { active: { talking: 'conversing' } } }),
    moves('x:1', { status: 'stopped' }),
  ]);
  t.deepEqual(
    [...actors.values()].map(({ name, state, isOver }) => [name, state, isOver]),
    [
      ['call', 'active.talking.conversing', false],
      ['line', null, true],
    ],
  );
  t.deepEqual(
    entries.map(({ id, kind, source, type, state }) => [id, kind, source, type, state]),
    [
      [1, 'actor', null, '', 'ringing.alerting'],
      [2, 'actor', null, '', null],
      [3, 'event', 'x:1', 'line.answered', null],
      [4, 'state', null, 'line.answered', 'active.talking.conversing'],
      [5, 'state', null, 'line.answered', null],
    ],
  );
});

test('what is no message of the protocol is left out', (t) => {
  for (const message of [null, 'text', [], {}, { type: '@xstate.event' }, { type: 'other', sessionId: 'x' }])
    t.is(readMessage(message), undefined);
  t.is(stateText({ a: { b: 'c' } }), 'a.b.c');
});

test('of hundreds of calls the last messages are kept and the actors that are there, and no more', (t) => {
  let seen = nothingSeen;
  const calls = mostActors + 100;
  for (let call = 0; call < calls; call += 1)
    seen = inspectionAfter(seen, [
      appears(`${call}`, `call ${call}`),
      sends(undefined, `${call}`, { type: 'a' }),
      ...(call % 2 === 0 && call < 400 ? [moves(`${call}`, { status: 'done' })] : []),
    ]);
  t.is(seen.entries.length, mostEntries);
  t.is(seen.entries.at(-1)?.id, calls * 2 + 200, 'each has its number');
  t.is(seen.actors.size, mostActors);
  t.true(seen.actors.has('1'), 'one that is there stays');
  t.false(seen.actors.has('0'), 'one that is over goes first');
});

test('messages are found by actor, kind, type and what they hold, the newest first', (t) => {
  const seen = inspectionAfter(nothingSeen, [
    appears('x:0', 'call'),
    appears('x:1', 'line'),
    sends('x:1', 'x:0', { type: 'line.digit', digit: '(1 characters)' }),
    sends(undefined, 'x:0', { type: 'hangup.requested' }),
  ]);
  const found = (wanted: object): number[] =>
    entriesWanted(seen, { ...everything, ...wanted }).map(({ id }) => id);
  t.deepEqual(found({}), [4, 3, 2, 1]);
  t.deepEqual(found({ actor: 'x:1' }), [3, 2], 'as source, too');
  t.deepEqual(found({ kind: 'event' }), [4, 3]);
  t.deepEqual(found({ type: 'line.digit' }), [3]);
  t.deepEqual(found({ search: ' CHARACTERS ' }), [3]);
  t.deepEqual(found({ search: 'line' }), [3, 2]);
  t.deepEqual(found({ search: 'nowhere' }), []);
});
