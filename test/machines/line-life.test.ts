/** Every arrow of a line's life: what each event does in each state, and that it does nothing everywhere else. */
import test from 'ava';
import { createActor } from 'xstate';
import { lineLifeMachine, type LineLifeEvent } from '#machines/line-life.ts';

type Type = LineLifeEvent['type'];

const events: readonly LineLifeEvent[] = [
  { type: 'rang' },
  { type: 'answered' },
  { type: 'unanswered', cause: 'busy' },
  { type: 'held' },
  { type: 'resumed' },
  { type: 'sound.lost' },
  { type: 'left' },
  { type: 'hangup.requested' },
  { type: 'released' },
  { type: 'reported' },
  { type: 'closed' },
  { type: 'handed.over' },
];

const eventOf = (type: Type): LineLifeEvent =>
  events.find((event) => event.type === type) ?? { type: 'rang' };

/** A life that has seen these events, and what it did to its line for the last one. */
const after = (...path: readonly Type[]): { state: string; did: string[] } => {
  let did: string[] = [];
  const actor = createActor(lineLifeMachine, {
    input: {
      report: ({ type, ...details }) => void did.push([type, ...Object.values(details)].join(' ')),
      carrySound: () => void did.push('carry sound'),
      fallSilent: ({ by, cause }) => void did.push(`fall silent: ${by}, ${cause ?? 'answered'}`),
      release: ({ by, cause }) => void did.push(`release: ${by}, ${cause ?? 'answered'}`),
      leave: () => void did.push('leave'),
    },
  });
  actor.start();
  for (const type of path) {
    did = [];
    actor.send(eventOf(type));
  }
  const { value } = actor.getSnapshot();
  return { state: typeof value === 'string' ? value : Object.entries(value).flat().join('.'), did };
};

type Arrows = Partial<Record<Type, readonly [state: string, ...did: readonly string[]]>>;

const hungUp = ['fall silent: gateway, answered', 'release: gateway, answered'] as const;
const left = ['fall silent: counterparty, answered', 'release: counterparty, answered'] as const;
const cancelled = ['fall silent: gateway, cancelled', 'release: gateway, cancelled'] as const;

const unlessAnswered: Arrows = {
  answered: ['answered.connected', 'line.answered', 'carry sound'],
  unanswered: ['leaving.reporting', 'fall silent: counterparty, busy', 'line.unanswered busy'],
  left: ['leaving.reporting', 'fall silent: counterparty, cancelled', 'line.unanswered cancelled'],
  'hangup.requested': ['leaving.releasing', ...cancelled],
  closed: ['over', ...cancelled],
  'handed.over': ['over', 'leave'],
};

const onceAnswered: Arrows = {
  left: ['leaving.releasing', ...left],
  'hangup.requested': ['leaving.releasing', ...hungUp],
  closed: ['over', ...hungUp],
  'handed.over': ['over', 'leave'],
};

/** A path to every state, and all arrows from there. */
const lives: readonly [state: string, path: readonly Type[], arrows: Arrows][] = [
  ['calling.connecting', [], { ...unlessAnswered, rang: ['calling.ringing', 'line.ringing'] }],
  ['calling.ringing', ['rang'], unlessAnswered],
  [
    'answered.connected',
    ['answered'],
    {
      ...onceAnswered,
      held: ['answered.held', 'line.held'],
      'sound.lost': ['answered.failed', 'line.failed'],
    },
  ],
  [
    'answered.held',
    ['rang', 'answered', 'held'],
    {
      ...onceAnswered,
      resumed: ['answered.connected', 'line.resumed'],
      'sound.lost': ['answered.failed', 'line.failed'],
    },
  ],
  ['answered.failed', ['answered', 'sound.lost'], onceAnswered],
  [
    'leaving.releasing',
    ['hangup.requested'],
    {
      released: ['leaving.reporting', 'line.unanswered cancelled'],
      // The first cause is the end.
      unanswered: ['leaving.reporting', 'line.unanswered cancelled'],
      closed: ['over'],
      'handed.over': ['over'],
    },
  ],
  [
    'leaving.releasing',
    ['answered', 'left'],
    {
      released: ['leaving.reporting', 'line.ended counterparty'],
      unanswered: ['leaving.reporting', 'line.ended counterparty'],
      closed: ['over'],
      'handed.over': ['over'],
    },
  ],
  [
    'leaving.releasing',
    ['answered', 'hangup.requested'],
    {
      released: ['leaving.reporting', 'line.ended gateway'],
      unanswered: ['leaving.reporting', 'line.ended gateway'],
      closed: ['over'],
      'handed.over': ['over'],
    },
  ],
  ['leaving.reporting', ['unanswered'], { reported: ['over'], closed: ['over'], 'handed.over': ['over'] }],
  [
    'leaving.reporting',
    ['answered', 'left', 'released'],
    { reported: ['over'], closed: ['over'], 'handed.over': ['over'] },
  ],
  ['over', ['closed'], {}],
  ['over', ['unanswered', 'reported'], {}],
];

for (const [state, path, arrows] of lives)
  test(`${state}, by ${path.length === 0 ? 'nothing' : path.join(', ')}`, (t) => {
    t.is(after(...path).state, state);
    for (const { type } of events) {
      const [target = state, ...did] = arrows[type] ?? [];
      t.deepEqual(after(...path, type), { state: target, did }, type);
    }
  });

test('a path leads to every state', (t) => {
  const ids = Object.values(lineLifeMachine.states).flatMap(({ key, states }) => {
    const inner = Object.keys(states);
    return inner.length === 0 ? [key] : inner.map((name) => `${key}.${name}`);
  });
  t.deepEqual([...new Set(lives.map(([state]) => state))].sort(), ids.sort());
});
