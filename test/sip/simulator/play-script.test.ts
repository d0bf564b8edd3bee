import test from 'ava';
import { agentWith, createNetwork } from './network.ts';

const reply = 'Of course, I will look that up for you right away, one moment please.';

test('say: the first words come when the agent is silent', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello?' }], agentWith(clock, [reply]));
  until(() => line.saw('line.heard'));
  const [played] = line.all('line.played');
  t.true(played?.whole);
  t.is(line.all('line.heard')[0]?.startedAt, (played?.at ?? 0) + 800);
});

test('say: an agent that says nothing first is spoken to', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello?' }]);
  until(() => line.saw('line.heard'));
  t.is(line.all('line.heard')[0]?.startedAt, (line.all('line.answered')[0]?.at ?? 0) + 800);
});

test('say: later words wait for the answer to the earlier ones', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const agent = agentWith(clock, ['Hello.', reply, reply]);
  const line = reachScript([{ say: 'What time is it?' }, { say: 'And what day?' }], agent);
  until(() => line.all('line.heard').length === 2);
  t.deepEqual(
    line.all('line.played').map(({ whole }) => whole),
    [true, true],
  );
  t.is(line.all('line.heard')[1]?.startedAt, (line.all('line.played')[1]?.at ?? 0) + 800);
});

test('say: nobody waits for an answer longer than five seconds', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello?' }, { say: 'Is anybody there?' }]);
  until(() => line.all('line.heard').length === 2);
  const [first, second] = line.all('line.heard');
  const said = (first?.at ?? 0) - 300;
  t.is((second?.startedAt ?? 0) - said, 5_800);
});

test('say: words are recognised after 200 ms and heard 300 ms after their end', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello there.' }]);
  until(() => line.saw('line.heard'));
  const [heard] = line.all('line.heard');
  const startedAt = heard?.startedAt ?? 0;
  t.is((line.all('line.speech')[0]?.at ?? 0) - startedAt, 200);
  t.is(heard?.text, 'Hello there.');
  t.true((heard?.at ?? 0) - startedAt > 800);
});

test('interrupt: breaks in 0.7 s after the agent has begun', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ interrupt: 'Wait, please.' }], agentWith(clock, [reply]));
  until(() => line.saw('line.heard'));
  const [played] = line.all('line.played');
  t.is(line.all('line.heard')[0]?.startedAt, (played?.startedAt ?? 0) + 700);
  t.false(played?.whole);
});

test('interrupt: breaks in earlier when the utterance is short', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ interrupt: 'Wait, please.' }], agentWith(clock, ['Thank you.']));
  until(() => line.saw('line.heard'));
  t.true((line.all('line.heard')[0]?.startedAt ?? 0) < (line.all('line.played')[0]?.at ?? 0));
});

test('interrupt: an agent that falls silent too early is interrupted the next time', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ interrupt: 'Wait, please.' }]);
  until(() => line.saw('line.answered'));
  line.say(reply);
  clock.advance(300);
  line.tell({ type: 'stopTalking' });
  clock.advance(5_000);
  t.false(line.saw('line.speech'));
  line.say(reply);
  t.is(
    until(() => line.saw('line.speech')),
    900,
  );
});

test('backchannel: murmured over the voice it takes no floor', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ backchannel: 'Mm-hmm.' }, { say: 'I see.' }], agentWith(clock, [reply]));
  until(() => line.all('line.heard').length === 2);
  t.true(line.all('line.played')[0]?.whole);
  t.deepEqual(
    line.all('line.heard').map(({ text, backchannel }) => [text, backchannel]),
    [
      ['Mm-hmm.', true],
      ['I see.', false],
    ],
  );
  t.is(line.all('line.speech').length, 1);
});

test('backchannel words in a silence are ordinary words', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Okay.' }]);
  until(() => line.saw('line.heard'));
  t.true(line.saw('line.speech'));
  t.false(line.all('line.heard')[0]?.backchannel);
});

test('other words over the voice are speech even as a backchannel step', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ backchannel: 'No, no, stop.' }], agentWith(clock, [reply]));
  until(() => line.saw('line.heard'));
  t.true(line.saw('line.speech'));
});

test('listen: waits for one whole reply', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ listen: true }, { hang_up: true }], agentWith(clock, [reply]));
  until(() => line.isOver());
  t.true(line.all('line.played')[0]?.whole);
});

test('listen: after words it waits for the reply to them, however long it takes', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello?' }, { listen: true }, { hang_up: true }]);
  until(() => line.saw('line.heard'));
  clock.advance(120_000);
  t.false(line.isOver());
  line.say(reply);
  until(() => line.isOver());
  t.true(line.all('line.played')[0]?.whole);
});

test('listen: words that follow need no further reply', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const agent = agentWith(clock, ['Hello.', reply]);
  const line = reachScript([{ say: 'Tell me.' }, { listen: true }, { say: 'Thanks.' }], agent);
  until(() => line.all('line.heard').length === 2);
  t.is(line.all('line.heard')[1]?.startedAt, (line.all('line.played')[1]?.at ?? 0) + 1_600);
});

test('announce and beep: a machine speaks into the voice of the agent, and takes a message', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([
    { announce: 'Please leave a message after the tone.' },
    { wait_sec: 1 },
    { beep: true },
    { hang_up: true },
  ]);
  until(() => line.saw('line.answered'));
  line.say('This is a rather long sentence, which takes a few seconds until it was said to its end.');
  until(() => line.isOver());
  t.deepEqual(
    line.story().filter((type) => type !== 'line.ringing'),
    ['line.answered', 'line.speech', 'line.answered_by', 'line.heard', 'line.played', 'line.ended'],
    'it hangs up in the moment in which it would take a message',
  );
  t.is(line.all('line.answered_by')[0]?.by, 'machine');
});

test('wait_sec and noise_sec: time goes by and nothing is reported', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ wait_sec: 3 }, { noise_sec: 2.5 }, { hang_up: true }]);
  until(() => line.isOver());
  t.deepEqual(line.story(), ['line.ringing', 'line.answered', 'line.ended']);
  t.is((line.all('line.ended')[0]?.at ?? 0) - (line.all('line.answered')[0]?.at ?? 0), 5_520);
});

test('digits: keys are pressed one after the other', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ digits: '0#D' }]);
  until(() => line.all('line.digit').length === 3);
  const digits = line.all('line.digit');
  t.deepEqual(
    digits.map(({ digit, at }) => [digit, at - (digits[0]?.at ?? 0)]),
    [
      ['0', 0],
      ['#', 250],
      ['D', 500],
    ],
  );
});

test('await_digits: goes on when the agent has pressed these keys, each awaited once', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([
    { await_digits: '1' },
    { digits: 'A' },
    { await_digits: '1#' },
    { digits: 'B' },
    { hang_up: true },
  ]);
  until(() => line.saw('line.answered'));
  const pressed = (): string[] => line.all('line.digit').map(({ digit }) => digit);
  line.tell({ type: 'press', keys: '0w1' });
  until(() => pressed().length === 1);
  line.tell({ type: 'press', keys: '#' });
  line.tell({ type: 'press', keys: '1' });
  t.deepEqual(pressed(), ['A']);
  line.tell({ type: 'press', keys: '#' });
  until(() => line.isOver());
  t.deepEqual(pressed(), ['A', 'B']);
});

test('hang_up: at once, with what was said whole before it', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Not today.' }, { hang_up: true }, { say: 'Never said.' }]);
  until(() => line.isOver());
  clock.advance(10_000);
  t.deepEqual(line.story().slice(-3), ['line.speech', 'line.heard', 'line.ended']);
  t.is(line.all('line.ended')[0]?.by, 'counterparty');
  t.is(clock.pending(), 0);
});

test('answer_after_sec: the telephone rings for so long', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ answer_after_sec: 12 }, { say: 'Sorry for the wait.' }]);
  const waited = until(() => line.saw('line.answered'));
  t.is(waited, 12_000);
  t.is((line.all('line.answered')[0]?.at ?? 0) - (line.all('line.ringing')[0]?.at ?? 0), 11_900);
  until(() => line.saw('line.heard'));
});

test('answer_after_sec: 0 answers at once', (t) => {
  const { reachScript, until } = createNetwork();
  const line = reachScript([{ answer_after_sec: 0 }]);
  t.true(until(() => line.saw('line.answered')) <= 5);
  t.deepEqual(line.story(), ['line.ringing', 'line.answered']);
});

for (const [step, cause] of [
  [{ busy: true }, 'busy'],
  [{ decline: true }, 'declined'],
  [{ trunk_error: true }, 'trunk_error'],
] as const)
  test(`${Object.keys(step).join('')}: the call is not answered`, (t) => {
    const { reachScript, until } = createNetwork();
    const line = reachScript([step]);
    until(() => line.isOver());
    t.is(line.all('line.unanswered')[0]?.cause, cause);
  });

test('no_answer: it rings and rings', (t) => {
  const { clock, reachScript } = createNetwork();
  const line = reachScript([{ no_answer: true }]);
  clock.advance(600_000);
  t.deepEqual(line.story(), ['line.ringing']);
});

test('after its last step the party stays on the line in silence', (t) => {
  const { clock, reachScript, until } = createNetwork();
  const line = reachScript([{ say: 'Hello?' }], agentWith(clock, ['Hello.', reply, reply]));
  until(() => line.saw('line.heard'));
  clock.advance(600_000);
  t.is(line.all('line.heard').length, 1);
  t.false(line.isOver());
});
