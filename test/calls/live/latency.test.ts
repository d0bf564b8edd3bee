import test from 'ava';
import type { CallFact } from '#machines/facts.ts';
import type { LineEvent } from '#machines/line.ts';
import { createLatency } from '#src/calls/live/latency.ts';
import { callInput } from '#test/helpers/call-world.ts';

const { callId } = callInput;

const createWorld = () => {
  let at = 1_000;
  const observed: [string, number][] = [];
  const times = createLatency({ now: () => at, observe: (...stage) => observed.push(stage) });
  let onLine: (event: LineEvent) => void = () => {};
  const heard: LineEvent[] = [];
  const open = times.watchLine((_, emit) => {
    onLine = emit;
    return { tell() {}, close() {}, leave() {}, canBeLeft: () => false };
  });
  open(callInput, (event) => heard.push(event));
  const spoken = (startedAt: number, role: 'assistant' | 'user' = 'assistant'): CallFact => ({
    type: 'turn.spoken',
    at: startedAt,
    endedAt: at,
    role,
    text: 'Good morning.',
    whole: true,
  });
  return {
    times,
    observed,
    heard,
    pass: (milliseconds: number): void => void (at += milliseconds),
    hears: (endedAt?: number, backchannel = false): void =>
      onLine({
        type: 'line.heard',
        at,
        startedAt: 0,
        text: 'Yes?',
        backchannel,
        ...(endedAt === undefined ? {} : { endedAt }),
      }),
    plays: (startedAt: number, text = 'Good morning.'): void =>
      onLine({ type: 'line.played', at, startedAt, utterance: 1, text, whole: true }),
    spoken,
    latencyOfTurn(startedAt: number) {
      const fact = times.withLatency(callId, spoken(startedAt));
      return fact.type === 'turn.spoken' ? fact.latency : undefined;
    },
  };
};

test('a turn of the agent carries how long each stage of it took', (t) => {
  const { times, observed, heard, pass, hears, plays, latencyOfTurn } = createWorld();
  hears(700);
  times.replies.asked(callId);
  pass(200);
  times.replies.firstToken(callId);
  pass(50);
  times.replies.firstSentence(callId);
  pass(2_000);
  plays(1_300);
  plays(2_500);
  const latency = { endpointingMs: 300, firstTokenMs: 200, firstSentenceMs: 250, firstAudioMs: 300 };
  t.deepEqual(latencyOfTurn(1_300), latency);
  t.deepEqual(observed, [
    ['endpointing', 300],
    ['first_token', 200],
    ['first_sentence', 250],
    ['first_audio', 300],
  ]);
  t.is(heard.length, 3, 'the call hears what the line says');
  t.is(latencyOfTurn(1_300), undefined, 'it is told once');
});

test('what is not known is missing', (t) => {
  const { times, pass, hears, plays, latencyOfTurn } = createWorld();
  hears();
  times.replies.asked(callId);
  pass(10);
  times.replies.firstSentence(callId);
  plays(1_020);
  t.deepEqual(latencyOfTurn(1_020), { firstSentenceMs: 10, firstAudioMs: 20 });
});

test('a backchannel is no turn that is answered', (t) => {
  const { times, observed, hears, plays, latencyOfTurn } = createWorld();
  hears(900, true);
  times.replies.asked(callId);
  times.replies.firstSentence(callId);
  plays(1_000);
  t.deepEqual(latencyOfTurn(1_000), { firstSentenceMs: 0, firstAudioMs: 0 });
  t.deepEqual(
    observed.map(([stage]) => stage),
    ['first_sentence', 'first_audio'],
  );
});

test('what the gateway itself says, and what the other party says, is no reply', (t) => {
  const { times, plays, spoken, latencyOfTurn } = createWorld();
  plays(1_000);
  t.is(latencyOfTurn(1_000), undefined, 'a greeting, before any reply');
  times.replies.asked(callId);
  times.replies.firstToken(callId);
  plays(1_500);
  t.is(latencyOfTurn(1_500), undefined, 'an apology: the reply failed before its first sentence');
  times.replies.asked(callId);
  times.replies.firstSentence(callId);
  plays(2_000);
  const heard = spoken(2_000, 'user');
  t.is(times.withLatency(callId, heard), heard);
  t.truthy(latencyOfTurn(2_000));
  plays(9_000);
  t.is(latencyOfTurn(9_000), undefined, 'a reprompt, after the reply');
});

test('a sentence that nobody heard is not the first sound of a reply', (t) => {
  const { times, plays, latencyOfTurn } = createWorld();
  times.replies.asked(callId);
  times.replies.firstSentence(callId);
  plays(1_000, '');
  plays(1_400);
  t.deepEqual(latencyOfTurn(1_400), { firstSentenceMs: 0, firstAudioMs: 400 });
});

test('nothing is kept of a call that is over', (t) => {
  const { times, plays, latencyOfTurn } = createWorld();
  times.replies.asked(callId);
  times.replies.firstSentence(callId);
  times.release(callId);
  plays(1_000);
  t.is(latencyOfTurn(1_000), undefined);
});
