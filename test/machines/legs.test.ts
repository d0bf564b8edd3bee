import test from 'ava';
import { createActor, type EventObject, SimulatedClock } from 'xstate';
import { type InboundLegEnd, type InboundLegEvent, inboundLegMachine } from '#machines/inbound-leg.ts';

/** The longest delay of a leg passes. */
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

test('the end of an inbound leg names its cause and its final response', (t) => {
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
