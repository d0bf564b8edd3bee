/** Call setup: input, admission, minutes of a day, load shedding and the start of a call. */
import test from 'ava';
import { createLiveCalls } from '#src/calls/live/live-calls.ts';
import type { AdmissionLimits } from '#src/calls/call-parts.ts';
import { createAdmission } from '#src/calls/setup/admission.ts';
import { callInput } from '#src/calls/setup/start-call.ts';
import { createDailyMinutes, type DailyNotice } from '#src/calls/setup/daily-minutes.ts';
import { createCallRate, type LoopState } from '#src/calls/setup/call-rate.ts';
import { createLoadShedding, type LoadLimits } from '#src/calls/setup/load-shedding.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { agentContext, partiesOf } from '#src/domain/agent-context.ts';
import { type Pressure, pressures } from '#src/domain/capacity.ts';
import { phrases } from '#src/domain/phrases.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { facts } from '#src/persistence/calls/call-facts.ts';
import { patchNumber } from '#src/persistence/numbers/numbers.ts';
import type { SpentOfNumber } from '#src/persistence/calls/spent-minutes.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { createCalls } from '#src/persistence/calls/create-calls.ts';
import { stopping } from '#test/helpers/usual-barge-in.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { createCallControlWorld } from './call-control-world.ts';

// Call input

const policy = {
  maxDurationSec: 1_800,
  defaultDurationSec: 600,
  silenceTimeoutSec: 31,
  ringTimeoutSec: 46,
  maxConcurrentCalls: 1,
  recordingEnabled: true,
  bargeIn: stopping,
  turnEnd: byPauses,
  consent: { announce: 'We record.', require: 'key' as const },
  destinations: [],
};

const speech = { recognizer: 'vosk', synthesizer: 'elevenlabs', voice: 'v' };

const voicemail = { policy: 'leave_message', message: null } as const;

const inputOf = (
  direction: 'inbound' | 'outbound',
  agent: AgentBinding['agent'],
  { instruction = null, greeting = null }: { instruction?: string | null; greeting?: string | null } = {},
) => {
  const agentCall: AgentCall = {
    context: agentContext({
      id: 'a-call',
      direction,
      ...partiesOf({ direction, ownNumber: '07011112222', counterparty: '01000000001' }),
      language: 'en',
    }),
    binding: {
      direction,
      agent,
      agentType: null,
      chatUrl: null,
      assistantId: null,
      agentId: null,
      controls: 'off',
      model: null,
      prompt: null,
      tools: null,
    },
    bearerToken: 'hush-hush',
    headers: {},
    instruction,
  };
  const times = { farewellWaitMs: 30_000, adoptTimeoutMs: 5_000, hangUpTimeoutMs: 5_000 };
  return callInput({
    agentCall,
    language: 'en',
    settings: {
      policy,
      greeting,
      speech,
      voicemail,
      screening: { policy: 'answer', callerName: 'Riverside Dental' },
      menu: 'hang_up',
      transferTo: [],
      binding: agentCall.binding,
    },
    maxDurationSec: 90,
    times,
  });
};

test('starts an outbound call with its policy and kickoff, without a greeting', (t) => {
  const input = inputOf('outbound', 'builtin', { instruction: 'Book\na table', greeting: 'Welcome.' });
  t.deepEqual(input, {
    callId: 'a-call',
    direction: 'outbound',
    from: '07011112222',
    to: '01000000001',
    language: 'en',
    speech,
    recording: true,
    ringTimeoutSec: 46,
    maxDurationSec: 90,
    silenceTimeoutSec: 31,
    bargeIn: stopping,
    turnEnd: byPauses,
    farewellWaitMs: 30_000,
    adoptTimeoutMs: 5_000,
    hangUpTimeoutMs: 5_000,
    takenOver: null,
    consent: { announcement: 'We record.', requirement: 'key', language: 'en' },
    consentRefused: 'I understand. Without your consent I cannot go on with this call. Goodbye.',
    kickoff:
      '[outbound call connected] You speak first. The other party has not said anything yet.\n[task] Book a table',
    screening: 'answer',
    menu: 'hang_up',
    introduction: 'Hello, this is Riverside Dental. I am calling about this: Book.',
    greeting: null,
    apology: 'I am sorry, something went wrong. Could you say that again, please?',
    brokenOff: 'I am sorry, I was cut off in the middle of that. Please go ahead.',
    failedOpening:
      'Hello, this is an automated call. I am sorry, because of a technical problem I cannot talk with you now. Please excuse the disturbance. Goodbye.',
    failedGoodbye:
      'I am sorry, because of a technical problem I cannot go on with this call. Please excuse the trouble. Goodbye.',
    reprompt: 'Hello? Are you still there?',
    // An agent may change the language of its words.
    phrasesIn: phrases,
    voicemail: 'leave_message',
    voicemailMessage: 'Hello. We tried to reach you and will call again. Thank you, and goodbye.',
  });
});

test('starts an inbound call without a kickoff, with its numbers swapped', (t) => {
  t.like(inputOf('inbound', 'builtin'), { from: '01000000001', to: '07011112222', kickoff: null });
});

test('the built-in agent greets a caller, other agents do not; a greeting of the number replaces both', (t) => {
  t.is(inputOf('inbound', 'builtin').greeting, 'Hello, thank you for calling. How can I help you?');
  t.is(inputOf('inbound', 'endpoint').greeting, null);
  for (const agent of ['builtin', 'endpoint'] as const) {
    t.is(inputOf('inbound', agent, { greeting: 'Welcome.' }).greeting, 'Welcome.');
  }
});

// Admission

const wish = {
  numberId: 'a-number',
  workspaceId: 'a-workspace',
  maxConcurrentCalls: 100,
  maxCallsInProgress: 100,
};

const createDoor = (limits: Partial<AdmissionLimits> = {}) => {
  const liveCalls = createLiveCalls();
  let pressure: Pressure | null = null;
  let share = 1;
  let isWithinRate = true;
  const admission = createAdmission({
    live: { liveCalls },
    limits: {
      admission: { maxCalls: 100, maxBeginning: 100, ...limits },
      load: { pressure: () => pressure, share: () => share, hasRoom: () => isWithinRate, take: () => {} },
    },
    telephony: { hasLines: true },
  });
  let counter = 0;
  return {
    admission,
    press: (by: Pressure | null) => (pressure = by),
    allow: (part: number) => (share = part),
    limitRate: (isLimited: boolean) => (isWithinRate = !isLimited),
    /** Starts a call like `start-call.ts`: adds it to the switchboard and returns its permit. */
    begin(call: Parameters<typeof admission.enter>[0] = wish) {
      const permit = admission.enter(call);
      const callId = `call-${(counter += 1)}`;
      const { numberId, workspaceId } = call;
      liveCalls.add({ callId, numberId, workspaceId, direction: 'outbound', status: 'ringing' });
      permit.release();
      return () => liveCalls.remove(callId);
    },
    /** The code of the rejection; `undefined` if the call was admitted. */
    refusal(call: Parameters<typeof admission.enter>[0] = wish): Refusal | undefined {
      try {
        admission.enter(call).release();
        return undefined;
      } catch (error) {
        if (error instanceof Refusal) return error;
        throw error;
      }
    },
  };
};

test('rejects calls on a draining gateway', (t) => {
  const { admission, refusal } = createDoor();
  t.false(admission.isDraining());
  t.is(refusal(), undefined);
  admission.drain();
  t.true(admission.isDraining());
  t.like(refusal(), { code: 'draining', status: 503 });
});

test("rejects calls at the gateway's maximum, with a retry time", (t) => {
  const { begin, refusal } = createDoor({ maxCalls: 2 });
  begin();
  const end = begin({ ...wish, numberId: 'another-number', workspaceId: 'another-workspace' });
  t.like(refusal(), { code: 'over_capacity', status: 503, headers: { 'Retry-After': '5' } });
  end();
  t.is(refusal(), undefined);
});

test('rejects calls while the gateway sheds load', (t) => {
  const { press, refusal } = createDoor();
  press('memory');
  t.like(refusal(), { code: 'over_capacity', headers: { 'Retry-After': '5' } });
  press(null);
  t.is(refusal(), undefined);
});

test('limits simultaneous call starts to what the database can store', (t) => {
  const { admission, begin, refusal } = createDoor({ maxBeginning: 2 });
  begin();
  const permits = [admission.enter(wish), admission.enter(wish)];
  t.like(refusal(), { code: 'over_capacity' });
  permits[0]?.release();
  t.is(refusal(), undefined);
});

test('counts requests as starting while their number is being looked up', (t) => {
  const { admission, refusal } = createDoor({ maxBeginning: 2 });
  const requests = [admission.approach(), admission.approach()];
  t.like(t.throws(admission.approach), { code: 'over_capacity', extras: { reason: 'beginning' } });
  t.is(refusal(), undefined, 'those that were let in may begin');
  requests[0]?.leave();
  requests[0]?.leave();
  t.notThrows(admission.approach);
  t.throws(admission.approach);
});

test('lets fewer requests into setup while the event loop is late, but always one', (t) => {
  const { admission, allow, refusal } = createDoor({ maxBeginning: 8 });
  allow(0.25);
  const requests = [admission.approach(), admission.approach()];
  t.like(t.throws(admission.approach), { code: 'over_capacity', extras: { reason: 'event_loop' } });
  t.is(refusal(), undefined, 'those that were let in may begin');
  for (const { leave } of requests) leave();
  allow(0.001);
  const { leave } = admission.approach();
  t.throws(admission.approach);
  leave();
  allow(1);
  for (let count = 0; count < 8; count += 1) admission.approach();
  t.like(t.throws(admission.approach), { extras: { reason: 'beginning' } });
});

test('lets no request into setup beyond the rate after an overload', (t) => {
  const { admission, limitRate } = createDoor();
  limitRate(true);
  t.like(t.throws(admission.approach), { code: 'over_capacity', extras: { reason: 'rate' } });
  limitRate(false);
  t.notThrows(admission.approach);
});

test('names the limit that was reached in the rejection', (t) => {
  const full = createDoor({ maxCalls: 1 });
  full.begin();
  t.like(full.refusal(), { extras: { reason: 'calls' } });
  for (const pressure of pressures) {
    const { press, refusal } = createDoor();
    press(pressure);
    t.like(refusal(), { code: 'over_capacity', extras: { reason: pressure } });
  }
});

test('limits the calls of a number separately', (t) => {
  const { begin, refusal } = createDoor();
  const limited = { ...wish, maxConcurrentCalls: 2 };
  begin(limited);
  const end = begin(limited);
  t.like(refusal(limited), { code: 'concurrency_limit', status: 429, extras: { maximum: 2 } });
  t.is(refusal({ ...limited, numberId: 'another-number' }), undefined);
  end();
  t.is(refusal(limited), undefined);
});

test('limits the calls of a workspace across all its numbers', (t) => {
  const { begin, refusal } = createDoor();
  const limited = { ...wish, maxCallsInProgress: 2 };
  begin(limited);
  const end = begin({ ...limited, numberId: 'another-number' });
  t.like(refusal({ ...limited, numberId: 'a-third' }), {
    code: 'concurrency_limit',
    extras: { maximum: 2 },
  });
  t.is(refusal({ ...limited, workspaceId: 'another-workspace' }), undefined);
  end();
  t.is(refusal(limited), undefined);
});

test('checks limits that apply to every call before a call exists', (t) => {
  const { admission, begin, press } = createDoor({ maxCalls: 1 });
  t.notThrows(admission.check);
  const end = begin();
  t.like(t.throws(admission.check), { code: 'over_capacity', headers: { 'Retry-After': '5' } });
  end();
  press('journal');
  t.like(t.throws(admission.check), { code: 'over_capacity' });
  press(null);
  t.notThrows(admission.check);
  admission.drain();
  t.like(t.throws(admission.check), { code: 'draining' });
});

const admissionLimits = {
  'of the gateway': [{ maxCalls: 3 }, wish],
  'of a number': [{}, { ...wish, maxConcurrentCalls: 3 }],
  'of a workspace': [{}, { ...wish, maxCallsInProgress: 3 }],
} as const;

for (const [whose, [gateway, call]] of Object.entries(admissionLimits)) {
  test(`enforces the limit ${whose} for simultaneous calls, and reuses a returned permit once`, (t) => {
    const { admission, refusal } = createDoor(gateway);
    const permits = [admission.enter(call), admission.enter(call), admission.enter(call)];
    t.not(refusal(call), undefined);
    permits[0]?.release();
    permits[0]?.release();
    const [, second] = permits;
    const again = admission.enter(call);
    t.not(refusal(call), undefined, 'giving back twice makes no second permit');
    again.release();
    second?.release();
    t.is(refusal(call), undefined);
  });
}

// Daily minutes

const startedAt = Date.parse('2026-11-21T12:00:00.000+09:00');

const call = {
  numberId: 'mine',
  workspaceId: 'ours',
  timeZone: 'Asia/Seoul',
  ofNumber: null,
  ofWorkspace: null,
  maxDurationSec: 600,
  startedAt,
};

const spent = (numberId: string, heldMinutes: number, talkedMinutes = heldMinutes): SpentOfNumber => ({
  numberId,
  heldSec: heldMinutes * 60,
  talkedSec: talkedMinutes * 60,
});

const granting = (limits: { ofNumber?: number; ofWorkspace?: number }, at = startedAt) => {
  const notices: DailyNotice[] = [];
  const daily = createDailyMinutes((notice) => notices.push(notice));
  const grant = (...all: SpentOfNumber[]) => daily({ ...call, ...limits, startedAt: at })?.grant(all);
  return { notices, grant, daily };
};

test('does not query the talked minutes if no limit is set', (t) => {
  t.is(granting({}).daily(call), null);
});

test('grants the requested time or the remaining minutes, at least one', (t) => {
  const { grant } = granting({ ofWorkspace: 20 });
  t.is(grant(), 600);
  t.is(grant(spent('mine', 5), spent('other', 5)), 600);
  t.is(grant(spent('mine', 5), spent('other', 6)), 540);
  t.is(grant(spent('other', 19)), 60);
  t.throws(() => grant(spent('other', 19.1)), { message: /^The workspace has used its 20 minutes/ });
});

test('limits the daily minutes of a number within those of its workspace', (t) => {
  const { grant } = granting({ ofNumber: 10, ofWorkspace: 30 });
  t.is(grant(spent('mine', 3), spent('other', 10)), 420);
  t.is(grant(spent('mine', 3), spent('other', 25)), 120);
  t.throws(() => grant(spent('mine', 10)), { message: /^This number has used its 10 minutes/ });
  t.throws(() => grant(spent('other', 30)), { message: /^The workspace/ });
});

test('names the daily limit and the start of the next day in the rejection of a call', (t) => {
  const { grant, notices } = granting({ ofWorkspace: 1 }, startedAt + 500);
  const error = t.throws(() => grant(spent('mine', 1)), { instanceOf: Refusal });
  t.like(error, {
    code: 'daily_limit_reached',
    status: 429,
    extras: { maximum: 1, resets_at: '2026-11-22T00:00:00.000+09:00' },
    headers: { 'Retry-After': String(12 * 3_600) },
  });
  t.deepEqual(notices.at(-1), { owner: 'workspace', id: 'ours', what: 'refused' });
});

test('warns once a day when 80 % of the daily minutes were talked', (t) => {
  const notices: DailyNotice[] = [];
  const daily = createDailyMinutes((notice) => notices.push(notice));
  const grant = (at: number, held: number, talked: number) =>
    daily({ ...call, ofNumber: 100, startedAt: at })?.grant([spent('mine', held, talked)]);
  grant(startedAt, 90, 79.9);
  t.deepEqual(notices, []);
  grant(startedAt, 90, 80);
  grant(startedAt + 1, 95, 90);
  t.deepEqual(notices, [{ owner: 'number', id: 'mine', what: 'warned' }]);
  grant(startedAt + 86_400_000, 90, 80);
  t.is(notices.length, 2);
});

// Load shedding

const loadSheddingLimits: LoadLimits = {
  event_loop: { from: 50, until: 15 },
  memory: { from: 0.9, until: 0.8 },
  journal: { from: 20_000, until: 10_000 },
};

const loadSheddingWorld = (changes: Partial<LoadLimits> = {}, halvingMs = 3) => {
  const clock = createOrderedClock();
  const measured: Record<Pressure, number> = { event_loop: 0, memory: 0, journal: 0 };
  const told: string[] = [];
  const shedding = createLoadShedding({
    limits: { ...loadSheddingLimits, ...changes },
    measures: {
      event_loop: () => measured.event_loop,
      memory: () => measured.memory,
      journal: () => measured.journal,
    },
    beginning: { delayMs: () => measured.event_loop, halvingMs },
    everyMs: 250,
    clock,
    onChange: ({ pressure, measured: much, sheds }) =>
      told.push(`${pressure} ${much} ${sheds ? 'sheds' : 'takes'}`),
  });
  return {
    told,
    measured,
    shedding,
    clock,
    measure(pressure: Pressure, much: number): Pressure | null {
      measured[pressure] = much;
      clock.advance(250);
      return shedding.pressure();
    },
  };
};

for (const pressure of pressures) {
  const { from, until } = loadSheddingLimits[pressure];
  test(`sheds load for ${pressure} from ${from} until less than ${until} is left`, (t) => {
    const { measure, told } = loadSheddingWorld();
    t.is(measure(pressure, from * 0.99), null);
    t.is(measure(pressure, from), pressure);
    t.is(measure(pressure, (from + until) / 2), pressure);
    t.is(measure(pressure, until), pressure);
    t.is(measure(pressure, until * 0.99), null);
    t.is(measure(pressure, from * 0.99), null);
    t.deepEqual(told, [`${pressure} ${from} sheds`, `${pressure} ${until * 0.99} takes`]);
  });
}

test('keeps shedding load while another pressure is above its threshold', (t) => {
  const { measure, told } = loadSheddingWorld();
  measure('event_loop', 60);
  t.is(measure('memory', 0.95), 'event_loop');
  t.is(measure('event_loop', 0), 'memory');
  t.is(measure('memory', 0.5), null);
  t.deepEqual(told.length, 4);
});

test('checks the size of the journal at every request, because it grows fast', (t) => {
  const { shedding, measured } = loadSheddingWorld();
  t.is(shedding.pressure(), null);
  measured.journal = 20_000;
  measured.memory = 0.95;
  t.is(shedding.pressure(), 'journal');
});

test('disables load shedding with a limit of 0', (t) => {
  const { measure } = loadSheddingWorld({ event_loop: { from: 0, until: 0 } });
  t.is(measure('event_loop', 10_000), null);
});

test('halves the calls in setup for each delay of a few milliseconds', (t) => {
  const { shedding, measured } = loadSheddingWorld();
  t.is(shedding.share(), 1);
  measured.event_loop = 6;
  t.is(shedding.share(), 1 / 4);
  t.is(loadSheddingWorld({}, 0).shedding.share(), 1);
});

test('clears the timer when load watching stops', (t) => {
  const { shedding, clock, measure, told } = loadSheddingWorld();
  t.is(measure('memory', 0.95), 'memory');
  shedding.close();
  clock.advance(10_000);
  t.is(measure('memory', 0), 'memory', 'nobody looks any more');
  t.is(told.length, 1);
});

// Call rate

const callRateWorld = () => {
  const clock = createOrderedClock();
  let state: LoopState = 'busy';
  const rate = createCallRate({
    numbers: { everyMs: 250, decrease: 0.5, increase: 2, usual: 40, least: 4, most: 400, burstSec: 1 },
    state: () => state,
    clock,
  });
  const take = (): boolean => {
    if (!rate.hasRoom()) return false;
    rate.take();
    return true;
  };
  const takeAtOnce = (calls: number): number => Array.from({ length: calls }, take).filter(Boolean).length;
  /** The loop is in this state for this many intervals, while calls arrive steadily. Returns the number of calls taken. */
  const pass = (now: LoopState, intervals: number, callsPerInterval: number): number => {
    state = now;
    let taken = 0;
    for (let interval = 0; interval < intervals; interval += 1) {
      for (let call = 0; call < callsPerInterval; call += 1) {
        if (take()) taken += 1;
        clock.advance(250 / callsPerInterval);
      }
      if (callsPerInterval === 0) clock.advance(250);
    }
    return taken;
  };
  return { rate, takeAtOnce, pass };
};

const isAbout = (count: number, expected: number): boolean => Math.abs(count - expected) <= 1.5;

test('accepts a burst of new calls, then calls at the usual rate', (t) => {
  const { takeAtOnce, pass } = callRateWorld();
  t.is(takeAtOnce(100), 40);
  t.true(isAbout(pass('busy', 4, 50), 40));
});

test('doubles the rate of new calls in each interval in which calls reach it and the gateway is free', (t) => {
  const { takeAtOnce, pass } = callRateWorld();
  takeAtOnce(100);
  const taken = Array.from({ length: 5 }, () => pass('free', 1, 125));
  t.deepEqual(
    taken.map((count, index) => isAbout(count, Math.min(100, 10 * 2 ** index))),
    taken.map(() => true),
    String(taken),
  );
});

test('halves the rate of new calls in each interval of an overload, down to a minimum', (t) => {
  const { takeAtOnce, pass } = callRateWorld();
  takeAtOnce(100);
  const taken = Array.from({ length: 7 }, () => pass('overloaded', 1, 50));
  t.deepEqual(
    taken.map((count, index) => isAbout(count, Math.max(1, 10 / 2 ** index))),
    taken.map(() => true),
    String(taken),
  );
});

test('does not lower the rate in an overload without new calls', (t) => {
  const { takeAtOnce, pass } = callRateWorld();
  pass('overloaded', 10, 0);
  t.is(takeAtOnce(100), 40);
});

test('returns to the usual rate when calls no longer reach the limit', (t) => {
  const raised = callRateWorld();
  raised.takeAtOnce(100);
  raised.pass('free', 4, 125);
  raised.pass('free', 10, 0);
  t.is(raised.takeAtOnce(1_000), 40);
  const lowered = callRateWorld();
  lowered.pass('overloaded', 10, 50);
  t.true(lowered.takeAtOnce(1_000) <= 4);
  lowered.pass('free', 10, 0);
  t.is(lowered.takeAtOnce(1_000), 40);
});

test('saves up no more calls than an overloaded gateway may begin in a second', (t) => {
  const { takeAtOnce, pass } = callRateWorld();
  pass('overloaded', 10, 50);
  pass('busy', 20, 0);
  t.is(takeAtOnce(100), 4);
});

// Start call

test.serial('dials only after the row is stored', async (t) => {
  const world = await createCallControlWorld(t);
  const number = await world.number();
  const elsewhere = { ...number, id: '00000000-0000-4000-8000-000000000000' };
  await t.throwsAsync(
    world.callControl.placeCall(elsewhere, {
      to: '01000000001',
      instruction: null,
      maxDurationSec: null,
      keyed: null,
    }),
  );
  t.is(world.lines.size, 0);
  t.is(world.liveCalls.count.get(), 0);
  t.is(world.agentCalls.size, 0);
});

test.serial('returns the permit of a call that could not be stored', async (t) => {
  const world = await createCallControlWorld(t, { admission: { maxCalls: 1, maxBeginning: 100 } });
  const number = await world.number();
  const elsewhere = { ...number, id: '00000000-0000-4000-8000-000000000000' };
  const request = { to: '01000000001', instruction: null, maxDurationSec: null, keyed: null };
  await t.throwsAsync(world.callControl.placeCall(elsewhere, request));
  await t.notThrowsAsync(world.callControl.placeCall(number, request));
  await t.throwsAsync(world.callControl.placeCall(number, request), { code: 'over_capacity' });
});

test.serial('counts an active call once, and reuses its permit after its end', async (t) => {
  const world = await createCallControlWorld(t, { admission: { maxCalls: 2, maxBeginning: 100 } });
  const [first, second] = [await world.place(), await world.place()];
  await t.throwsAsync(world.place(), { code: 'over_capacity' });
  world.clock.increment(44_000);
  world.answer(first);
  world.clock.increment(1_000);
  world.confirmCancel(second);
  await t.notThrowsAsync(world.place());
});

const losingAnswers = test.macro<[boolean, unknown]>({
  async exec(t, isStored, expected) {
    const database = await testDatabase();
    const world = await createCallControlWorld(t, {
      database: {
        ...database,
        async execute(sql, parameters) {
          if (sql !== createCalls.text) return database.execute(sql, parameters);
          if (isStored) await database.execute(sql, parameters);
          throw new Error('Connection terminated unexpectedly');
        },
      },
    });
    await t.throwsAsync(world.place(), { message: /Connection terminated/ });
    await world.journal.settled();
    const rows = await database.execute('select status, end_reason from call where number_id = $1', [
      world.stored.numberId,
    ]);
    t.deepEqual(rows, expected);
    t.deepEqual(
      world.logged.filter((line) => line.includes('could not be written')),
      [],
    );
  },
  title: (_, isStored) =>
    `ends a call whose stored row was never confirmed: it was ${isStored ? '' : 'not '}stored`,
});

test.serial(losingAnswers, true, [{ status: 'failed', end_reason: 'system_error' }]);
test.serial(losingAnswers, false, []);

test.serial('applies the limits of the number first, then those of its workspace', async (t) => {
  const world = await createCallControlWorld(t, { maxCallsInProgress: 2 });
  await patchNumber(world.database, world.stored, { maxConcurrentCalls: 1 });
  await world.place();
  t.like(await t.throwsAsync(world.place()), { code: 'concurrency_limit', extras: { maximum: 1 } });
  await patchNumber(world.database, world.stored, { maxConcurrentCalls: 5 });
  await world.place();
  t.like(await t.throwsAsync(world.place()), { code: 'concurrency_limit', extras: { maximum: 2 } });
  await world.database.execute('update workspace set max_calls_in_progress = 3 where id = $1', [
    world.stored.workspaceId,
  ]);
  await world.place();
  t.like(await t.throwsAsync(world.place()), { code: 'concurrency_limit', extras: { maximum: 3 } });
  t.is(await world.rows(), 3);
});

test.serial('starts no call on a draining gateway', async (t) => {
  const world = await createCallControlWorld(t);
  world.callControl.admission.drain();
  await t.throwsAsync(world.place(), { code: 'draining' });
  t.is(await world.rows(), 0);
});

test.serial('ends a stored call that cannot start', async (t) => {
  const world = await createCallControlWorld(t, {
    keepAgent: () => {
      throw new Error('A mistake of ours');
    },
  });
  await t.throwsAsync(world.place(), { message: 'A mistake of ours' });
  await world.journal.settled();
  const [row] = await world.database.execute<{ id: string }>('select id from call where number_id = $1', [
    world.stored.numberId,
  ]);
  const callId = row?.id ?? '';
  t.like(await world.rowOf(callId), { status: 'failed', endReason: 'system_error', durationSec: 0 });
  t.like(await facts(world.database, callId), [{ sequence: 1, type: 'call.ended' }]);
  t.deepEqual(world.ends, [`${callId} failed system_error`]);
  t.is(world.liveCalls.count.get(), 0);
});

test.serial(
  'takes each policy from the number, otherwise its workspace, otherwise the platform',
  async (t) => {
    const world = await createCallControlWorld(t);
    await world.database.execute(
      'update workspace set ring_timeout_sec = 20, recording_enabled = false where id = $1',
      [world.stored.workspaceId],
    );
    await patchNumber(world.database, world.stored, { ringTimeoutSec: 10 });
    const short = await world.place();
    t.is((await world.rowOf(short))?.recordingEnabled, false);
    world.clock.increment(10_000);
    t.is(world.stateOf(short), 'ringing.cancelling');
    await patchNumber(world.database, world.stored, { ringTimeoutSec: null });
    const longer = await world.place();
    world.clock.increment(19_999);
    t.is(world.stateOf(longer), 'ringing.alerting');
    world.clock.increment(1);
    t.is(world.stateOf(longer), 'ringing.cancelling');
  },
);

test.serial(
  'limits the silence time-outs to 30 seconds before and 30 seconds after the reprompt',
  async (t) => {
    const world = await createCallControlWorld(t);
    const { callId } = await world.receive();
    world.answer(callId);
    const say = () => world.lineOf(callId).commands.filter(({ type }) => type === 'say').length;
    const played = (utterance: number) =>
      world
        .lineOf(callId)
        .tell({ type: 'line.played', at: 0, startedAt: 0, utterance, text: 'Hello', whole: true });
    played(1);
    t.is(say(), 1);
    world.clock.increment(29_999);
    t.is(say(), 1);
    world.clock.increment(1);
    t.is(say(), 2);
    played(2);
    world.clock.increment(29_999);
    t.is(world.stateOf(callId), 'active.talking.conversing');
    world.clock.increment(1);
    t.not(world.stateOf(callId), 'active.talking.conversing');
  },
);
