import test from 'ava';
import type { Arrival, ArrivalVerdict } from '#src/domain/arrival.ts';
import { acceleratedClock } from '#src/clocks.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import { agentWith, createNetwork, scriptedInput, scriptedNumber } from './network.ts';

const call = { to: '0212345678', from: '01012345678', script: null };

test('a caller arrives, is let in, answered and heard', async (t) => {
  const { clock, lines, until } = createNetwork();
  const arrivals: Arrival[] = [];
  const begin = clock.now();
  await lines.start(async (arrival) => {
    arrivals.push(arrival);
    return { accepted: true };
  });
  const { callId, verdict } = await lines.placeInbound({
    ...call,
    script: [{ say: 'I would like to book a table.' }, { hang_up: true }],
  });
  t.deepEqual(verdict, { accepted: true });
  t.deepEqual(arrivals, [{ callId, from: '01012345678', to: '0212345678', at: begin }]);

  const line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' }));
  until(() => line.isOver());
  t.is(line.all('line.answered')[0]?.at, begin + 50);
  t.deepEqual(line.story(), ['line.answered', 'line.speech', 'line.heard', 'line.ended']);
  t.deepEqual(line.finish(), []);
  await lines.close();
  t.is(clock.pending(), 0);
});

test('the line may be opened before the verdict is known', async (t) => {
  const { lines, until } = createNetwork();
  let line: WatchedLine | undefined;
  await lines.start(async ({ callId }) => {
    line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' }));
    return { accepted: true };
  });
  await lines.placeInbound(call);
  until(() => line?.saw('line.answered') === true);
  t.pass();
});

test('a caller without a script opens with a sentence and goes on politely', async (t) => {
  const { clock, lines, until } = createNetwork();
  await lines.start(async () => ({ accepted: true }));
  const { callId } = await lines.placeInbound(call);
  const agent = agentWith(clock, [
    'Good morning, how can I help you?',
    'Certainly, which day?',
    'At what time?',
  ]);
  const line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' }), agent);
  until(() => line.all('line.heard').length === 3);
  t.true(line.all('line.played').every(({ whole }) => whole));
});

test('a caller speaks the language that was asked for', async (t) => {
  const { lines, until } = createNetwork();
  await lines.start(async () => ({ accepted: true }));
  const { callId } = await lines.placeInbound({ ...call, language: 'ko' });
  const line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound', language: 'en' }));
  until(() => line.saw('line.heard'));
  t.regex(line.all('line.heard')[0]?.text ?? '', /\p{Script=Hangul}/u);
});

test('a rejected caller is forgotten', async (t) => {
  const { clock, lines } = createNetwork();
  const rejected: ArrivalVerdict = { accepted: false, because: 'unknown_number' };
  await lines.start(async () => rejected);
  const { callId, verdict } = await lines.placeInbound(call);
  t.deepEqual(verdict, rejected);
  const line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' }));
  clock.advance(1_000);
  t.is(line.all('line.unanswered')[0]?.cause, 'media_error');
  t.deepEqual(line.finish(), []);
});

test('a caller that nobody answers goes away after ten seconds', async (t) => {
  const { clock, lines } = createNetwork();
  await lines.start(async () => ({ accepted: true }));
  const { callId } = await lines.placeInbound(call);
  clock.advance(10_001);
  const line = openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' }));
  clock.advance(1_000);
  t.is(line.all('line.unanswered')[0]?.cause, 'media_error');
});

test('a caller is answered only once', async (t) => {
  const { clock, lines } = createNetwork();
  await lines.start(async () => ({ accepted: true }));
  const { callId } = await lines.placeInbound(call);
  const [first, second] = [1, 2].map(() =>
    openWatched(lines.open, scriptedInput({ callId, direction: 'inbound' })),
  );
  clock.advance(1_000);
  t.true(first?.saw('line.answered'));
  t.is(second?.all('line.unanswered')[0]?.cause, 'media_error');
});

test('an arrival that could not be decided is the error of the one who placed it', async (t) => {
  const { clock, lines } = createNetwork();
  await lines.start(async () => {
    throw new Error('The database is away');
  });
  await t.throwsAsync(lines.placeInbound(call), { message: 'The database is away' });
  t.is(clock.pending(), 0);
});

test('lines are ready between start and close', async (t) => {
  const { lines } = createNetwork();
  t.false(lines.health().ready);
  await t.throwsAsync(lines.placeInbound(call));
  await lines.start(async () => ({ accepted: true }));
  t.deepEqual(lines.health(), { ready: true });
  await lines.close();
  t.false(lines.health().ready);
  await t.throwsAsync(lines.placeInbound(call));
});

test('closing ends every line and lets go of every timer', async (t) => {
  const { clock, lines, reach, until } = createNetwork();
  await lines.start(async () => ({ accepted: true }));
  await lines.placeInbound(call);
  const talking = reach({ to: '01000000001' });
  const ringing = reach({ to: '01000000002' });
  until(() => talking.saw('line.answered'));
  talking.say('This sentence is not said to its end.');
  const events = talking.events.length + ringing.events.length;
  await lines.close();
  await lines.close();
  t.is(clock.pending(), 0);
  clock.advance(60_000);
  t.is(talking.events.length + ringing.events.length, events);

  const late = reach({ to: '01000000001' });
  clock.advance(1_000);
  t.is(late.all('line.unanswered')[0]?.cause, 'trunk_error');
});

test('a defined callee plays its script, also in the place of a known one', (t) => {
  const { lines, reach, until } = createNetwork();
  t.is(lines.calleeScript(scriptedNumber), undefined);
  lines.defineCallee(scriptedNumber, [{ busy: true }]);
  lines.defineCallee('01000000001', [{ decline: true }]);
  t.deepEqual(lines.calleeScript(scriptedNumber), [{ busy: true }]);
  for (const [to, cause] of [
    [scriptedNumber, 'busy'],
    ['01000000001', 'declined'],
  ] as const) {
    const line = reach({ to });
    until(() => line.isOver());
    t.is(line.all('line.unanswered')[0]?.cause, cause);
  }
});

test('each workspace has callees of its own', (t) => {
  const { lines, reach, until } = createNetwork({ workspaceOf: (callId) => callId.split('/')[0] });
  lines.defineCallee('01000000001', [{ busy: true }], 'one');
  lines.defineCallee('01000000001', [{ decline: true }], 'another');
  t.is(lines.calleeScript('01000000001', 'third'), undefined);
  const outcome = (callId: string) => {
    const line = reach({ callId, to: '01000000001' });
    until(() => line.isOver() || line.saw('line.answered'));
    return line.all('line.unanswered')[0]?.cause ?? 'answered';
  };
  t.deepEqual(['one/a', 'another/b', 'third/c'].map(outcome), ['busy', 'declined', 'answered']);
});

test('a hurried line takes a fraction of the time and cuts words where they were', async (t) => {
  const speed = 20;
  const { lines } = createNetwork({ clock: acceleratedClock(speed), speed });
  const sentence =
    'This is a long sentence, of which about a half should have been heard by now, and not less.';
  // So long that it is cut however late the machine comes to it.
  const monologue = Array.from({ length: 40 }, () => sentence).join(' ');
  const text = await new Promise<string>((resolve) => {
    const line = openWatched(lines.open, scriptedInput({ to: '01000000006' }), (event) => {
      if (event.type === 'line.played') resolve(event.text);
      if (event.type !== 'line.answered') return;
      line.say(monologue);
      setTimeout(() => line.tell({ type: 'stopTalking' }), 2_500 / speed);
    });
  });
  // At its own pace a line would have said two letters in this time.
  t.true(text.length > sentence.length / 4 && text.length < monologue.length, text);
  await lines.close();
});
