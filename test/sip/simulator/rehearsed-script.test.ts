/** Steps that wait for what the agent says, and scripts that are watched. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { parseScript, type Script } from '#sip/simulator/script.ts';
import { loadPatterns } from '#src/domain/said-pattern.ts';
import { agentWith, createNetwork, scriptedNumber } from './network.ts';

const readPattern = await loadPatterns();
const rehearsal = { stepTimeoutMs: 30_000, readPattern, people: new Map() };
const long = 'Of course, I will look that up for you right away, one moment please.';

const reach = (script: Script, replies: readonly string[], people = rehearsal.people) => {
  const network = createNetwork();
  network.lines.defineCallee(scriptedNumber, script, undefined, { ...rehearsal, people });
  const callId = randomUUID();
  const line = network.reach({ callId }, agentWith(network.clock, replies));
  const progress = () => network.lines.scriptProgress(callId);
  return { ...network, line, progress };
};

test('hear: goes on as soon as the words were said, in the midst of a sentence', (t) => {
  const { line, until } = reach([{ hear: '/look .{0,9}up/' }, { interrupt: 'Wait!' }], [long]);
  until(() => line.saw('line.heard'));
  t.regex(line.all('line.played')[0]?.text ?? '', /look that up/);
  t.false(line.all('line.played')[0]?.whole);
});

test('hear: what was said before the person last spoke is not heard again', (t) => {
  const { line, until, progress } = reach(
    [{ hear: 'Hello' }, { say: 'Good day.' }, { hear: 'Hello' }],
    ['Hello.', 'Good day to you.'],
  );
  until(() => line.isOver());
  t.deepEqual(progress(), { steps: 3, stepsDone: 2, outcome: 'timed_out' });
});

test('hear: the words after those that were heard are heard next', (t) => {
  const { until, progress } = reach([{ hear: 'course' }, { hear: 'away' }, { hang_up: true }], [long]);
  until(() => progress()?.outcome === 'done');
  t.is(progress()?.stepsDone, 3);
});

test('hear: what follows an utterance that was cut off is heard from its first word', (t) => {
  const { until, progress } = reach(
    [
      { interrupt: { text: 'Sorry, who is this? I have hardly understood a word of it.', after_ms: 300 } },
      { hear: '/^Thank/' },
    ],
    [long, 'Thank you. Goodbye!'],
  );
  until(() => progress()?.outcome !== 'playing');
  t.is(progress()?.outcome, 'done');
});

test('interrupt: breaks in so long after the agent has begun to talk', (t) => {
  const { line, until } = reach([{ interrupt: { text: 'Wait!', after_ms: 2_000 } }], [long]);
  until(() => line.saw('line.heard'));
  const [played] = line.all('line.played');
  t.is(line.all('line.heard')[0]?.startedAt, (played?.startedAt ?? 0) + 2_000);
});

test('a step that does not come about in time ends the script: the person hangs up', (t) => {
  const { line, until, progress } = reach([{ hear: 'never' }, { say: 'Hello?' }], [long]);
  until(() => line.isOver());
  const [answer] = line.all('line.answered');
  const [end] = line.all('line.ended');
  t.is((end?.at ?? 0) - (answer?.at ?? 0), 30_020, 'the limit, and what a line takes to end');
  t.deepEqual(progress(), { steps: 2, stepsDone: 0, outcome: 'timed_out' });
});

test('own time is not limited, and whose script is over hangs up a while later', (t) => {
  const { line, until, progress } = reach([{ wait_sec: 50 }], []);
  until(() => line.isOver(), 120_000);
  t.is((line.all('line.ended')[0]?.at ?? 0) - (line.all('line.answered')[0]?.at ?? 0), 80_020);
  t.deepEqual(progress(), { steps: 1, stepsDone: 1, outcome: 'done' });
});

test('a script of nobody’s rehearsal is not watched', (t) => {
  const { lines, reach, until } = createNetwork();
  lines.defineCallee(scriptedNumber, [{ hang_up: true }]);
  const callId = randomUUID();
  const line = reach({ callId });
  until(() => line.isOver());
  t.is(lines.scriptProgress(callId), undefined);
});

test('who is rung by a transfer does what the rehearsal says', (t) => {
  const people = new Map([['0212345678', 'declining' as const]]);
  const { line, until } = reach([{ wait_sec: 20 }], [], people);
  until(() => line.saw('line.answered'));
  line.tell({ type: 'transfer', to: '0212345678', mode: 'cold' });
  until(() => line.saw('line.transfer_failed'));
  t.is(line.all('line.transfer_failed')[0]?.cause, 'declined');
});

test('a script may hear expressions that take linear time', (t) => {
  const errorsOf = (hear: unknown) => parseScript([{ hear }], 'caller', readPattern).errors;
  t.is(errorsOf('/a+b/i'), undefined);
  t.is(errorsOf('words'), undefined);
  t.regex(errorsOf('/(?=a)b/')?.[0]?.message ?? '', /neither ahead nor behind/);
  t.regex(errorsOf('/(a)\\1/')?.[0]?.message ?? '', /refer back/);
  t.regex(errorsOf('/a/x')?.[0]?.message ?? '', /no other flags/);
  t.regex(errorsOf(5)?.[0]?.message ?? '', /text/);
});
