import test from 'ava';
import { agentWith, createNetwork } from './network.ts';

const question = 'Good afternoon, may I ask whether you are free tomorrow at three?';
const farewell = 'Thank you very much for your time, have a nice day, and goodbye.';

test('01000000001 answers after a second, answers each reply politely and leaves the farewell alone', (t) => {
  const { clock, reach, until } = createNetwork();
  const begin = clock.now();
  const agent = agentWith(clock, [question, question, question, farewell], (line) =>
    line.tell({ type: 'expectHangup' }),
  );
  const line = reach({ to: '01000000001' }, agent);
  until(() => line.saw('line.answered'));
  t.is(line.all('line.ringing')[0]?.at, begin + 100);
  t.is(line.all('line.answered')[0]?.at, begin + 1_000);

  until(() => line.all('line.played').length === 4);
  const played = line.all('line.played');
  const heard = line.all('line.heard');
  t.true(played.every(({ whole }) => whole));
  t.is(heard.length, 3);
  t.is(new Set(heard.map(({ text }) => text)).size, 3, 'its sentences vary');
  for (const [index, { startedAt }] of heard.entries())
    t.is(startedAt - (played[index]?.at ?? 0), 800, 'a polite pause before each');

  clock.advance(20_000);
  t.is(line.all('line.heard').length, 3, 'it says nothing into or after the farewell');
  line.tell({ type: 'hangUp' });
  clock.advance(1_000);
  t.is(line.all('line.ended')[0]?.by, 'gateway');
  t.deepEqual(line.finish(), []);
});

for (const [language, form] of [
  ['ko', /\p{Script=Hangul}/u],
  ['ja-JP', /\p{Script=Hiragana}/u],
  ['en-GB', /[a-z]/u],
  ['fr', /[a-z]/u],
] as const)
  test(`the people speak the language of the call: ${language}`, (t) => {
    const { clock, reach, until } = createNetwork();
    const line = reach({ to: '01000000001', language }, agentWith(clock, [question]));
    until(() => line.saw('line.heard'));
    t.regex(line.all('line.heard')[0]?.text ?? '', form);
  });

test('01000000002 rings and never answers', (t) => {
  const { clock, reach } = createNetwork();
  const line = reach({ to: '01000000002' });
  clock.advance(3_600_000);
  t.deepEqual(line.story(), ['line.ringing']);
  line.close();
  t.is(clock.pending(), 0);
});

for (const [number, cause] of [
  ['01000000003', 'busy'],
  ['01000000004', 'declined'],
  ['01000000009', 'trunk_error'],
] as const)
  test(`${number} is not answered: ${cause}`, (t) => {
    const { clock, reach } = createNetwork();
    const line = reach({ to: number });
    clock.advance(5_000);
    t.is(line.all('line.unanswered')[0]?.cause, cause);
    t.is(line.saw('line.ringing'), cause === 'declined', 'only a telephone that is free rings');
    t.deepEqual(line.finish(), []);
    t.is(clock.pending(), 0);
  });

for (const moment of ['with', 'well before', 'in the middle of'] as const)
  test(`01000000005 speaks once into the first farewell, expected ${moment} it`, (t) => {
    const { clock, reach, until } = createNetwork();
    const line = reach({ to: '01000000005' }, (event, it) => {
      if (event.type === 'line.speech') it.tell({ type: 'stopTalking' });
    });
    until(() => line.saw('line.answered'));
    line.say(question);
    until(() => line.saw('line.heard'));

    if (moment === 'well before') {
      line.tell({ type: 'expectHangup' });
      clock.advance(4_000);
    }
    line.say(farewell);
    const begin = clock.now();
    if (moment === 'with') line.tell({ type: 'expectHangup' });
    if (moment === 'in the middle of') {
      clock.advance(2_000);
      line.tell({ type: 'expectHangup' });
    }
    until(() => line.all('line.speech').length === 2);
    const waited = clock.now() - begin;
    t.true(moment === 'in the middle of' ? waited <= 2_210 : waited >= 895 && waited <= 910, `${waited}`);
    until(() => line.all('line.heard').length === 2);
    t.false(line.all('line.played')[1]?.whole ?? true);

    line.say('Of course, here is the answer to your question.');
    until(() => line.all('line.heard').length === 3);
    line.say(farewell);
    line.tell({ type: 'expectHangup' });
    until(() => line.all('line.played').length === 4);
    t.true(line.all('line.played')[3]?.whole ?? false, 'the second farewell is left alone');
    clock.advance(10_000);
    t.is(line.all('line.heard').length, 3);
  });

test('01000000005 breaks into a farewell that is very short', (t) => {
  const { reach, until } = createNetwork();
  const line = reach({ to: '01000000005' });
  until(() => line.saw('line.answered'));
  line.say('Goodbye!');
  line.tell({ type: 'expectHangup' });
  until(() => line.saw('line.speech'));
  t.false(line.saw('line.played'), 'the farewell still sounds');
});

test('01000000006 answers and stays silent', (t) => {
  const { clock, reach, until } = createNetwork();
  const line = reach({ to: '01000000006' }, agentWith(clock, [question]));
  until(() => line.saw('line.played'));
  clock.advance(600_000);
  t.deepEqual(line.story(), ['line.ringing', 'line.answered', 'line.played']);
});

test('01000000007 says one sentence and hangs up', (t) => {
  const { clock, reach, until } = createNetwork();
  const line = reach({ to: '01000000007' }, agentWith(clock, [question]));
  until(() => line.isOver());
  t.is(line.all('line.heard').length, 1);
  t.is(line.all('line.ended')[0]?.by, 'counterparty');
  t.true(line.all('line.played')[0]?.whole ?? false, 'it lets the agent finish first');
  t.deepEqual(line.finish(), []);
  t.is(clock.pending(), 0);
});

test('01000000008 interrupts every reply once', (t) => {
  const { clock, reach, until } = createNetwork();
  const line = reach({ to: '01000000008' }, agentWith(clock, [question, question, question]));
  until(() => line.all('line.heard').length === 3);
  clock.advance(10_000);
  t.deepEqual(
    line.all('line.played').map(({ whole }) => whole),
    [false, false, false],
  );
  t.is(line.all('line.heard').length, 3);
  t.true(line.all('line.played').every(({ text }) => text.length > 0 && text.length < question.length));
});

test('01000000008 interrupts a farewell, and lets it through when it is said again', (t) => {
  const { reach, until } = createNetwork();
  const line = reach({ to: '01000000008' }, (event, it) => {
    if (event.type === 'line.speech') it.tell({ type: 'stopTalking' });
  });
  until(() => line.saw('line.answered'));
  const talk = (text: string, isFarewell: boolean): void => {
    line.say(text);
    if (isFarewell) line.tell({ type: 'expectHangup' });
  };
  talk(farewell, true);
  until(() => line.all('line.heard').length === 1);
  talk(question, false);
  until(() => line.all('line.heard').length === 2);
  talk(farewell, true);
  until(() => line.all('line.played').length === 3);
  t.deepEqual(
    line.all('line.played').map(({ whole }) => whole),
    [false, false, true],
  );
});

test('a number that nobody has rings until the line is closed', (t) => {
  const { clock, reach } = createNetwork();
  const line = reach({ to: '0299998888' });
  clock.advance(600_000);
  t.deepEqual(line.story(), ['line.ringing']);
  line.close();
  t.is(clock.pending(), 0);
});
