/** Answering machines: greetings, phrases and beeps. */
import test from 'ava';
import { answeringMachine as numbers, listening } from '#config/policy.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { createAnsweringMachine } from '#sip/audio/listening/answering-machine.ts';
import { behindScreening, isSaidByMachine, saidByMachine } from '#sip/audio/listening/answering-phrases.ts';
import { createBeepDetector } from '#sip/audio/listening/beep.ts';
import { loadResampler } from '#sip/audio/resampler.ts';
import { espeakNg } from '#src/speech/espeak-ng.ts';
import { announcements } from '#test/announcements/announcements.ts';
import { judgeAll, rate } from '#test/announcements/judge.ts';
import { texts } from '#test/announcements/texts.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { sayInTones } from '#test/real-sip/tone-speech.ts';
import { whereInstalled } from '#test/helpers/where-installed.ts';
import { onLine, silence, tone } from './audio/listening/line-sound.ts';

// The resampler is loaded before the first test, because AVA accepts only tests that are declared synchronously.
const resample = await loadResampler();

// Answering machine

const createAnsweringMachineWorld = (language = 'en') => {
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
    /** The other party's voice for this time; its words arrive shortly before the end of the voice. */
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

test('classifies a party that says one word and waits as a person', (t) => {
  const { voice, pass, story, isCurious, clock } = createAnsweringMachineWorld();
  pass(800);
  voice(700, 'Hello?');
  pass(numbers.quietMs - 1);
  t.deepEqual(story, []);
  pass(1);
  t.deepEqual(story, ['human']);
  t.false(isCurious());
  t.is(clock.pending(), 0);
});

test('classifies a longer greeting followed by silence as a person', (t) => {
  const { voice, pass, story } = createAnsweringMachineWorld();
  voice(900, 'Good morning,');
  pass(700);
  voice(2_400, 'Happy Dental, this is Karen, how may I help you?');
  pass(numbers.quietMs);
  t.deepEqual(story, ['human']);
});

test('does not classify a voice without words, however long it lasts', (t) => {
  const { voice, pass, story, clock } = createAnsweringMachineWorld();
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

test('keeps the result "unclear" after the decision time', (t) => {
  const { voice, pass, story, agentSpeaks, isCurious, clock } = createAnsweringMachineWorld();
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

test('counts words that arrive long after their voice from their arrival', (t) => {
  const { voice, pass, story, recognized } = createAnsweringMachineWorld();
  voice(700);
  pass(2_600);
  recognized('Hello?', true);
  t.deepEqual(story, []);
  pass(numbers.quietMs);
  t.deepEqual(story, ['human']);
});

test('classifies at once by phrases that only machines use, even in interim results', (t) => {
  const { voiceBegan, pass, story, recognized } = createAnsweringMachineWorld();
  voiceBegan();
  pass(900);
  recognized('Please leave', false);
  t.deepEqual(story, []);
  recognized('Please leave a message', false);
  t.deepEqual(story, ['machine']);
});

test('recognizes machine phrases spread over two sentences', (t) => {
  const { voice, story } = createAnsweringMachineWorld('ko');
  voice(1_500, '지금은 전화를 받을 수');
  voice(1_500, '없습니다.');
  t.deepEqual(story, ['machine']);
});

test('classifies a greeting that does not stop as a machine once it contains words', (t) => {
  const { voiceBegan, recognized, pass, story } = createAnsweringMachineWorld();
  voiceBegan();
  pass(numbers.greetingMs + 2_000);
  t.deepEqual(story, []);
  recognized('Welcome to the opening hours of', false);
  t.deepEqual(story, ['machine']);
});

test('ignores the length of a voice while the agent speaks', (t) => {
  const { voiceBegan, recognized, pass, story, agentSpeaks } = createAnsweringMachineWorld();
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

test("treats words during the agent's speech without a detected voice as its echo", (t) => {
  const { recognized, voiceBegan, pass, story, agentSpeaks } = createAnsweringMachineWorld();
  agentSpeaks(true);
  recognized('Shall I leave a message after the tone?', true);
  pass(numbers.quietMs);
  t.deepEqual(story, []);
  voiceBegan();
  recognized('Leave a message after the tone', false);
  t.deepEqual(story, ['machine']);
});

test('classifies a party as a machine at a beep after words', (t) => {
  const { voice, pass, story, beep } = createAnsweringMachineWorld();
  voice(2_000, 'This is Kim.');
  pass(500);
  beep();
  t.deepEqual(story, ['machine']);
  pass(numbers.afterBeepMs);
  t.deepEqual(story, ['machine', 'takes message']);
});

test('classifies by words recognized after the beep', (t) => {
  const { voice, pass, story, beep, recognized } = createAnsweringMachineWorld();
  voice(2_000);
  pass(500);
  beep();
  t.deepEqual(story, []);
  pass(900);
  recognized('This is Kim.', true);
  pass(numbers.afterBeepMs);
  t.deepEqual(story, ['machine', 'takes message']);
});

test('ignores a tone alone, after noise, or directly before or after a hello', (t) => {
  const alone = createAnsweringMachineWorld();
  alone.pass(500);
  alone.beep();
  alone.voice(2_000);
  alone.beep();
  alone.pass(30_000);
  t.deepEqual(alone.story, []);

  const before = createAnsweringMachineWorld();
  before.voice(2_000);
  before.beep();
  before.voice(700, 'Hello?');
  before.pass(numbers.quietMs);
  t.deepEqual(before.story, ['human']);

  const behind = createAnsweringMachineWorld();
  behind.voice(700, 'Hello?');
  behind.beep();
  behind.pass(numbers.quietMs);
  t.deepEqual(behind.story, ['human']);
});

test('reports that a machine takes a message after each beep', (t) => {
  const { voice, pass, story, beep, isCurious } = createAnsweringMachineWorld();
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

test('reports once that a machine takes a message if it falls silent without a beep', (t) => {
  const { voice, pass, story } = createAnsweringMachineWorld();
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

test('keeps the result "person", whatever is said or heard later', (t) => {
  const { voice, pass, story, beep } = createAnsweringMachineWorld();
  voice(700, 'Hello?');
  pass(numbers.quietMs);
  voice(2_000, 'Shall I leave a message after the tone?');
  beep();
  pass(30_000);
  t.deepEqual(story, ['human']);
});

const screenings: readonly [string, number, string][] = [
  [
    'en',
    7_000,
    'Hello, this phone answers with a screening assistant, please say your name and why you call, then stay on the line',
  ],
  ['en', 5_000, 'Hi, the person you are calling has asked me to screen calls'],
  ['ko', 7_000, '전화를 거신 분의 성함과 용건을 말씀해 주시면 연결해 드리겠습니다 잠시만 기다려 주세요'],
];

for (const [language, milliseconds, text] of screenings) {
  test(`classifies "${text.slice(0, 40)}…" in ${milliseconds} ms as call screening, which takes no message`, (t) => {
    const { voice, pass, story, isCurious } = createAnsweringMachineWorld(language);
    pass(500);
    voice(milliseconds, text);
    pass(30_000);
    t.deepEqual(story, ['screening']);
    t.true(isCurious());
  });

  test(`does not classify "${text.slice(0, 40)}…" as a machine before it ends`, (t) => {
    const { voiceBegan, recognized, story, pass } = createAnsweringMachineWorld(language);
    voiceBegan();
    for (let length = 1; length <= text.length; length += 1) {
      recognized(text.slice(0, length), false);
      pass(milliseconds / text.length);
    }
    t.deepEqual(story, ['screening']);
  });
}

test('classifies different words after call screening as a person', (t) => {
  const { voice, pass, story, heard, isCurious, clock } = createAnsweringMachineWorld();
  voice(4_000, "Hi, if you record your name and reason for calling, I'll see if this person is available.");
  heard("Hi, if you record your name and reason for calling, I'll see if this person is available.");
  pass(8_000);
  heard('Thanks. Please stay on the line.');
  pass(20_000);
  t.deepEqual(story, ['screening']);
  voice(700, 'Hello, this is Kim.');
  heard('Hello, this is Kim.');
  t.deepEqual(story, ['screening', 'human']);
  t.false(isCurious());
  pass(30_000);
  t.is(clock.pending(), 0);
});

test('classifies a voicemail after call screening as a machine that takes a message', (t) => {
  const { voice, pass, story, heard, beep } = createAnsweringMachineWorld();
  voice(4_000, "Please say your name and why you're calling.");
  pass(10_000);
  voice(3_000);
  heard('Kim is not available. Please leave a message after the tone.');
  beep();
  pass(numbers.afterBeepMs);
  t.deepEqual(story, ['screening', 'machine', 'takes message']);
});

test('does not classify by turns of a call that is not screened', (t) => {
  const { heard, pass, story } = createAnsweringMachineWorld();
  heard('Hello?');
  pass(30_000);
  t.deepEqual(story, []);
});

const receptionists: readonly [string, number, string][] = [
  [
    'en',
    6_500,
    'Thank you for calling Happy Dental on Main Street, this is Karen, we are open until six today',
  ],
  [
    'en',
    12_000,
    'Thank you for calling Happy Dental and Orthodontics, my name is Karen, how may I help you today?',
  ],
  ['ko', 12_000, '네 안녕하세요 언제나 행복을 드리는 행복한 치과 상담 실장입니다 무엇을 도와드릴까요'],
];

for (const [language, milliseconds, text] of receptionists)
  test(`classifies a receptionist who greets for ${milliseconds} ms as a person (${language})`, (t) => {
    const { voiceBegan, voiceEnded, recognized, pass, story } = createAnsweringMachineWorld(language);
    voiceBegan();
    pass(1_000);
    recognized(text, false);
    pass(milliseconds - 1_000);
    recognized(text, true);
    voiceEnded();
    pass(numbers.quietMs);
    t.deepEqual(story, ['human']);
  });

test('reports no classification after the end of the call', (t) => {
  const { voice, voiceBegan, pass, story, beep, recognized, stop, clock } = createAnsweringMachineWorld();
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

// Answering phrases

const machines: readonly [string, string][] = [
  ['ko', '지금은 전화를 받을 수 없습니다. 삐 소리가 난 후 메시지를 남겨 주세요.'],
  ['ko', '고객이 전화를 받지 않아 음성 사서함으로 연결됩니다.'],
  ['ko-KR', '연결이 되지 않아 삐 소리 후 소리샘으로 연결되며 통화료가 부과됩니다.'],
  ['ko', '고객님의 전원이 꺼져 있어'],
  ['ko', '지금 거신 번호는 없는 번호입니다. 다시 확인하시고 걸어 주시기 바랍니다.'],
  ['ko', '성함과 용건을 남겨주시면 연락드리겠습니다'],
  ['en', 'Please leave a message after the tone.'],
  ['en-US', "Hi, this is Kim. I can't take your call right now"],
  ['en', 'Hi, it’s Kim, I’m not available at the moment'],
  ['en', 'You have reached the voicemail box of'],
  ['en', 'Your call has been forwarded to an automated voice messaging system'],
  ['en', 'At the tone, please record your message'],
  ['en', 'The person you are trying to reach is not accepting calls'],
  ['en', 'leave your name and number, and we will get back to you'],
  ['ja', 'ただいま電話に出ることができません。'],
  ['ja', 'ピーという発信音の後に、お名前とご用件をお話しください。'],
  ['ja', '留守番電話サービスに接続します。'],
  ['ja', 'おかけになった電話は、電波の届かない場所にあるか、電源が入っていないため、かかりません。'],
];

const people: readonly [string, string][] = [
  ['ko', '여보세요?'],
  ['ko', '네, 안녕하세요. 행복한 치과입니다. 무엇을 도와드릴까요?'],
  ['ko', '네, 전화 바꿨습니다.'],
  ['ko', '지금 회의 중이라서요, 이따가 다시 전화 주세요.'],
  ['ko', '담당자가 자리에 없는데 메시지 남겨 드릴까요?'],
  ['ko', '잠시 후에 다시 연락 주세요.'],
  ['en', 'Hello?'],
  ['en', 'Good morning, Happy Dental, this is Karen, how may I help you?'],
  ['en', 'He is not here. Would you like to leave a message?'],
  ['en', 'Can I take a message?'],
  ['en', 'Hold on, I am on the other line.'],
  ['ja', 'もしもし。'],
  ['ja', 'はい、さくら歯科でございます。'],
  ['ja', '担当者はただいま席を外しております。'],
  ['en', 'Could you tell me your name and the reason for your call?'],
  ['ko', '실례지만 성함과 용건을 말씀해 주시겠어요?'],
  ['xx', 'Please leave a message after the tone.'],
  ['en', ''],
];

const screening: readonly [string, string][] = [
  ['en', "Hi. If you record your name and reason for calling, I'll see if this person is available."],
  [
    'en-US',
    "Hi, the person you're calling is using a screening service from Google, and will get a copy of this conversation.",
  ],
  ['en', "Go ahead and say your name and why you're calling."],
  ['en', 'Please state your name and the reason for calling.'],
  ['en', 'Please state your name after the tone, and Google Voice will try to connect you.'],
  ['ko', '이름과 전화하신 이유를 녹음하시면 통화 가능한지 확인해 보겠습니다.'],
  ['ko-KR', '성함과 용건을 말씀해 주세요.'],
  ['ko', '통화 스크리닝 중입니다.'],
  ['ja', 'お名前とご用件をお聞かせください。'],
  ['ja-JP', 'お名前と用件をおっしゃってください。電話に出られるか確認します。'],
];

for (const [language, text] of screening)
  test(`"${text}" (${language}) is a call screening phrase`, (t) => {
    t.is(saidByMachine(text, language), 'screening');
    t.false(isSaidByMachine(text, language));
  });

const menus: readonly [string, string][] = [
  ['en', 'Thank you for calling. For sales, press one. For support, press two.'],
  ['en-US', 'If you know your party’s extension, you may dial it at any time. To hear this again press 9.'],
  ['ko', '상담원 연결은 0번을 눌러 주세요.'],
  ['ko', '예약은 일번, 문의는 이번을 눌러 주십시오.'],
  ['ja', '予約の方は1を、お問い合わせは2を押してください。'],
];

for (const [language, text] of menus)
  test(`"${text}" (${language}) is a phrase of a voice menu`, (t) =>
    t.is(saidByMachine(text, language), 'menu'));

const behind: readonly [string, string, 'human' | 'machine' | 'menu' | null][] = [
  ['en', 'Thanks. Please stay on the line.', null],
  ['en', 'And will get a copy of this conversation.', null],
  ['en', 'Hello?', 'human'],
  ['en', 'Please leave a message after the beep.', 'machine'],
  ['ko', '감사합니다. 잠시만 기다려 주세요.', null],
  ['ko', '네, 여보세요.', 'human'],
  ['ko', '네, 전화 주셔서 감사합니다.', 'human'],
  ['en', 'For sales, press 1.', 'menu'],
  ['ja', '少々お待ちください。', null],
  ['ja', 'もしもし、田中です。', 'human'],
];

for (const [language, text, by] of behind)
  test(`attributes "${text}" (${language}) after call screening to ${by ?? 'the call screening'}`, (t) =>
    t.is(behindScreening(text, language), by));

const said = test.macro<[string, string, boolean]>({
  exec: (t, language, text, byMachine) => t.is(isSaidByMachine(text, language), byMachine),
  title: (_, language, text, byMachine) =>
    `"${text}" (${language}) is ${byMachine ? 'a machine phrase' : 'not a machine phrase'}`,
});

for (const [language, text] of machines) test(said, language, text, true);
for (const [language, text] of people) test(said, language, text, false);

// Beep

/** Times at which beeps were detected in this audio, in milliseconds. */
const beepsIn = (sound: Int16Array, piece = 160): number[] => {
  const found: number[] = [];
  let atMs = 0;
  const detector = createBeepDetector(listening.beep, () => found.push(atMs));
  for (let from = 0; from < sound.length; from += piece) {
    atMs = (from + piece) / 8;
    detector.write(sound.subarray(from, from + piece));
  }
  return found;
};

const around = (sound: Int16Array): Int16Array => onLine(silence(500), sound, silence(500));

test.serial('detects a beep at its end, at any pitch and length and in noise', (t) => {
  for (const pitch of [350, 400, 440, 620, 1_000, 1_400, 2_100])
    for (const milliseconds of [160, 400, 1_000, 1_900])
      for (const noise of [0, 600]) {
        const [at, ...others] = beepsIn(around(tone(milliseconds, [pitch], { noise })));
        t.deepEqual(others, [], `${pitch} Hz for ${milliseconds} ms`);
        const lateMs = (at ?? 0) - 500 - milliseconds;
        t.true(Math.abs(lateMs) <= 80, `${pitch} Hz for ${milliseconds} ms: ${lateMs} ms late`);
      }
});

test.serial('detects a quiet beep but not a barely audible one', (t) => {
  t.is(beepsIn(around(tone(500, [1_000], { loudness: 600 }))).length, 1);
  t.is(beepsIn(around(tone(500, [1_000], { loudness: 60 }))).length, 0);
});

test.serial('detects a beep in chunks of any size', (t) => {
  const sound = around(tone(500, [1_000]));
  for (const piece of [80, 100, 240, 1_600]) t.is(beepsIn(sound, piece).length, 1);
});

const none = test.macro<[string, () => Int16Array]>({
  exec: (t, _, sound) => t.deepEqual(beepsIn(around(sound())), []),
  title: (_, what) => `${what} is not a beep`,
});

test.serial(none, 'silence', () => silence(2_000));
test.serial(none, 'noise', () => tone(2_000, [0], { noise: 8_000 }));
test.serial(none, 'a click', () => tone(60, [1_000]));
test.serial(none, 'a continuous tone', () => tone(3_000, [1_000]));
test.serial(none, 'a fax tone', () => tone(3_000, [2_100]));
test.serial(none, 'a ringback tone', () => tone(1_000, [440, 480]));
test.serial(none, 'a busy tone', () => tone(500, [480, 620]));
test.serial(none, 'a dial tone', () => tone(1_500, [350, 440]));
for (const [row, low] of [697, 770, 852, 941].entries())
  for (const [column, high] of [1_209, 1_336, 1_477, 1_633].entries())
    test.serial(none, `the DTMF digit ${'123A456B789C*0#D'[4 * row + column]}`, () => tone(300, [low, high]));
test.serial(none, 'a fast melody', () => sayInTones('Hello, who is there?'));
test.serial(none, 'a siren', () =>
  Int16Array.from({ length: 16_000 }, (_, at) => 6_000 * Math.sin(at / 8 + at ** 2 / 2e4)),
);

const voices: readonly [string, string][] = [
  ['ko', '안녕하세요. 지금은 전화를 받을 수 없습니다. 음, 네. 오오, 우우.'],
  ['en', 'Hello? Ooh, mmm, who are you? We will call you back very soon.'],
  ['ja', 'もしもし。ううん、おおきな声でお話しください。'],
];

for (const [language, text] of voices)
  whereInstalled('espeak-ng')(`a voice is not a beep (${language})`, async (t) => {
    const { sampleRate, samples } = await espeakNg().synthesize(text, language);
    t.deepEqual(beepsIn(onLine(resample(samples, sampleRate, 8_000))), []);
  });

// Sentences and sixty announcements

test('classifies each recorded announcement by one sentence', (t) => {
  const judged = texts.flatMap(([language, by, sentences]) =>
    sentences.map((text) => ({ text, by, verdict: saidByMachine(text, language) ?? 'human' })),
  );
  t.deepEqual(
    judged.filter(({ by, verdict }) => verdict !== by),
    [],
  );
});

test('the set of announcements has twenty answers per language, with several of each kind', (t) => {
  const counts = Map.groupBy(announcements, ({ language, by }) => `${language} ${by}`);
  t.is(announcements.length, 60);
  t.is(counts.size, 12);
});

for (const { gives, agent } of [
  { gives: 'words', agent: 'speaks' },
  { gives: 'sentences', agent: 'waits' },
] as const)
  test(`classifies all announcements correctly and in time (agent ${agent}, recognizer of ${gives})`, async (t) => {
    const judged = await judgeAll({ gives, agent });
    const others = judged.filter((one) => rate(one) !== 'right');
    t.deepEqual(
      others.map((one) => ({ ...one.verdict, rating: rate(one), parts: one.announcement.parts })),
      [],
    );
    const beeped = judged.filter(
      ({ announcement }) => announcement.by === 'machine' && announcement.parts.includes('beep'),
    );
    t.true(beeped.length >= 10);
    for (const { verdict } of beeped) t.true(verdict.messageMs !== null && verdict.messageMs > 0);
  });
