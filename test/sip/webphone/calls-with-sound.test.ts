/** Calls at a web phone with a microphone and a speaker: carried, listened to and recorded as those of a real line. */
import test from 'ava';
import { listening } from '#config/policy.ts';
import type { MediaMeans } from '#sip/call-media.ts';
import type { RecognitionEvent, Recognizer } from '#sip/speech.ts';
import { loadResampler } from '#sip/resampler.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import { createTape } from '#test/sip/simulator/recording-network.ts';
import { scriptedInput } from '#test/sip/simulator/network.ts';
import { createPhoneNetwork } from './phone-network.ts';
import { createSoundingPhone, soundFrame } from './sounding-phone.ts';

const agentLevel = 8_000;
const personLevel = 5_000;
const perMs = 16;

/** Understands the same words of whatever is said to it. */
const hearing = 'Please wait a moment.';
const recognizer: Recognizer = {
  name: 'fake',
  open(_options, emit) {
    const tell = (event: RecognitionEvent): void => emit(event);
    return {
      write: () => {},
      speechBegan: () => tell({ type: 'partial', text: hearing }),
      speechEnded: () => tell({ type: 'final', text: hearing }),
      close: () => {},
    };
  },
};

const createWorld = async (recording = false) => {
  const tape = createTape();
  const means: MediaMeans = {
    // A second for each word.
    async *speak(text, rate) {
      for (const _ of text.split(' ')) yield new Int16Array(rate).fill(agentLevel);
    },
    hearing: {
      recognizer,
      openDetector: () => ({ isVoice: (frame) => frame.some((sample) => sample > 1_000), close: () => {} }),
      numbers: listening,
      resample: await loadResampler(),
      turnModel: null,
    },
    openRecording: recording ? () => tape : null,
  };
  const clock = createOrderedClock();
  const network = createPhoneNetwork(clock, () => means);
  const person = createSoundingPhone(clock, (act, play) => network.phone('phone-0001', 'here', act, play));
  const callId = crypto.randomUUID();
  const line: WatchedLine = openWatched(network.lines.open, scriptedInput({ callId, to: '01055551234' }));
  network.until(() => person.phone.all('ring').length === 1);
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const answer = async (): Promise<void> => {
    person.phone.send({ type: 'answer', call_id: callId, sound: true });
    network.until(() => line.saw('line.answered'));
    await settle();
  };
  /** Time goes by with this at the microphone; engines work meanwhile. */
  const pass = async (milliseconds: number, sample = 0): Promise<void> => {
    for (let passed = 0; passed < milliseconds; passed += 100) {
      await settle();
      person.pass(100, sample);
    }
  };
  return { ...network, ...person, connect: network.phone, tape, line, callId, answer, pass };
};

const soundingMs = (samples: readonly number[]): number =>
  samples.filter((sample) => Math.abs(sample) > 100).length / perMs;

test('that sound is offered is told first', async (t) => {
  const { phone } = await createWorld();
  t.deepEqual(phone.story(), ['sound_offered', 'ring']);
});

test('the agent is heard, to the sample, and what is said is understood and told', async (t) => {
  const { phone, line, heard, mostWaiting, answer, pass, callId } = await createWorld();
  await answer();
  t.like(phone.all('answered')[0], { call_id: callId, sound: true });
  line.say('One two.');
  await pass(3_000);
  t.is(heard.filter((sample) => sample === agentLevel).length, 32_000);
  t.true(mostWaiting() <= 400 * perMs);
  t.like(line.all('line.played')[0], { text: 'One two.', whole: true });
  t.like(phone.all('agent_says')[0], { utterance: 1, text: 'One two.' });
  await pass(1_000, personLevel);
  await pass(2_000);
  t.like(line.all('line.heard')[0], { text: hearing, backchannel: false });
  t.deepEqual(
    phone.all('you_said').map(({ text }) => text),
    [hearing],
  );
  t.deepEqual(line.breaches, []);
});

test('who speaks into the agent’s words silences it: what it had sent already is not heard', async (t) => {
  const { phone, line, heard, answer, pass } = await createWorld();
  await answer();
  line.say('One two three four five.');
  await pass(2_500);
  t.false(line.saw('line.speech'));
  await pass(1_000, personLevel);
  t.true(line.saw('line.speech'));
  line.tell({ type: 'stopTalking' });
  const before = soundingMs(heard);
  await pass(1_000);
  t.is(phone.all('sound_flush').length, 1);
  t.is(soundingMs(heard), before);
  const [played] = line.all('line.played');
  t.false(played?.whole);
  t.regex(played?.text ?? '', /^One two/);
  t.notRegex(played?.text ?? '', /four/);
  t.is(phone.all('agent_stops').length, 1);
  t.deepEqual(line.breaches, []);
});

test('typing goes on working, and interrupts as a voice does', async (t) => {
  const { phone, line, answer, pass } = await createWorld();
  await answer();
  line.say('One two three four five.');
  await pass(1_000);
  phone.send({ type: 'say', text: 'Excuse me, I have a question.' });
  await pass(3_000);
  t.true(line.saw('line.speech'));
  t.like(line.all('line.heard')[0], { text: 'Excuse me, I have a question.', backchannel: false });
  t.deepEqual(phone.all('you_said'), [], 'what was typed is known');
  phone.send({ type: 'digit', digit: '5' });
  await pass(100);
  t.is(line.all('line.digit')[0]?.digit, '5');
});

test('the recording has the sound of both', async (t) => {
  const { line, tape, answer, pass } = await createWorld(true);
  await answer();
  line.say('One two.');
  await pass(1_000);
  await pass(500, personLevel);
  await pass(1_500);
  line.tell({ type: 'hangUp' });
  await pass(500);
  t.is(tape.outcome, 'finished');
  t.is(tape.agent.filter((sample) => sample === agentLevel).length, 32_000);
  t.is(tape.counterparty.filter((sample) => sample === personLevel).length, 8_000);
});

test('a message that is no frame is answered with what is wrong, in a call and outside of one', async (t) => {
  const { phone, answer, pass } = await createWorld();
  const refusals = (): string[] => phone.all('refused').map(({ code }) => code);
  phone.sendBytes(new Uint8Array(3));
  t.deepEqual(refusals(), ['invalid_sound']);
  phone.sendBytes(soundFrame(0));
  t.is(refusals().length, 1, 'a call that has just ended may have had a frame on its way');
  await answer();
  await pass(100);
  phone.sendBytes(soundFrame(9_999_999));
  phone.send({ type: 'sound_flushed', samples: 5 });
  t.deepEqual(refusals(), ['invalid_sound', 'invalid_sound', 'invalid_sound']);
});

test('a phone that comes back to its call goes on hearing and speaking', async (t) => {
  const world = await createWorld();
  const { phone, line, answer, pass, clock } = world;
  await answer();
  line.say('One two three four five six.');
  await pass(1_000);
  phone.lose();
  clock.advance(1_000);
  const back = createSoundingPhone(clock, (act, play) => world.connect('phone-0001', 'here', act, play));
  t.deepEqual(back.phone.story().slice(0, 2), ['sound_offered', 'answered']);
  t.true(back.phone.all('answered')[0]?.sound);
  for (let passed = 0; passed < 8_000; passed += 100) {
    await new Promise((resolve) => setImmediate(resolve));
    back.pass(100);
  }
  const missing = 6 * 16_000 - soundingMs(back.heard) * perMs - soundingMs(world.heard) * perMs;
  t.true(missing >= 0 && missing <= 400 * perMs, `what was on its way is lost: ${missing}`);
  t.like(line.all('line.played')[0], { whole: true });
});

test('a phone whose sound stops coming loses it, and the call is told', async (t) => {
  const { line, answer, pass, clock } = await createWorld();
  await answer();
  await pass(100);
  clock.advance(25_000);
  t.true(line.saw('line.failed'));
});

test('where no sound is carried, who asks for it is told so, and types', async (t) => {
  const network = createPhoneNetwork();
  const callId = crypto.randomUUID();
  const phone = network.phone();
  const line = openWatched(network.lines.open, scriptedInput({ callId, to: '01055551234' }));
  network.until(() => phone.all('ring').length > 0);
  phone.send({ type: 'answer', call_id: callId, sound: true });
  network.until(() => line.saw('line.answered'));
  t.deepEqual(phone.story(), ['ring', 'refused', 'answered']);
  t.false(phone.all('answered')[0]?.sound);
  phone.send({ type: 'say', text: 'Hello there.' });
  network.until(() => line.saw('line.heard'));
});
