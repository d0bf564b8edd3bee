import test from 'ava';
import { pino } from 'pino';
import { listening } from '#config/policy.ts';
import { createLineTime } from '#sip/line-time.ts';
import { createListener } from '#sip/listening/listener.ts';
import { loadVoiceDetector } from '#sip/listening/voice-detector.ts';
import { loadResampler } from '#sip/resampler.ts';
import type { SampleRate } from '#sip/samples.ts';
import type { RecognitionEvent } from '#sip/speech.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { stopping } from '#test/helpers/usual-barge-in.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { sayInTones } from '#test/real-sip/tone-speech.ts';
import { tone } from './line-sound.ts';

const openDetector = await loadVoiceDetector();
const resample = await loadResampler();

const createWorld = ({
  isOutbound = true,
  sampleRate = 8_000,
}: { isOutbound?: boolean; sampleRate?: SampleRate } = {}) => {
  const clock = createOrderedClock();
  const story: unknown[] = [];
  const logged: string[] = [];
  let written = 0;
  let emit: (event: RecognitionEvent) => void = () => {};
  const listener = createListener({
    recognizer: {
      name: 'recorder',
      open({ language, sampleRate }, to) {
        emit = to;
        story.push(`open ${language} ${sampleRate}`);
        return {
          write: ({ length }) => (written += length),
          speechBegan: () => story.push('began'),
          speechEnded: () => story.push('ended'),
          close: () => story.push('close'),
        };
      },
    },
    openDetector,
    numbers: listening,
    sampleRate,
    resample,
    language: 'en',
    time: createLineTime(clock, 1),
    agentDb: () => null,
    isOutbound,
    bargeIn: stopping,
    turnEnd: byPauses,
    turnModel: null,
    on: {
      onset: () => story.push('onset'),
      noSpeech: () => story.push('no speech'),
      speech: () => story.push('speech'),
      heard: ({ text }) => story.push(text),
      answeredBy: (by) => story.push(by),
      takesMessage: () => story.push('takes message'),
    },
    logger: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
  });
  return {
    clock,
    story,
    logged,
    listener,
    emit: (event: RecognitionEvent) => emit(event),
    written: () => written,
    play(samples: Int16Array) {
      for (let from = 0; from < samples.length; from += 160) {
        clock.advance(20);
        listener.write(samples.subarray(from, from + 160));
      }
    },
  };
};

const silence = new Int16Array(8_000);
const voice = sayInTones('Hello');

test('the recognizer gets every sample and is told where somebody speaks', (t) => {
  const { play, story, written, emit, listener, clock } = createWorld();
  play(silence);
  t.deepEqual(story, ['open en 8000']);
  play(voice);
  t.deepEqual(story.slice(1), ['began']);
  emit({ type: 'final', text: 'Hello.' });
  play(silence);
  t.deepEqual(story.slice(2), ['speech', 'ended', 'Hello.']);
  t.is(written(), 16_000 + voice.length);
  listener.stop();
  listener.stop();
  t.deepEqual(story.slice(5), ['close']);
  play(silence);
  emit({ type: 'final', text: 'Too late.' });
  t.is(written(), 16_000 + voice.length);
  t.is(story.length, 6);
  t.is(clock.pending(), 0);
});

test('another language is heard from the next sentence on', (t) => {
  const { play, story, emit, listener } = createWorld();
  listener.changeLanguage('en');
  listener.changeLanguage('ja');
  t.deepEqual(story, ['open en 8000', 'close', 'open ja 8000']);
  play(silence);
  play(voice);
  listener.changeLanguage('ko');
  emit({ type: 'final', text: 'はい。' });
  t.deepEqual(story.slice(3), ['began', 'speech']);
  play(silence);
  t.deepEqual(story.slice(5), ['ended', 'はい。', 'close', 'open ko 8000']);
  play(voice);
  listener.changeLanguage('en');
  listener.stop();
  t.deepEqual(story.slice(9), ['began', 'close'], 'nothing is opened any more');
});

test('sound that stops coming is silence', (t) => {
  const { play, story, emit, clock } = createWorld();
  play(silence);
  play(voice);
  emit({ type: 'final', text: 'Hello.' });
  clock.advance(2_000);
  t.deepEqual(story.slice(1), ['began', 'speech', 'ended', 'Hello.']);
  clock.advance(2_000);
  t.deepEqual(story.slice(5), ['human']);
  t.is(clock.pending(), 0);
});

test('a recognizer that fails has said what it has said, and nothing more is heard', (t) => {
  const { play, story, emit, logged, clock } = createWorld();
  play(silence);
  play(voice);
  emit({ type: 'final', text: 'Hello.' });
  emit({ type: 'failed', error: new Error('The engine is gone') });
  emit({ type: 'final', text: 'Too late.' });
  play(voice);
  t.deepEqual(story.slice(1), ['began', 'speech', 'Hello.', 'close']);
  t.is(logged.length, 1);
  t.regex(logged[0] ?? '', /recorder/);
  t.notRegex(logged[0] ?? '', /Hello/);
  t.is(clock.pending(), 0);
});

test('a machine is told by its words and its beep, of a call out alone', (t) => {
  const greeting = sayInTones('This is Kim, and I am out.');
  for (const isOutbound of [true, false]) {
    const { play, story, emit, listener, clock } = createWorld({ isOutbound });
    play(silence);
    play(greeting);
    emit({ type: 'final', text: 'This is Kim, and I am out.' });
    play(silence.subarray(0, 2_400));
    play(tone(500, [1_000]));
    play(silence);
    t.deepEqual(
      story.filter((told) => told === 'machine' || told === 'takes message'),
      isOutbound ? ['machine', 'takes message'] : [],
    );
    listener.stop();
    t.is(clock.pending(), 0);
  }
});
