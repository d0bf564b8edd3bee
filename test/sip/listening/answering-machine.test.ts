import test from 'ava';
import { answeringMachine as numbers } from '#config/policy.ts';
import { createLineTime } from '#sip/line-time.ts';
import { createAnsweringMachine } from '#sip/listening/answering-machine.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const createWorld = (language = 'en') => {
  const clock = createOrderedClock();
  const story: string[] = [];
  let agent = false;
  const answerer = createAnsweringMachine({
    numbers,
    language,
    time: createLineTime(clock, 1),
    isAgentAudible: () => agent,
    on: { answeredBy: (by) => story.push(by), takesMessage: () => story.push('takes message') },
  });
  return {
    ...answerer,
    clock,
    story,
    pass: clock.advance,
    /** The other party's voice, for so long; its words come a moment before it ends. */
    voice(milliseconds: number, words = ''): void {
      answerer.voiceBegan();
      clock.advance(milliseconds);
      if (words !== '') answerer.recognized(words, true);
      answerer.voiceEnded();
    },
    agentSpeaks(isAudible: boolean): void {
      agent = isAudible;
    },
  };
};

test('who says a word and waits is a person', (t) => {
  const { voice, pass, story, isCurious, clock } = createWorld();
  pass(800);
  voice(700, 'Hello?');
  pass(numbers.quietMs - 1);
  t.deepEqual(story, []);
  pass(1);
  t.deepEqual(story, ['human']);
  t.false(isCurious());
  t.is(clock.pending(), 0);
});

test('a person who says more at once is one, too', (t) => {
  const { voice, pass, story } = createWorld();
  voice(900, 'Good morning,');
  pass(700);
  voice(2_400, 'Happy Dental, this is Karen, how may I help you?');
  pass(numbers.quietMs);
  t.deepEqual(story, ['human']);
});

test('a voice without words is nobody, however long it takes', (t) => {
  const { voice, pass, story, clock } = createWorld();
  for (let times = 0; times < 20; times += 1) {
    voice(900);
    pass(2_600);
  }
  pass(30_000);
  t.deepEqual(story, []);
  t.is(clock.pending(), 0);
  voice(700, 'Hello?');
  pass(numbers.quietMs);
  t.deepEqual(story, ['human']);
});

test('what is not clear after a while stays so', (t) => {
  const { voice, pass, story, agentSpeaks, isCurious, clock } = createWorld();
  agentSpeaks(true);
  for (let times = 0; times < 16; times += 1) {
    voice(1_000, 'And so on.');
    pass(1_000);
  }
  t.false(isCurious());
  voice(2_000, 'Please leave a message after the tone.');
  pass(numbers.quietMs);
  t.deepEqual(story, []);
  t.is(clock.pending(), 0);
});

test('words that come long after their voice count from when they come', (t) => {
  const { voice, pass, story, recognized } = createWorld();
  voice(700);
  pass(2_600);
  recognized('Hello?', true);
  t.deepEqual(story, []);
  pass(numbers.quietMs);
  t.deepEqual(story, ['human']);
});

test('what only machines say tells at once, also in words that are not final', (t) => {
  const { voiceBegan, pass, story, recognized } = createWorld();
  voiceBegan();
  pass(900);
  recognized('Please leave', false);
  t.deepEqual(story, []);
  recognized('Please leave a message', false);
  t.deepEqual(story, ['machine']);
});

test('what machines say may come in two sentences', (t) => {
  const { voice, story } = createWorld('ko');
  voice(1_500, '지금은 전화를 받을 수');
  voice(1_500, '없습니다.');
  t.deepEqual(story, ['machine']);
});

test('a greeting that goes on and on is a machine, once there are words in it', (t) => {
  const { voiceBegan, recognized, pass, story } = createWorld();
  voiceBegan();
  pass(numbers.greetingMs + 2_000);
  t.deepEqual(story, []);
  recognized('Welcome to the opening hours of', false);
  t.deepEqual(story, ['machine']);
});

test('over the voice of the agent a long voice tells nothing', (t) => {
  const { voiceBegan, recognized, pass, story, agentSpeaks } = createWorld();
  agentSpeaks(true);
  voiceBegan();
  recognized('So I said to him that', false);
  pass(numbers.greetingMs + 2_000);
  agentSpeaks(false);
  pass(numbers.greetingMs - 1_000);
  t.deepEqual(story, []);
  pass(2_000);
  t.deepEqual(story, ['machine']);
});

test('words over the voice of the agent without a voice are its own', (t) => {
  const { recognized, voiceBegan, pass, story, agentSpeaks } = createWorld();
  agentSpeaks(true);
  recognized('Shall I leave a message after the tone?', true);
  pass(numbers.quietMs);
  t.deepEqual(story, []);
  voiceBegan();
  recognized('Leave a message after the tone', false);
  t.deepEqual(story, ['machine']);
});

test('a tone behind words is a beep, and a machine', (t) => {
  const { voice, pass, story, beep } = createWorld();
  voice(2_000, 'This is Kim.');
  pass(500);
  beep();
  t.deepEqual(story, ['machine']);
  pass(numbers.afterBeepMs);
  t.deepEqual(story, ['machine', 'takes message']);
});

test('words that become known only behind the beep tell as well', (t) => {
  const { voice, pass, story, beep, recognized } = createWorld();
  voice(2_000);
  pass(500);
  beep();
  t.deepEqual(story, []);
  pass(900);
  recognized('This is Kim.', true);
  pass(numbers.afterBeepMs);
  t.deepEqual(story, ['machine', 'takes message']);
});

test('a tone by itself, behind noise, or before or right behind a hello is no beep', (t) => {
  const alone = createWorld();
  alone.pass(500);
  alone.beep();
  alone.voice(2_000);
  alone.beep();
  alone.pass(30_000);
  t.deepEqual(alone.story, []);

  const before = createWorld();
  before.voice(2_000);
  before.beep();
  before.voice(700, 'Hello?');
  before.pass(numbers.quietMs);
  t.deepEqual(before.story, ['human']);

  const behind = createWorld();
  behind.voice(700, 'Hello?');
  behind.beep();
  behind.pass(numbers.quietMs);
  t.deepEqual(behind.story, ['human']);
});

test('a machine takes a message after each beep', (t) => {
  const { voice, pass, story, beep, isCurious } = createWorld();
  voice(2_000, 'Please leave a message.');
  pass(1_000);
  beep();
  voice(200);
  pass(20_000);
  beep();
  pass(100);
  beep();
  pass(20_000);
  t.deepEqual(story, ['machine', 'takes message', 'takes message'], 'a double beep is one');
  t.true(isCurious());
});

test('a machine that falls silent without a beep takes a message, once', (t) => {
  const { voice, pass, story } = createWorld();
  voice(2_000, 'Please leave a message.');
  pass(numbers.silentMs - 500);
  voice(1_000, 'Thank you.');
  pass(numbers.silentMs - 1);
  t.deepEqual(story, ['machine']);
  pass(1);
  voice(500);
  pass(60_000);
  t.deepEqual(story, ['machine', 'takes message']);
});

test('a person stays one, whatever is said and heard later', (t) => {
  const { voice, pass, story, beep } = createWorld();
  voice(700, 'Hello?');
  pass(numbers.quietMs);
  voice(2_000, 'Shall I leave a message after the tone?');
  beep();
  pass(30_000);
  t.deepEqual(story, ['human']);
});

test('when the call is over nothing is said any more', (t) => {
  const { voice, voiceBegan, pass, story, beep, recognized, stop, clock } = createWorld();
  voice(700, 'Hello?');
  stop();
  stop();
  voiceBegan();
  recognized('Please leave a message.', true);
  beep();
  voice(10);
  pass(60_000);
  t.deepEqual(story, []);
  t.is(clock.pending(), 0);
});
