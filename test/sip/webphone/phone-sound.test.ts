import test, { type ExecutionContext } from 'ava';
import { createPhoneSound, isSoundFrame } from '#sip/webphone/phone-sound.ts';
import { phoneSampleRate, soundLeadMs } from '#src/domain/web-phone.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { soundFrame } from './sounding-phone.ts';

const numbers = { burstMs: 1_000, stallMs: 10_000 };
const lead = (soundLeadMs * phoneSampleRate) / 1_000;
const second = phoneSampleRate;

const createWorld = async (t: ExecutionContext) => {
  const clock = createOrderedClock();
  const sound = createPhoneSound(numbers, clock);
  const seen = { sent: 0, longest: 0, flushes: 0, heard: 0, lost: 0, played: 0 };
  const speaker = {
    play(frame: Uint8Array): void {
      seen.sent += frame.length / 2;
      seen.longest = Math.max(seen.longest, frame.length);
    },
    flush: (): void => void (seen.flushes += 1),
  };
  sound.connectTo(speaker);
  const path = await sound.endpoint.connect(
    { onAudio: ({ length }) => (seen.heard += length), onLost: () => (seen.lost += 1) },
    16_000,
  );
  t.teardown(path.close);
  return { clock, sound, seen, speaker, path };
};

test('nothing is sent before the phone can play; then no more than it is to keep, in frames', async (t) => {
  const { sound, seen, path } = await createWorld(t);
  path.send(new Int16Array(second));
  path.whenPlayed(() => (seen.played += 1));
  t.is(seen.sent, 0);
  t.is(sound.hear(soundFrame(0)), undefined);
  t.deepEqual([seen.sent, seen.longest], [lead, 640]);
  sound.hear(soundFrame(320));
  t.is(seen.sent, lead + 320);
  t.is(path.waiting(), second - 320);
  for (let played = 640; played < second; played += 320) sound.hear(soundFrame(played));
  t.deepEqual([seen.sent, seen.played], [second, 0]);
  sound.hear(soundFrame(second));
  t.deepEqual([path.waiting(), seen.played], [0, 1]);
});

test('what was not played is taken back, here and at the phone, and the phone says how much that was', async (t) => {
  const { sound, seen, path } = await createWorld(t);
  path.send(new Int16Array(second));
  path.whenPlayed(() => (seen.played += 1));
  sound.hear(soundFrame(0));
  sound.hear(soundFrame(960));
  t.is(path.takeBack(), second - 960);
  t.is(seen.flushes, 1);
  t.is(path.waiting(), 0);
  const sent = lead + 960;
  // It has played on until it was told.
  t.is(sound.hear(soundFrame(1_280)), undefined);
  path.send(new Int16Array(second));
  t.is(seen.sent, sent + lead, 'what was taken back is in nobody’s way');
  t.is(sound.flushed(sent - 1_280), undefined);
  t.is(sound.flushed(1), 'invalid_sound', 'it cannot have thrown away more than there was');
  sound.hear(soundFrame(1_600));
  t.is(path.waiting(), second - 320);
  t.is(seen.played, 0, 'what was taken back is never played');
  t.is(path.takeBack(), second - 320);
  t.is(path.takeBack(), 0);
  t.is(seen.flushes, 2, 'a phone with nothing to play is not told');
});

test('a phone that counts what was never sent, or backwards, is told so', async (t) => {
  const { sound, seen, path } = await createWorld(t);
  t.is(sound.hear(soundFrame(1)), 'invalid_sound');
  path.send(new Int16Array(second));
  sound.hear(soundFrame(0));
  t.is(sound.hear(soundFrame(lead + 1)), 'invalid_sound');
  sound.hear(soundFrame(640));
  t.is(sound.hear(soundFrame(320)), 'invalid_sound');
  t.is(sound.hear(soundFrame(0xff_ff_ff_ff)), 'invalid_sound');
  t.is(seen.heard, 640, 'nothing of it is listened to');
  t.is(sound.flushed(1), 'invalid_sound', 'there was no flush');
});

test('a frame has one length', (t) => {
  t.true(isSoundFrame(soundFrame(0)));
  for (const length of [0, 1, 640, 643, 645, 16_384]) t.false(isSoundFrame(new Uint8Array(length)));
});

test('sound that comes faster than time goes by is not listened to, but for what a hiccup holds up', async (t) => {
  const { clock, sound, seen } = await createWorld(t);
  const verdicts = Array.from({ length: 60 }, () => sound.hear(soundFrame(0)));
  t.deepEqual(
    [verdicts.indexOf('too_much'), verdicts.filter((verdict) => verdict === 'too_much').length],
    [50, 10],
  );
  t.is(seen.heard, second);
  clock.advance(200);
  t.is(sound.hear(soundFrame(0)), undefined);
});

test('a phone from which nothing comes any more has lost its sound', async (t) => {
  const { clock, sound, seen, path } = await createWorld(t);
  clock.advance(9_000);
  sound.hear(soundFrame(0));
  clock.advance(9_000);
  t.is(seen.lost, 0);
  clock.advance(1_001);
  t.is(seen.lost, 1);
  path.close();
  clock.advance(60_000);
  t.is(seen.lost, 1);
});

test('on a new connection it goes on with what was not sent yet, when the phone can play again', async (t) => {
  const { sound, seen, speaker, path } = await createWorld(t);
  path.send(new Int16Array(second));
  sound.hear(soundFrame(0));
  sound.connectTo(null);
  t.is(path.waiting(), second - lead);
  sound.connectTo(speaker);
  t.is(seen.sent, lead);
  t.is(sound.hear(soundFrame(0)), undefined);
  t.is(seen.sent, 2 * lead);
});

test('samples keep their order of bytes, wherever a message lies in memory', async (t) => {
  const { sound, path } = await createWorld(t);
  const other = createPhoneSound(numbers, createOrderedClock());
  const heard: Int16Array[] = [];
  const opened = await other.endpoint.connect(
    { onAudio: (samples) => heard.push(samples), onLost: () => {} },
    16_000,
  );
  t.teardown(opened.close);
  const odd = new Uint8Array(645);
  odd.set(soundFrame(0, -2), 1);
  other.connectTo({ play: () => {}, flush: () => {} });
  other.hear(odd.subarray(1));
  other.hear(Buffer.from(odd.subarray(1)));
  other.hear(Buffer.from(odd).subarray(1));
  t.deepEqual(
    heard,
    Array.from({ length: 3 }, () => new Int16Array(320).fill(-2)),
  );
  const frames: number[][] = [];
  sound.connectTo({ play: (frame) => frames.push([...frame]), flush: () => {} });
  path.send(Int16Array.of(1, -2));
  sound.hear(soundFrame(0));
  t.deepEqual(frames, [[1, 0, 254, 255]]);
});
