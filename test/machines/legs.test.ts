import test from 'ava';
import { createActor, type EventObject, SimulatedClock } from 'xstate';
import { type InboundLegEnd, type InboundLegEvent, inboundLegMachine } from '#machines/inbound-leg.ts';
import { type OutboundLegEnd, type OutboundLegEvent, outboundLegMachine } from '#machines/outbound-leg.ts';

/** Advances the clock by the longest delay of a leg. */
type Time = { type: 'time' };

type Arrows<Event extends EventObject> = Partial<
  Record<Event['type'], readonly [state: string, ...did: readonly string[]]>
>;

const nameOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([outer, inner]) => `${outer}.${nameOf(inner)}`)
    .join('.');
};

// Inbound leg
// What each event does in each state, and that all other events are ignored there.

const busy = { status: 486, reason: 'Busy Here' };
const noAudio = { status: 488, reason: 'Not Acceptable Here' };
const refusals = {
  unanswered: { status: 480, reason: 'unanswered' },
  unwanted: { status: 480, reason: 'unwanted' },
  unsent: { status: 503, reason: 'unsent' },
};

type InboundStep = (InboundLegEvent | Time)['type'];

const inboundEvents: readonly (InboundLegEvent | Time)[] = [
  { type: 'screened' },
  { type: 'refused', refusal: busy },
  { type: 'answer' },
  { type: 'caller.cancelled' },
  { type: 'caller.left' },
  { type: 'cancel' },
  { type: 'prepared' },
  { type: 'prepare.failed', refusal: noAudio },
  { type: 'confirmed' },
  { type: 'audio.failed' },
  { type: 'confirm.failed' },
  { type: 'connection.lost' },
  { type: 'time' },
];

/** An inbound leg after these events, and its effects of the last one. */
const inboundAfter = (...path: readonly InboundStep[]) => {
  const clock = new SimulatedClock();
  const actor = createActor(inboundLegMachine, { input: { refusals }, clock });
  let did: string[] = [];
  actor.on('*', (effect) =>
    did.push(effect.type === 'refuse' ? `refuse ${effect.refusal.status}` : effect.type),
  );
  actor.start();
  for (const type of path) {
    did = [];
    const event = inboundEvents.find((one) => one.type === type);
    if (event === undefined || event.type === 'time') clock.increment(10_000);
    else actor.send(event);
  }
  const { value, output } = actor.getSnapshot();
  return { state: nameOf(value), did, end: output };
};

const gone = ['gone', 'release'] as const;
const refusedBusy = ['refused', 'refuse 486', 'release'] as const;

const inbound: readonly (readonly [string, readonly InboundStep[], Arrows<InboundLegEvent | Time>])[] = [
  ['screening', [], { screened: ['waiting.offered', 'offer'], refused: refusedBusy }],
  [
    'waiting.offered',
    ['screened'],
    {
      answer: ['answering.preparing', 'prepare'],
      refused: refusedBusy,
      'caller.cancelled': ['waiting.left', 'release'],
      time: ['refused', 'refuse 480', 'release'],
    },
  ],
  ['waiting.left', ['screened', 'caller.cancelled'], { answer: gone, refused: gone, time: gone }],
  [
    'answering.preparing',
    ['screened', 'answer'],
    {
      prepared: ['answering.confirming', 'confirm'],
      'prepare.failed': ['refused', 'refuse 488', 'release'],
      cancel: ['abandoned.wanted'],
      'connection.lost': ['abandoned.wanted'],
      'caller.cancelled': ['abandoned.left'],
    },
  ],
  [
    'answering.confirming',
    ['screened', 'answer', 'prepared'],
    {
      confirmed: ['up'],
      'caller.left': gone,
      'audio.failed': ['hungUp', 'hangUp'],
      'confirm.failed': ['refused', 'refuse 503', 'release'],
      'connection.lost': ['refused', 'refuse 503', 'release'],
      cancel: ['unwanted'],
    },
  ],
  [
    'answering.confirming',
    ['screened', 'answer', 'prepared', 'caller.cancelled'],
    {
      confirmed: ['up'],
      'caller.left': gone,
      'audio.failed': ['hungUp', 'hangUp'],
      'confirm.failed': gone,
      'connection.lost': ['refused', 'refuse 503', 'release'],
      cancel: ['unwanted'],
    },
  ],
  [
    'abandoned.wanted',
    ['screened', 'answer', 'cancel'],
    {
      prepared: ['refused', 'refuse 480', 'release'],
      'prepare.failed': ['refused', 'refuse 488', 'release'],
      'caller.cancelled': ['abandoned.left'],
    },
  ],
  [
    'abandoned.wanted',
    ['screened', 'answer', 'connection.lost'],
    {
      prepared: ['refused', 'refuse 503', 'release'],
      'prepare.failed': ['refused', 'refuse 488', 'release'],
      'caller.cancelled': ['abandoned.left'],
    },
  ],
  ['abandoned.left', ['screened', 'answer', 'caller.cancelled'], { prepared: gone, 'prepare.failed': gone }],
  [
    'unwanted',
    ['screened', 'answer', 'prepared', 'cancel'],
    {
      confirmed: ['hungUp', 'hangUp'],
      'audio.failed': ['hungUp', 'hangUp'],
      'caller.left': gone,
      'confirm.failed': ['refused', 'refuse 503', 'release'],
      'connection.lost': ['refused', 'refuse 503', 'release'],
    },
  ],
  [
    'unwanted',
    ['screened', 'answer', 'prepared', 'cancel', 'caller.cancelled'],
    {
      confirmed: ['hungUp', 'hangUp'],
      'audio.failed': ['hungUp', 'hangUp'],
      'caller.left': gone,
      'confirm.failed': gone,
      'connection.lost': ['refused', 'refuse 503', 'release'],
    },
  ],
  ['up', ['screened', 'answer', 'prepared', 'confirmed'], {}],
  ['refused', ['refused'], {}],
  ['hungUp', ['screened', 'answer', 'prepared', 'audio.failed'], {}],
  ['gone', ['screened', 'caller.cancelled', 'answer'], {}],
];

for (const [state, path, arrows] of inbound)
  test(`an inbound leg reaches ${state} by ${path.length === 0 ? 'no event' : path.join(', ')} and handles each event there`, (t) => {
    t.is(inboundAfter(...path).state, state);
    for (const { type } of inboundEvents) {
      const [target = state, ...did] = arrows[type] ?? [];
      const { end: _, ...reached } = inboundAfter(...path, type);
      t.deepEqual(reached, { state: target, did }, type);
    }
  });

test('reports cause and final response at the end of an inbound leg', (t) => {
  const ends: Readonly<Record<string, InboundLegEnd>> = {
    'screened, answer, prepared, confirmed': { answered: true },
    refused: { answered: false, cause: 'cancelled', refusal: busy },
    'screened, answer, prepare.failed': { answered: false, cause: 'media_error', refusal: noAudio },
    'screened, answer, cancel, prepared': { answered: false, cause: 'cancelled', refusal: refusals.unwanted },
    'screened, answer, cancel, prepare.failed': { answered: false, cause: 'media_error', refusal: noAudio },
    'screened, answer, prepared, audio.failed': { answered: false, cause: 'media_error', refusal: null },
    'screened, answer, prepared, cancel, confirmed': { answered: false, cause: 'cancelled', refusal: null },
    'screened, answer, caller.cancelled, prepared': { answered: false, cause: 'cancelled', refusal: null },
  };
  const pathOf = (words: string): InboundStep[] =>
    words.split(', ').flatMap((word) => inboundEvents.find(({ type }) => type === word)?.type ?? []);
  for (const [path, end] of Object.entries(ends)) t.deepEqual(inboundAfter(...pathOf(path)).end, end, path);
});

// Outbound leg
// The same, for a call with two trunks of two targets each.

const sipOf = (status: number) => ({ status, reason: null, callId: 'x' });

/** Named events, because one event has several variants. */
const outboundEvents = {
  chosen: { type: 'chosen', trunks: 2, reason: null },
  'none chosen': { type: 'chosen', trunks: 0, reason: 'no trunk' },
  reserved: { type: 'reserved' },
  full: { type: 'full', reason: 'full' },
  prepared: { type: 'prepared', targets: 2 },
  unsuitable: { type: 'unsuitable', reason: 'no SRTP' },
  'prepare.failed': { type: 'prepare.failed' },
  progress: { type: 'progress' },
  ringing: { type: 'ringing' },
  busy: { type: 'refused', cause: 'busy', sip: sipOf(486), mayContinue: false, isRedirect: false },
  fault: { type: 'refused', cause: 'trunk_error', sip: sipOf(503), mayContinue: true, isRedirect: false },
  moved: { type: 'refused', cause: 'no_answer', sip: sipOf(302), mayContinue: false, isRedirect: true },
  redirected: { type: 'redirected', targets: 1 },
  'not redirected': { type: 'redirected', targets: 0 },
  answered: { type: 'answered', sip: sipOf(200) },
  connected: { type: 'connected' },
  'connect.failed': { type: 'connect.failed' },
  'effect.failed': { type: 'effect.failed' },
  cancel: { type: 'cancel' },
  'endpoint.lost': { type: 'endpoint.lost' },
  'connection.lost': { type: 'connection.lost' },
} as const satisfies Record<string, OutboundLegEvent>;

type OutboundStep = keyof typeof outboundEvents;

const isOutboundStep = (word: string): word is OutboundStep => Object.hasOwn(outboundEvents, word);
const outboundSteps = Object.keys(outboundEvents).filter(isOutboundStep);

const outboundAfter = (...path: readonly OutboundStep[]) => {
  const actor = createActor(outboundLegMachine);
  let did: string[] = [];
  actor.on('*', (effect) => {
    if (effect.type === 'reserve') did.push(effect.isLast ? 'reserve last' : 'reserve');
    else if (effect.type === 'leaveTrunk') did.push(effect.isFailover ? 'fail over' : 'leaveTrunk');
    else did.push(effect.type);
  });
  actor.start();
  for (const step of path) {
    did = [];
    actor.send(outboundEvents[step]);
  }
  const { value, output } = actor.getSnapshot();
  return { state: nameOf(value), did, end: output };
};

const unexpected = ['failed', 'giveUp', 'release'] as const;
const abandoned = ['abandoned', 'abort'] as const;
const ended = ['failed', 'release'] as const;
const givenUp = ['cancelling', 'giveUp'] as const;

const toInviting = ['chosen', 'reserved', 'prepared'] as const;
const toLastTrunk = ['chosen', 'full'] as const;
const inInviting = {
  busy: ['failed', 'leaveTarget', 'leaveTrunk', 'release'],
  fault: ['inviting.trying', 'leaveTarget', 'invite'],
  moved: ['redirecting', 'leaveTarget', 'redirect'],
  answered: ['connecting', 'connect'],
  cancel: ['cancelling', 'cancel'],
  'endpoint.lost': givenUp,
  'connection.lost': givenUp,
} as const;

type OutboundArrows = Partial<Record<OutboundStep, readonly [state: string, ...did: readonly string[]]>>;

const outbound: readonly (readonly [string, readonly OutboundStep[], OutboundArrows])[] = [
  [
    'choosing',
    [],
    {
      chosen: ['reserving', 'reserve'],
      'none chosen': ended,
      cancel: abandoned,
      'connection.lost': abandoned,
    },
  ],
  [
    'reserving',
    ['chosen'],
    {
      reserved: ['preparing', 'prepare'],
      full: ['reserving', 'reserve last'],
      cancel: abandoned,
      'connection.lost': abandoned,
      'endpoint.lost': abandoned,
    },
  ],
  [
    'reserving',
    toLastTrunk,
    {
      reserved: ['preparing', 'prepare'],
      full: ended,
      cancel: abandoned,
      'connection.lost': abandoned,
      'endpoint.lost': abandoned,
    },
  ],
  [
    'preparing',
    ['chosen', 'reserved'],
    {
      prepared: ['inviting.trying', 'invite'],
      unsuitable: ['reserving', 'fail over', 'reserve last'],
      'prepare.failed': ['failed', 'leaveTrunk', 'release'],
      cancel: abandoned,
      'connection.lost': abandoned,
      'endpoint.lost': abandoned,
    },
  ],
  [
    'inviting.trying',
    toInviting,
    { ...inInviting, progress: ['inviting.progressing', 'rang'], ringing: ['inviting.ringing', 'rang'] },
  ],
  ['inviting.progressing', [...toInviting, 'progress'], { ...inInviting, ringing: ['inviting.ringing'] }],
  ['inviting.ringing', [...toInviting, 'progress', 'ringing'], inInviting],
  [
    'inviting.trying',
    [...toInviting, 'fault'],
    {
      ...inInviting,
      fault: ['reserving', 'leaveTarget', 'fail over', 'reserve last'],
      progress: ['inviting.progressing', 'rang'],
      ringing: ['inviting.ringing', 'rang'],
    },
  ],
  [
    'inviting.trying',
    [...toLastTrunk, 'reserved', 'prepared', 'fault'],
    {
      ...inInviting,
      fault: ['failed', 'leaveTarget', 'fail over', 'release'],
      progress: ['inviting.progressing', 'rang'],
      ringing: ['inviting.ringing', 'rang'],
    },
  ],
  [
    'redirecting',
    [...toInviting, 'moved'],
    {
      redirected: ['inviting.trying', 'invite'],
      'not redirected': ['failed', 'leaveTrunk', 'release'],
      cancel: abandoned,
      'connection.lost': abandoned,
      'endpoint.lost': abandoned,
    },
  ],
  [
    'abandoned',
    ['chosen', 'reserved', 'cancel'],
    {
      chosen: ended,
      'none chosen': ended,
      reserved: ended,
      full: ended,
      prepared: ended,
      unsuitable: ended,
      'prepare.failed': ended,
      redirected: ended,
      'not redirected': ended,
    },
  ],
  [
    'cancelling',
    [...toInviting, 'cancel'],
    {
      busy: ended,
      fault: ended,
      moved: ended,
      // The answer crossed the CANCEL.
      answered: ['failed', 'hangUp', 'release'],
      'endpoint.lost': givenUp,
      'connection.lost': givenUp,
    },
  ],
  [
    'connecting',
    [...toInviting, 'ringing', 'answered'],
    {
      connected: ['answered'],
      'connect.failed': ['failed', 'hangUp', 'release'],
      cancel: ['unwanted'],
      'connection.lost': ['unwanted'],
    },
  ],
  [
    'unwanted',
    [...toInviting, 'answered', 'cancel'],
    { connected: ['failed', 'hangUp', 'release'], 'connect.failed': ['failed', 'hangUp', 'release'] },
  ],
  ['answered', [...toInviting, 'answered', 'connected'], { 'effect.failed': ['answered'] }],
  ['failed', ['none chosen'], { 'effect.failed': ['failed'] }],
];

for (const [state, path, arrows] of outbound)
  test(`an outbound leg reaches ${state} by ${path.length === 0 ? 'no event' : path.join(', ')} and handles each event there`, (t) => {
    t.is(outboundAfter(...path).state, state);
    for (const step of outboundSteps) {
      const usual = step === 'effect.failed' ? unexpected : [state];
      const [target, ...did] = arrows[step] ?? usual;
      const { end: _, ...reached } = outboundAfter(...path, step);
      t.deepEqual<unknown, unknown>(reached, { state: target, did }, step);
    }
  });

test('every waiting state of the legs is reachable', (t) => {
  const leaves = ({ key, states }: (typeof outboundLegMachine.root.states)[string]): string[] => {
    const inner = Object.keys(states);
    return inner.length === 0 ? [key] : inner.map((name) => `${key}.${name}`);
  };
  const passing = ['nextTarget', 'nextTrunk', 'givenUp'];
  const names = Object.values(outboundLegMachine.root.states).flatMap(leaves);
  const waiting = names.filter((name) => !passing.includes(name));
  t.deepEqual([...new Set(outbound.map(([state]) => state))].sort(), waiting.sort());
});

test('reports cause and last response at the end of an outbound leg', (t) => {
  const noSip = { status: null, reason: null, callId: null };
  const ends: readonly (readonly [readonly OutboundStep[], OutboundLegEnd])[] = [
    [[...toInviting, 'answered', 'connected'], { answered: true }],
    [['none chosen'], { answered: false, cause: 'trunk_error', sip: { ...noSip, reason: 'no trunk' } }],
    [
      ['chosen', 'full', 'full'],
      { answered: false, cause: 'trunk_error', sip: { ...noSip, reason: 'full' } },
    ],
    [
      ['chosen', 'reserved', 'unsuitable', 'full'],
      { answered: false, cause: 'trunk_error', sip: { ...noSip, reason: 'full' } },
    ],
    [['chosen', 'reserved', 'prepare.failed'], { answered: false, cause: 'media_error', sip: noSip }],
    [['chosen', 'cancel', 'reserved'], { answered: false, cause: 'cancelled', sip: noSip }],
    [
      ['chosen', 'reserved', 'endpoint.lost', 'prepared'],
      { answered: false, cause: 'media_error', sip: noSip },
    ],
    [[...toInviting, 'busy'], { answered: false, cause: 'busy', sip: sipOf(486) }],
    [
      [...toInviting, 'fault', 'fault', 'full'],
      { answered: false, cause: 'trunk_error', sip: { ...noSip, reason: 'full' } },
    ],
    [[...toInviting, 'moved', 'not redirected'], { answered: false, cause: 'no_answer', sip: sipOf(302) }],
    [[...toInviting, 'cancel', 'busy'], { answered: false, cause: 'cancelled', sip: sipOf(486) }],
    [[...toInviting, 'cancel', 'answered'], { answered: false, cause: 'cancelled', sip: sipOf(200) }],
    [[...toInviting, 'endpoint.lost', 'busy'], { answered: false, cause: 'media_error', sip: sipOf(486) }],
    [[...toInviting, 'connection.lost', 'busy'], { answered: false, cause: 'trunk_error', sip: sipOf(486) }],
    [
      [...toInviting, 'answered', 'connect.failed'],
      { answered: false, cause: 'media_error', sip: sipOf(200) },
    ],
    [
      [...toInviting, 'answered', 'cancel', 'connected'],
      { answered: false, cause: 'cancelled', sip: sipOf(200) },
    ],
    [
      ['effect.failed'],
      { answered: false, cause: 'trunk_error', sip: { ...noSip, reason: 'No trunk could be chosen' } },
    ],
  ];
  for (const [path, end] of ends) t.deepEqual(outboundAfter(...path).end, end, path.join(', '));
});
