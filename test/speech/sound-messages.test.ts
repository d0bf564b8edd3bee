import test from 'ava';
import { createSoundMessages } from '#src/speech/sound-messages.ts';
import { numbered } from './doubles/heard-events.ts';

const start = (messageSamples: number) => {
  const messages: number[][] = [];
  const sound = createSoundMessages(messageSamples, (message) => void messages.push([...message]));
  return { sound, messages };
};

const range = (from: number, to: number): number[] => [...numbered(to - from, from)];

test('messages are full, in order, and without a gap, and the rest waits', (t) => {
  const { sound, messages } = start(100);
  sound.begin();
  sound.write(numbered(250).subarray(0, 30));
  t.deepEqual(messages, []);
  sound.write(numbered(250).subarray(30));
  t.deepEqual(messages, [range(0, 100), range(100, 200)]);
  t.is(sound.waiting(), 50);
  t.is(sound.sent(), 200);
});

test('before the beginning all waits, as it was given; then it goes first', (t) => {
  const { sound, messages } = start(100);
  sound.write(numbered(150));
  sound.write(numbered(100, 150));
  t.deepEqual([sound.waiting(), sound.sent(), messages.length], [250, 0, 0]);
  sound.begin();
  t.deepEqual(messages, [range(0, 100), range(100, 200)]);
  sound.write(numbered(50, 250));
  t.deepEqual(messages[2], range(200, 300));
  t.deepEqual([sound.waiting(), sound.sent()], [0, 300]);
});

test('what is given up is not sent and does not count as sent', (t) => {
  const { sound, messages } = start(100);
  sound.write(numbered(70));
  sound.clear();
  t.is(sound.waiting(), 0);
  sound.begin();
  sound.write(numbered(150));
  sound.clear();
  sound.write(numbered(100));
  t.deepEqual(messages, [range(0, 100), range(0, 100)]);
  t.is(sound.sent(), 200);
});

test('once it is sent, the caller may use its buffer again', (t) => {
  const { sound, messages } = start(4);
  sound.begin();
  const buffer = numbered(3);
  sound.write(buffer);
  buffer.set(numbered(3, 3));
  sound.write(buffer);
  t.deepEqual(messages, [range(0, 4)]);
  sound.write(numbered(2, 6));
  t.deepEqual(messages[1], range(4, 8));
});
