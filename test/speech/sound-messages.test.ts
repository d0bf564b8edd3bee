import test from 'ava';
import { createSoundMessages } from '#src/speech/sound-messages.ts';
import { numbered } from './doubles/heard-events.ts';

test('messages are full, in order, and without a gap, and the rest waits', (t) => {
  const sound = createSoundMessages(100);
  sound.write(numbered(250).subarray(0, 30));
  t.deepEqual(sound.take(), []);
  sound.write(numbered(250).subarray(30));
  t.deepEqual(sound.take(), [numbered(250).subarray(0, 100), numbered(250).subarray(100, 200)]);
  t.is(sound.waiting(), 50);
  t.is(sound.taken(), 200);
});

test('what is given up is not sent and does not count as taken', (t) => {
  const sound = createSoundMessages(100);
  sound.write(numbered(150));
  sound.take();
  sound.clear();
  t.is(sound.waiting(), 0);
  sound.write(numbered(100));
  t.deepEqual(sound.take(), [numbered(100)]);
  t.is(sound.taken(), 200);
});

test('the caller may use its buffer again, and a message stays as it was', (t) => {
  const sound = createSoundMessages(4);
  const buffer = numbered(3);
  sound.write(buffer);
  buffer.set(numbered(3, 3));
  sound.write(buffer);
  const [first] = sound.take();
  sound.write(numbered(6, 6));
  t.deepEqual(first, numbered(4));
  t.deepEqual(sound.take(), [numbered(4, 4), numbered(4, 8)]);
});
