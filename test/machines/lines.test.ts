/** Charts beside the call: lines, trunks, voicemail and consent. */
import test from 'ava';
import { createActor, fromPromise, SimulatedClock } from 'xstate';
import { type Assent, assentOf } from '#machines/assent.ts';
import type { CallInput, VoicemailPolicy } from '#machines/call-context.ts';
import type { ConsentRequirement } from '#machines/consent.ts';
import { type LineLifeEvent, lineLifeMachine } from '#machines/line-life.ts';
import { type TrunkInput, trunkMachine } from '#machines/trunk-life.ts';
import { callInput, createCallWorld } from '#test/helpers/call-world.ts';
import { takenOver } from '#test/helpers/taken-over-call.ts';

// Line life
// Every transition of a line: the effect of each event in each state, and that all other events are ignored.

type Type = LineLifeEvent['type'];

const events: readonly LineLifeEvent[] = [
  { type: 'rang' },
  { type: 'answered' },
  { type: 'unanswered', cause: 'busy' },
  { type: 'held' },
  { type: 'resumed' },
  { type: 'audio.lost' },
  { type: 'left' },
  { type: 'hangup.requested' },
  { type: 'released' },
  { type: 'reported' },
  { type: 'closed' },
  { type: 'handed.over', audioUntil: 'taken' },
];

const eventOf = (type: Type): LineLifeEvent =>
  events.find((event) => event.type === type) ?? { type: 'rang' };

/** A line life after these events, and the actions of the last one. */
const after = (...path: readonly Type[]): { state: string; did: string[] } => {
  let did: string[] = [];
  const actor = createActor(lineLifeMachine, { input: { isAdopted: false } });
  actor.on('report', ({ report: { type, ...details } }) =>
    did.push([type, ...Object.values(details)].join(' ')),
  );
  actor.on('carryAudio', () => did.push('carry audio'));
  actor.on('fallSilent', ({ end: { by, cause } }) => did.push(`fall silent: ${by}, ${cause ?? 'answered'}`));
  actor.on('hangUp', ({ end: { by, cause } }) => did.push(`hang up: ${by}, ${cause ?? 'answered'}`));
  actor.on('release', ({ audioUntil }) => did.push(`release: audio until ${audioUntil}`));
  actor.start();
  for (const type of path) {
    did = [];
    actor.send(eventOf(type));
  }
  const { value } = actor.getSnapshot();
  return { state: typeof value === 'string' ? value : Object.entries(value).flat().join('.'), did };
};

type Arrows = Partial<Record<Type, readonly [state: string, ...did: readonly string[]]>>;

const hungUp = ['fall silent: gateway, answered', 'hang up: gateway, answered'] as const;
const left = ['fall silent: counterparty, answered', 'hang up: counterparty, answered'] as const;
const cancelled = ['fall silent: gateway, cancelled', 'hang up: gateway, cancelled'] as const;

const unlessAnswered: Arrows = {
  answered: ['answered.connected', 'line.answered', 'carry audio'],
  unanswered: ['leaving.reporting', 'fall silent: counterparty, busy', 'line.unanswered busy'],
  left: ['leaving.reporting', 'fall silent: counterparty, cancelled', 'line.unanswered cancelled'],
  'hangup.requested': ['leaving.releasing', ...cancelled],
  closed: ['over', ...cancelled],
  'handed.over': ['over', 'release: audio until taken'],
};

const onceAnswered: Arrows = {
  left: ['leaving.releasing', ...left],
  'hangup.requested': ['leaving.releasing', ...hungUp],
  closed: ['over', ...hungUp],
  'handed.over': ['over', 'release: audio until taken'],
};

/** The shortest path to every state, and all transitions from there. */
const lives: readonly [state: string, path: readonly Type[], arrows: Arrows][] = [
  ['calling.connecting', [], { ...unlessAnswered, rang: ['calling.ringing', 'line.ringing'] }],
  ['calling.ringing', ['rang'], unlessAnswered],
  [
    'answered.connected',
    ['answered'],
    {
      ...onceAnswered,
      held: ['answered.held', 'line.held'],
      'audio.lost': ['answered.failed', 'line.failed'],
    },
  ],
  [
    'answered.held',
    ['rang', 'answered', 'held'],
    {
      ...onceAnswered,
      resumed: ['answered.connected', 'line.resumed'],
      'audio.lost': ['answered.failed', 'line.failed'],
    },
  ],
  ['answered.failed', ['answered', 'audio.lost'], onceAnswered],
  [
    'leaving.releasing',
    ['hangup.requested'],
    {
      released: ['leaving.reporting', 'line.unanswered cancelled'],
      // The first cause of an end is its end reason.
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
  test(`a line-life actor reaches ${state} by ${path.length === 0 ? 'no event' : path.join(', ')} and handles each event there`, (t) => {
    t.is(after(...path).state, state);
    for (const { type } of events) {
      const [target = state, ...did] = arrows[type] ?? [];
      t.deepEqual(after(...path, type), { state: target, did }, type);
    }
  });

test('every state of the line-life chart is reachable', (t) => {
  const ids = Object.values(lineLifeMachine.states).flatMap(({ key, states }) => {
    const inner = Object.keys(states);
    return inner.length === 0 ? [key] : inner.map((name) => `${key}.${name}`);
  });
  t.deepEqual([...new Set(lives.map(([state]) => state))].sort(), ids.sort());
});

// Trunk life

const times = { checkMs: 30_000, recheckMs: 5_000, retryFirstMs: 2_000, retryLongestMs: 300_000 };

type Answer<Output> = { output: Output } | { error: string } | 'silence';

/** A trunk whose requests are recorded in `asked` with their seconds; answers apply to all later requests. */
const life = (input: Partial<TrunkInput> = {}) => {
  const clock = new SimulatedClock();
  const asked: string[] = [];
  const answers: { register: Answer<{ expiresSec: number }>; check: boolean } = {
    register: { output: { expiresSec: 600 } },
    check: true,
  };
  const actor = createActor(
    trunkMachine.provide({
      actors: {
        register: fromPromise(({ signal }) => {
          asked.push(`register ${clock.now() / 1_000}`);
          const answer = answers.register;
          if (answer === 'silence')
            return new Promise((_, reject) =>
              signal.addEventListener('abort', () => {
                asked.push('given up');
                reject(new Error('The request was cancelled.'));
              }),
            );
          return 'output' in answer
            ? Promise.resolve({ at: clock.now(), ...answer.output })
            : Promise.reject(new Error(answer.error));
        }),
        check: fromPromise(() => {
          asked.push(`check ${clock.now() / 1_000}`);
          return answers.check
            ? Promise.resolve({ at: clock.now() })
            : Promise.reject(new Error('The trunk does not answer.'));
        }),
      },
    }),
    {
      clock,
      input: { trunkId: 'one', isEnabled: true, registers: false, isChecked: false, times, ...input },
    },
  );
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
  };
  return {
    actor,
    asked,
    answers,
    is: (state: 'disabled' | 'registering' | 'unregistered' | 'serving' | 'unreachable') =>
      actor.getSnapshot().matches(state),
    context: () => actor.getSnapshot().context,
    async start() {
      actor.start();
      clock.increment(0);
      await settle();
    },
    async pass(seconds: number) {
      for (let passed = 0; passed < seconds; passed += 1) {
        clock.increment(1_000);
        await settle();
      }
    },
  };
};

test.serial('sends no requests to a disabled trunk', async (t) => {
  const { start, pass, is, asked } = life({ isEnabled: false, registers: true, isChecked: true });
  await start();
  await pass(100);
  t.true(is('disabled'));
  t.deepEqual(asked, []);
});

test.serial('treats a trunk without registration or health check as up from the start', async (t) => {
  const { start, pass, is, asked } = life();
  await start();
  t.true(is('serving'));
  await pass(1_000);
  t.true(is('serving'));
  t.deepEqual(asked, []);
});

test.serial('refreshes a registration before it expires, while the trunk stays up', async (t) => {
  const { start, pass, is, asked, answers } = life({ registers: true });
  answers.register = { output: { expiresSec: 100 } };
  await start();
  t.true(is('serving'));
  await pass(79);
  t.deepEqual(asked, ['register 0']);
  answers.register = 'silence';
  await pass(1);
  t.deepEqual(asked, ['register 0', 'register 80']);
  t.true(is('serving'));
});

test.serial('retries a rejected registration with growing delays and reports the reason', async (t) => {
  const { start, pass, is, asked, answers, context } = life({ registers: true });
  answers.register = { error: 'The trunk refuses the password.' };
  await start();
  t.true(is('unregistered'));
  t.is(context().detail, 'The trunk refuses the password.');
  await pass(14);
  t.deepEqual(asked, ['register 0', 'register 2', 'register 6', 'register 14']);
  await pass(2_000);
  const [last, before] = asked.toReversed().map((line) => Number(line.split(' ')[1]));
  t.is((last ?? 0) - (before ?? 0), 300, 'never later than five minutes');
  answers.register = { output: { expiresSec: 600 } };
  await pass(300);
  t.true(is('serving'));
  t.is(context().detail, null);
  t.is(context().refusals, 0);
});

test.serial('sends no further REGISTER once the registration is left to others', async (t) => {
  const served = life({ registers: true, isChecked: true });
  await served.start();
  served.actor.send({ type: 'registration.left' });
  served.answers.check = false;
  await served.pass(100);
  t.true(served.is('unreachable'));
  served.answers.check = true;
  await served.pass(1_000);
  t.true(served.is('serving'));
  t.deepEqual(
    served.asked.filter((line) => line.startsWith('register')),
    ['register 0'],
  );

  const refused = life({ registers: true });
  refused.answers.register = { error: 'The trunk answers 503.' };
  await refused.start();
  refused.actor.send({ type: 'registration.left' });
  await refused.pass(1_000);
  t.true(refused.is('unregistered'));
  t.deepEqual(refused.asked, ['register 0']);
});

test.serial('takes the trunk down after a failed refresh and starts the retries', async (t) => {
  const { start, pass, is, answers, asked } = life({ registers: true });
  await start();
  answers.register = { error: 'The trunk answers 503.' };
  await pass(480);
  t.true(is('unregistered'));
  answers.register = { output: { expiresSec: 600 } };
  await pass(2);
  t.true(is('serving'));
  t.deepEqual(asked, ['register 0', 'register 480', 'register 482']);
});

test.serial(
  'takes a trunk down after three consecutive unanswered OPTIONS, and up after two answers',
  async (t) => {
    const { start, pass, is, answers, asked, context } = life({ isChecked: true });
    await start();
    t.deepEqual(asked, ['check 0']);
    answers.check = false;
    await pass(35);
    t.true(is('serving'), 'twice is not enough');
    await pass(5);
    t.true(is('unreachable'));
    t.deepEqual(asked, ['check 0', 'check 30', 'check 35', 'check 40']);
    t.is(context().detail, 'The trunk does not answer.');
    t.is(context().lastSeenAt, 0);
    answers.check = true;
    await pass(5);
    t.true(is('unreachable'), 'once is not enough');
    t.is(context().lastSeenAt, 45_000);
    answers.check = false;
    await pass(5);
    answers.check = true;
    await pass(9);
    t.true(is('unreachable'), 'in a row');
    await pass(1);
    t.true(is('serving'));
  },
);

test.serial('keeps a trunk up during a short outage', async (t) => {
  const { start, pass, is, answers, context } = life({ isChecked: true });
  await start();
  answers.check = false;
  await pass(35);
  answers.check = true;
  await pass(5);
  t.is(context().failures, 0);
  answers.check = false;
  await pass(35);
  t.true(is('serving'));
});

test.serial('registers again when a trunk is up again', async (t) => {
  const { start, pass, is, answers, asked } = life({ registers: true, isChecked: true });
  answers.check = false;
  await start();
  await pass(11);
  t.true(is('unreachable'));
  answers.check = true;
  await pass(10);
  t.true(is('serving'));
  t.deepEqual(
    asked.filter((line) => line.startsWith('register')),
    ['register 0', 'register 21'],
  );
});

test.serial('keeps the registration of a trunk that does not answer OPTIONS', async (t) => {
  const { start, pass, is, answers, asked, context } = life({ registers: true, isChecked: true });
  const registrations = () => asked.filter((line) => line.startsWith('register'));
  answers.check = false;
  await start();
  await pass(479);
  t.true(is('unreachable'));
  t.deepEqual(registrations(), ['register 0']);
  await pass(1);
  t.true(is('unreachable'));
  t.deepEqual(registrations(), ['register 0', 'register 480']);
  t.is(context().detail, 'The trunk does not answer.');
  await pass(5);
  t.is(asked.at(-1), 'check 485');

  answers.register = { error: 'The trunk answers 503.' };
  await pass(481);
  t.deepEqual(registrations().slice(2), ['register 960', 'register 962', 'register 966']);
  t.true(is('unreachable'));
  answers.register = { output: { expiresSec: 600 } };
  await pass(8);
  t.deepEqual(registrations().slice(5), ['register 974']);

  answers.check = true;
  await pass(15);
  t.true(is('serving'));
  const [last] = registrations().toReversed();
  const registeredAt = Number(last?.split(' ')[1]);
  t.true(registeredAt > 974, 'the registration is made again when the trunk answers');
  await pass(registeredAt + 479 - 989);
  t.is(registrations().at(-1), last, 'only the last registration is refreshed');
  await pass(1);
  t.is(registrations().at(-1), `register ${registeredAt + 480}`);
});

test.serial('aborts the pending request of a stopped trunk', async (t) => {
  const { start, actor, answers, asked } = life({ registers: true });
  answers.register = 'silence';
  await start();
  actor.stop();
  t.deepEqual(asked, ['register 0', 'given up']);
});

// Voicemail
// An outbound call that a machine answers.

type World = ReturnType<typeof createCallWorld>;

const { voicemailMessage } = callInput;

/** The agent says its first sentence to the party that answered. */
const talking = (voicemail: VoicemailPolicy, changes: Parameters<typeof createCallWorld>[0] = {}): World => {
  const world = createCallWorld({ voicemail, ...changes });
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Good morning. Am I speaking to Kim?' });
  return world;
};

/** A machine was reported and the agent's sentence was cut off. */
const atMachine = (changes: Parameters<typeof createCallWorld>[0] = {}): World => {
  const world = talking('leave_message', changes);
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  world.play('Good morning.');
  return world;
};

const lastCommand = (world: World): string | undefined => world.commands.at(-1)?.type;

const factsOf = (world: World): unknown[] =>
  world.facts.flatMap((fact) => (fact.type === 'call.answered_by' ? [fact.by] : []));

test('emits the result of answer detection once; the setting "talk" has no other effect', (t) => {
  for (const by of ['human', 'machine'] as const) {
    const world = talking('talk');
    const { commands } = world;
    const before = [...commands];
    world.clock.increment(1_500);
    world.onLine({ type: 'line.answered_by', by });
    world.onLine({ type: 'line.answered_by', by: 'machine' });
    world.onLine({ type: 'line.takes_message' });
    t.deepEqual(world.facts.slice(1), [{ type: 'call.answered_by', at: 1_500, by }]);
    t.is(world.state(), 'active.talking.conversing');
    t.is(world.conversationState(), 'replying.speaking');
    t.deepEqual(commands, before);
  }
});

// Call screening

const { introduction } = callInput;
const question = 'Please say your name and why you are calling.';

/** Call screening was reported, and the agent's sentence was cut off. */
const atScreening = (changes: Parameters<typeof createCallWorld>[0] = {}): World => {
  const world = talking('leave_message', changes);
  world.onLine({ type: 'line.answered_by', by: 'screening' });
  world.play('Good morning.');
  return world;
};

/** Call screening has received the name and the reason. */
const introduced = (changes: Parameters<typeof createCallWorld>[0] = {}): World => {
  const world = atScreening(changes);
  world.onLine({ type: 'line.heard', text: question, backchannel: false });
  world.play();
  return world;
};

test('listens to call screening to its end and gives name and reason once', (t) => {
  const world = atScreening();
  t.is(world.state(), 'active.talking.conversing');
  t.is(world.conversationState(), 'screened.questioned');
  t.is(lastCommand(world), 'stopTalking');
  t.is(world.counts.repliesAborted, 1);
  world.onLine({ type: 'line.heard', text: question, backchannel: false });
  t.is(world.conversationState(), 'screened.introducing');
  t.is(world.said().at(-1), introduction);
  world.play();
  t.is(world.conversationState(), 'screened.waiting');
  world.onLine({ type: 'line.heard', text: 'Please stay on the line.', backchannel: false });
  t.is(world.conversationState(), 'screened.waiting');
  t.is(world.said().filter((text) => text === introduction).length, 1);
  t.is(world.requests.length, 1, 'none of it is a turn for the agent');
  t.deepEqual(world.turns(), [
    'assistant: Good morning.',
    `user: ${question}`,
    `assistant: ${introduction}`,
    'user: Please stay on the line.',
  ]);
});

test('treats the person after call screening like a new callee', (t) => {
  const world = introduced();
  world.onLine({ type: 'line.answered_by', by: 'human' });
  t.is(world.conversationState(), 'listening.hearing');
  world.onLine({ type: 'line.heard', text: 'Hello?', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(world.requests.at(-1)?.messages, [
    { role: 'user', content: callInput.kickoff },
    { role: 'user', content: 'Hello?' },
  ]);
  t.deepEqual(factsOf(world), ['screening', 'human']);
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  t.deepEqual(factsOf(world), ['screening', 'human']);
});

test('treats a voicemail after call screening as a voicemail', (t) => {
  for (const [policy, state] of [
    ['leave_message', 'active.talking.leaving-message'],
    ['hang_up', 'active.ending'],
    ['talk', 'active.talking.conversing'],
  ] as const) {
    const world = introduced({ voicemail: policy });
    world.onLine({ type: 'line.answered_by', by: 'machine' });
    t.is(world.state(), state);
  }
});

test('waits one minute for a person after call screening', (t) => {
  const world = introduced();
  world.clock.increment(59_999);
  t.is(world.state(), 'active.talking.conversing');
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'silence_timeout' });
});

test('answers call screening even if its question has no detectable end', (t) => {
  const world = atScreening();
  world.clock.increment(15_000);
  t.is(world.said().at(-1), introduction);
});

test('hangs up on call screening if the number is configured so', (t) => {
  const world = talking('talk', { screening: 'hang_up' });
  world.onLine({ type: 'line.answered_by', by: 'screening' });
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup' });
});

test('the agent listens to a voice menu, or the call hangs up if the number is configured so', (t) => {
  const heard = talking('leave_message');
  heard.onLine({ type: 'line.answered_by', by: 'menu' });
  t.is(heard.conversationState(), 'replying.speaking', 'no message is left on it');
  const behind = introduced();
  behind.onLine({ type: 'line.answered_by', by: 'menu' });
  t.is(behind.conversationState(), 'listening.hearing');
  const refused = talking('talk', { menu: 'hang_up' });
  refused.onLine({ type: 'line.answered_by', by: 'menu' });
  t.is(refused.state(), 'active.ending');
});

test('requests consent after call screening has put the call through', (t) => {
  const consent = { announcement: 'We record.', requirement: 'speech', language: 'en' } as const;
  const world = createCallWorld({ consent });
  world.answer();
  world.onLine({ type: 'line.answered_by', by: 'screening' });
  world.play('We');
  t.is(world.conversationState(), 'screened.questioned');
  world.onLine({ type: 'line.heard', text: question, backchannel: false });
  world.play();
  world.onLine({ type: 'line.answered_by', by: 'human' });
  t.is(world.conversationState(), 'consenting.announcing');
  t.is(world.said().at(-1), 'We record.');
  t.is(world.requests.length, 0);
});

test('ignores the voicemail setting of a number when a person answers', (t) => {
  for (const policy of ['hang_up', 'leave_message'] as const) {
    const world = talking(policy);
    world.onLine({ type: 'line.answered_by', by: 'human' });
    world.onLine({ type: 'line.answered_by', by: 'machine' });
    t.is(world.state(), 'active.talking.conversing');
    t.deepEqual(factsOf(world), ['human']);
  }
});

test('never classifies a caller as a machine', (t) => {
  const world = talking('hang_up', { direction: 'inbound' });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(world.state(), 'active.talking.conversing');
  t.deepEqual(factsOf(world), []);
});

test('"hang_up" ends the call at once, attributed to the agent', (t) => {
  const world = talking('hang_up');
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(world.state(), 'active.ending');
  t.is(lastCommand(world), 'hangUp');
  world.play('Good');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
  t.deepEqual(world.story(), ['call.answered', 'call.answered_by', 'turn.spoken', 'call.ended']);
});

test('hangs up on an answering machine detected during the farewell', (t) => {
  const world = talking('hang_up');
  world.ask({ type: 'hangup.requested', immediate: false });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(world.state(), 'active.ending');
});

test('stops the detection when the call is ending', (t) => {
  const world = talking('leave_message');
  world.ask({ type: 'hangup.requested', immediate: true });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(world.state(), 'active.ending');
  t.deepEqual(factsOf(world), []);
});

test('"leave_message" silences the agent and speaks no word before the beep', (t) => {
  const world = atMachine();
  t.is(world.state(), 'active.talking.leaving-message');
  t.is(world.conversationState(), 'voicemail');
  t.is(world.voicemailState(), 'awaiting-beep');
  t.is(world.counts.repliesAborted, 1);
  t.is(lastCommand(world), 'stopTalking');
  world.onReply({ type: 'reply.sentence', text: 'Too late.' });
  world.hear('Please leave a message after the tone.');
  world.clock.increment(59_000);
  t.deepEqual(world.said(), ['Good morning. Am I speaking to Kim?']);
  t.deepEqual(world.turns(), ['assistant: Good morning.', 'user: Please leave a message after the tone.']);
  t.is(world.requests.length, 1, 'the machine gets no reply');
});

test('speaks the whole message after the beep, then the agent ends the call', (t) => {
  const world = atMachine();
  world.onLine({ type: 'line.takes_message' });
  t.is(world.voicemailState(), 'leaving-message');
  t.is(world.said().at(-1), voicemailMessage);
  world.hear('Beep.');
  t.is(world.state(), 'active.talking.leaving-message', 'it is not interrupted');
  world.play();
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
  t.deepEqual(world.turns(), ['assistant: Good morning.', 'user: Beep.', `assistant: ${voicemailMessage}`]);
});

test('restarts the voicemail message at another beep', (t) => {
  const world = atMachine();
  world.onLine({ type: 'line.takes_message' });
  world.onLine({ type: 'line.takes_message' });
  t.is(lastCommand(world), 'say');
  t.deepEqual(world.said().slice(-2), [voicemailMessage, voicemailMessage]);
  world.play('Please');
  t.is(world.state(), 'active.talking.leaving-message', 'what was cut is not left');
  world.play();
  t.is(world.state(), 'active.ending');
});

test('leaves the message on a machine that never beeps', (t) => {
  const world = atMachine();
  world.clock.increment(60_000);
  t.is(world.said().at(-1), voicemailMessage);
});

test('leaves the message before a hangup that the agent requested', (t) => {
  const world = talking('leave_message');
  world.ask({ type: 'hangup.requested', immediate: false });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  world.play('Good');
  t.is(world.state(), 'active.talking.leaving-message');
  world.clock.increment(30_000);
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.talking.leaving-message');
  world.ask({ type: 'hangup.requested', immediate: true });
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup' });
});

test('ends the call with the heard part of the message if the machine hangs up', (t) => {
  const world = atMachine();
  world.onLine({ type: 'line.takes_message' });
  world.play('Please call');
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'counterparty_hangup', status: 'completed' });
  t.is(world.turns().at(-1), 'assistant: Please call');
});

test('ends a call with a machine at the maximum duration', (t) => {
  const world = atMachine({ maxDurationSec: 20 });
  world.clock.increment(20_000);
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'max_duration' });
});

// Assent
// Classification of answers: no unrelated answer counts as consent, and a "no" anywhere in an answer counts.

const answers: Readonly<Record<string, Readonly<Record<Assent, readonly string[]>>>> = {
  en: {
    yes: ['Yes.', 'yeah, sure', 'OK', 'I agree', "that's fine", 'Of course!'],
    no: [
      'No.',
      'no thanks',
      'I do not agree',
      "I don't consent",
      'Yes, but please don’t record me',
      'I disagree',
      'I refuse',
    ],
    unclear: ['', 'Who is this?', 'Notes', 'What do you mean', 'yesterday'],
  },
  'ko-KR': {
    yes: ['네', '네, 동의합니다.', '예', '네네', '동의해요', '좋습니다', '그럼요', '알겠습니다'],
    no: [
      '아니요',
      '아뇨 아니에요',
      '동의하지 않습니다',
      '동의 안 합니다',
      '동의안해요',
      '싫어요',
      '거부합니다',
      '네, 하지만 녹음은 하지 마세요',
    ],
    unclear: ['', '여보세요', '누구세요?', '안녕하세요', '네이버요?'],
  },
  ja: {
    yes: ['はい', 'はい、同意します', 'ええ、どうぞ', 'うん'],
    no: ['いいえ', '同意しません', 'いやです', '断ります', 'やめてください'],
    unclear: ['', 'どちら様ですか'],
  },
  fr: { yes: [], no: [], unclear: ['oui', 'non'] },
};

for (const [language, expected] of Object.entries(answers))
  for (const assent of ['yes', 'no', 'unclear'] as const)
    test(`${language}: classifies answers to the consent question as ${assent}`, (t) => {
      for (const text of expected[assent]) t.is(assentOf(text, language), assent, text);
      t.pass();
    });

// Consent
// A call whose other party hears an announcement first and may have to agree.

const announcement = 'This call is recorded. Do you agree?';

const answered = (requirement: ConsentRequirement, changes: Partial<CallInput> = {}): World => {
  const world = createCallWorld({
    recording: true,
    consent: { announcement, requirement, language: 'en' },
    ...changes,
  });
  world.answer();
  return world;
};

/** The announcement was played, and an answer is awaited. */
const announced = (...given: Parameters<typeof answered>): World => {
  const world = answered(...given);
  world.play();
  return world;
};

const consents = (world: World) =>
  world.facts.flatMap((fact) => (fact.type === 'call.consent' ? [{ given: fact.given, how: fact.how }] : []));

const recordingIsOn = (world: World): boolean =>
  world.commands.findLast(({ type }) => type.endsWith('Recording'))?.type !== 'pauseRecording';

test('speaks the announcement before any recording or agent request', (t) => {
  const world = answered('none');
  t.is(world.state(), 'active.talking.consenting');
  t.deepEqual(world.said(), [announcement]);
  t.deepEqual([world.requests.length, recordingIsOn(world)], [0, false]);
  world.play();
  t.is(world.state(), 'active.talking.conversing');
  t.deepEqual(consents(world), [{ given: true, how: 'announcement' }]);
  t.deepEqual([world.requests.length, recordingIsOn(world)], [1, true]);
  t.deepEqual(world.story(), [
    'call.answered',
    'recording.paused',
    'turn.spoken',
    'call.consent',
    'recording.resumed',
  ]);
});

/** The oldest unplayed utterance has left the line because its synthesis failed, after these words. */
const breakOff = (world: World, text: string): void => {
  const utterance = world.commands.findLast((command) => command.type === 'say')?.utterance ?? 0;
  world.onLine({ type: 'line.played', utterance, text, whole: true });
};

test('repeats an announcement whose speech breaks off, and takes the second time as a refusal', (t) => {
  for (const requirement of ['none', 'speech'] as const) {
    const told = answered(requirement);
    breakOff(told, 'We');
    t.deepEqual([told.said(), consents(told)], [[announcement, announcement], []]);
    told.play();
    t.deepEqual(consents(told), requirement === 'none' ? [{ given: true, how: 'announcement' }] : []);
    const world = answered(requirement);
    breakOff(world, '');
    breakOff(world, 'We');
    t.deepEqual(consents(world), [{ given: false, how: 'silence' }]);
    t.false(recordingIsOn(world));
    t.is(world.said().at(-1), 'Without that, goodbye.');
  }
});

test('hides the announcement from the agent', (t) => {
  const world = announced('speech');
  world.hear('Yes, that is fine.');
  t.deepEqual(world.turns(), [`assistant: ${announcement}`, 'user: Yes, that is fine.']);
  t.deepEqual(world.requests[0]?.messages, [{ role: 'user', content: '[outbound call connected]' }]);
  t.is(world.requests[0]?.turn, 1);
});

test('greets a caller after the announcement', (t) => {
  const world = announced('none', { direction: 'inbound', kickoff: null, greeting: 'Welcome.' });
  t.deepEqual(world.said(), [announcement, 'Welcome.']);
});

test('words during the announcement neither give consent nor interrupt it', (t) => {
  const world = answered('speech');
  world.hear('Yes.');
  t.is(world.commands.filter(({ type }) => type === 'stopTalking').length, 0);
  world.play();
  t.is(world.requests.length, 0);
  world.hear('Yes.');
  t.is(world.requests.length, 1);
});

test('says goodbye and ends the call after a refusal of consent', (t) => {
  const world = announced('speech');
  world.hear('No, thank you.');
  t.is(world.said().at(-1), 'Without that, goodbye.');
  t.deepEqual(consents(world), [{ given: false, how: 'speech' }]);
  t.is(world.state(), 'active.talking.consenting');
  world.play();
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'consent_refused', status: 'completed' });
  t.deepEqual([world.requests.length, recordingIsOn(world)], [0, false]);
});

test('repeats the consent question once after an unclear answer; a second unclear answer counts as a refusal', (t) => {
  const world = announced('speech');
  world.hear('Who is this?');
  t.deepEqual(world.said(), [announcement, announcement]);
  world.play();
  world.hear('What?');
  t.deepEqual(consents(world), [{ given: false, how: 'speech' }]);
});

test('repeats the consent question once after silence, and never treats silence as consent', (t) => {
  for (const requirement of ['speech', 'key'] as const) {
    const world = announced(requirement);
    world.clock.increment(10_000);
    t.deepEqual(world.said(), [announcement, announcement]);
    world.play();
    world.clock.increment(10_000);
    t.deepEqual(consents(world), [{ given: false, how: 'silence' }]);
  }
});

test('waits for the words of a party that begins to speak before the time-out', (t) => {
  const world = announced('speech');
  world.clock.increment(9_000);
  world.onLine({ type: 'line.speech' });
  world.clock.increment(9_000);
  world.onLine({ type: 'line.heard', text: 'Yes', backchannel: true });
  t.deepEqual(consents(world), [{ given: true, how: 'speech' }]);
});

test('accepts only the digit 1 as consent if a digit is required', (t) => {
  const agreed = announced('key');
  agreed.hear('Yes.');
  t.deepEqual(consents(agreed), []);
  agreed.onLine({ type: 'line.digit', digit: '1' });
  t.deepEqual(consents(agreed), [{ given: true, how: 'key' }]);
  const refused = announced('key');
  refused.onLine({ type: 'line.digit', digit: '2' });
  t.deepEqual(consents(refused), [{ given: false, how: 'key' }]);
});

test('ignores agent and API requests before consent, except a hangup', (t) => {
  const world = announced('speech');
  const before = world.commands.length;
  world.ask({ type: 'say.requested', sentences: ['Hello.'], interrupt: true });
  world.ask({ type: 'keys.requested', keys: '1' });
  world.ask({ type: 'recording.resume_requested' });
  world.ask({
    type: 'collect.requested',
    wanted: { digits: 4, finish: null, timeoutSec: 10, secret: true },
  });
  t.is(world.commands.length, before);
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup' });
});

test('repeats the announcement after a hold', (t) => {
  const world = announced('speech');
  world.clock.increment(5_000);
  world.onLine({ type: 'line.held' });
  world.onLine({ type: 'line.heard', startedAt: 4_000, text: 'Just a second.', backchannel: false });
  t.is(world.turns().at(-1), 'user: Just a second.');
  world.clock.increment(60_000);
  t.deepEqual(world.said(), [announcement]);
  world.onLine({ type: 'line.resumed' });
  t.deepEqual(world.said(), [announcement, announcement]);
});

test('leaves an unrecorded message on a machine that answered', (t) => {
  const world = answered('speech', { voicemail: 'leave_message' });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  world.play('This call');
  t.is(world.conversationState(), 'voicemail');
  world.ask({ type: 'recording.resume_requested' });
  t.false(recordingIsOn(world));
});

test('restarts the consent question when a call is taken over before the answer', (t) => {
  const world = createCallWorld({
    recording: true,
    consent: { announcement, requirement: 'speech', language: 'en' },
    takenOver: takenOver(
      { resumesAs: 'consenting', messages: [] },
      { recordingIsPaused: true, consentIsAwaited: true },
    ),
  });
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.talking.consenting');
  t.deepEqual(world.said(), [announcement]);
  t.false(recordingIsOn(world));
  world.play();
  world.hear('Yes.');
  t.true(recordingIsOn(world));
  t.is(world.requests[0]?.messages.length, 1);
});

test('ends a taken-over call that had a decided hangup, without a consent question', (t) => {
  const world = createCallWorld({
    consent: { announcement, requirement: 'speech', language: 'en' },
    takenOver: takenOver(
      { resumesAs: 'consenting', messages: [] },
      { hangupIsPending: true, consentIsAwaited: true },
    ),
  });
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.ending');
});
