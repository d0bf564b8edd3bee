import test from 'ava';
import { createMicrophoneFrames } from '#src/console/phone/microphone-frames.ts';
import { createPlayBuffer, type PlayBuffer } from '#src/console/phone/play-buffer.ts';

const quantum = 128;
const frame = (value: number): Int16Array => new Int16Array(320).fill(value);

/** What is heard in so many steps of the speaker. */
const hear = (buffer: PlayBuffer, steps: number): number[] =>
  Array.from({ length: steps }, () => {
    const into = new Float32Array(quantum).fill(9);
    buffer.take(into);
    return [...into];
  }).flat();

const sounding = (heard: readonly number[]): number => heard.filter((sample) => sample !== 0).length;

test('it begins when 60 ms are there, and plays every sample in its order', (t) => {
  const buffer = createPlayBuffer();
  buffer.add(frame(16_384));
  buffer.add(frame(16_384));
  t.is(sounding(hear(buffer, 1)), 0);
  buffer.add(frame(-16_384));
  const heard = hear(buffer, 10).filter((sample) => sample !== 0);
  t.deepEqual(heard, [...Array<number>(640).fill(0.5), ...Array<number>(320).fill(-0.5)]);
  t.is(buffer.played(), 960);
});

test('what is shorter than that waits for no more', (t) => {
  const buffer = createPlayBuffer();
  buffer.add(frame(100));
  t.is(sounding(hear(buffer, 7)), 0);
  t.is(sounding(hear(buffer, 4)), 320);
});

test('what is flushed is never heard, and counted; what was played before is, too', (t) => {
  const buffer = createPlayBuffer();
  for (let count = 0; count < 10; count += 1) buffer.add(frame(100));
  hear(buffer, 5);
  t.is(buffer.played(), 640);
  t.is(buffer.flush(), 2_560);
  t.is(sounding(hear(buffer, 5)), 0);
  t.is(buffer.played(), 640);
  t.is(buffer.flush(), 0);
});

test('right behind a flush it plays at once: the end of a voice that fades', (t) => {
  const buffer = createPlayBuffer();
  for (let count = 0; count < 5; count += 1) buffer.add(frame(100));
  hear(buffer, 2);
  buffer.flush();
  buffer.add(frame(100).subarray(0, 160));
  t.is(sounding(hear(buffer, 2)), 160);
});

test('when it has run dry for a while it gathers anew', (t) => {
  const buffer = createPlayBuffer();
  for (let count = 0; count < 3; count += 1) buffer.add(frame(100));
  hear(buffer, 20);
  buffer.add(frame(100));
  t.is(sounding(hear(buffer, 1)), 0);
});

test('the microphone gives frames of 20 ms, with what was played until then before them', (t) => {
  const frames: ArrayBuffer[] = [];
  let played = 7;
  const { add } = createMicrophoneFrames(
    () => played,
    (one) => frames.push(one),
  );
  add(new Float32Array(quantum).fill(1));
  add(new Float32Array(quantum).fill(-3));
  t.is(frames.length, 0);
  played = 70_000;
  add(new Float32Array(quantum).fill(0.5));
  const [first] = frames;
  t.is(first?.byteLength, 644);
  const view = new DataView(first ?? new ArrayBuffer(644));
  t.is(view.getUint32(0, true), 70_000);
  const samples = Array.from({ length: 320 }, (_, index) => view.getInt16(4 + 2 * index, true));
  t.deepEqual(samples, [
    ...Array<number>(128).fill(32_767),
    ...Array<number>(128).fill(-32_767),
    ...Array<number>(64).fill(16_384),
  ]);
});
