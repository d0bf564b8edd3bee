/** From the sender to the receiver of a call over a path that loses, delays, overtakes and repeats packets by a plan. */
import test from 'ava';
import { pcmu } from '#sip/media/g711.ts';
import { createReceiving } from '#sip/media/rtp/receiving.ts';
import { createSending, frameMs, frameSamples } from '#sip/media/rtp/sending.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import { levelOf } from '#sip/samples.ts';
import { count, countedFrames, countingSound, framesOf, type Counted } from '../counting-sound.ts';

/** When each packet arrives after it was sent, in milliseconds: never, once or several times. */
type Plan = (packet: number) => readonly number[];

const frames = 100;

/** What is heard at the other end. */
const heardOver = (plan: Plan): Int16Array => {
  const sound = countingSound(frames);
  let said = 0;
  const sending = createSending(
    { codec: pcmu, payloadType: 0, keysPayloadType: null },
    {
      read(frame) {
        frame.set(sound.subarray(said, (said += frameSamples)));
        return frameSamples;
      },
    },
  );
  const pieces: Int16Array[] = [];
  const receiving = createReceiving(
    { codecs: new Map([[0, pcmu]]), keysPayloadType: null },
    { onSound: (samples) => pieces.push(samples), onKey() {} },
  );
  const events: { at: number; happen: () => void }[] = [];
  for (let packet = 0; packet < frames; packet += 1) {
    const datagram = Buffer.from(sending.next());
    for (const delay of plan(packet)) {
      const at = packet * frameMs + delay;
      const happen = (): void => {
        const parsed = receiving.read(datagram);
        if (parsed !== undefined) receiving.take(parsed, at);
      };
      events.push({ at, happen });
    }
  }
  for (let at = 0; at < frames * frameMs + 1_000; at += frameMs)
    events.push({ at, happen: () => receiving.expire(at) });
  for (const { happen } of events.toSorted((one, other) => one.at - other.at)) happen();
  return joinSamples(pieces);
};

const all = Array.from({ length: frames }, (_, frame) => frame);

for (const [how, plan] of [
  ['as it is sent', () => [0]],
  ['half a second later', () => [500]],
  [
    'now and then overtaken by two, or twice',
    (packet) => (packet % 9 === 4 ? [45] : packet % 11 === 0 ? [0, 30] : [0]),
  ],
  ['with 60 ms of jitter', (packet) => [[0, 60, 20, 40, 10, 50, 30, 60][packet % 8] ?? 0]],
  ['in bursts of three', (packet) => [2 * frameMs - (packet % 3) * frameMs]],
] as const satisfies readonly (readonly [string, Plan])[])
  test(`what arrives ${how} is heard whole and in its order`, (t) => {
    t.true(frames <= countedFrames);
    t.deepEqual(count(heardOver(plan)), all);
  });

test('of 5 % that are lost each leaves 20 ms, filled with what was heard before, and all the others are heard', (t) => {
  const isLost = (packet: number): boolean => packet % 20 === 13;
  const heard = heardOver((packet) => (isLost(packet) ? [] : [0]));
  t.deepEqual(
    count(heard),
    all.map((frame): Counted => (isLost(frame) ? 'filled' : frame)),
  );
  const parts = framesOf(heard);
  for (const frame of all.filter(isLost)) {
    const [before, filled] = [parts[frame - 1], parts[frame]];
    if (before === undefined || filled === undefined) return t.fail();
    const change = levelOf(filled) - levelOf(before);
    t.true(change < 0 && change > -4, `frame ${frame}: ${change} dB`);
  }
  return t.pass();
});

test('several that are lost in a row grow quieter, and a long gap is no sound at all', (t) => {
  const heard = heardOver((packet) => (packet >= 50 && packet < 55 ? [] : [0]));
  const levels = framesOf(heard).slice(49, 55).map(levelOf);
  for (const [index, level] of levels.slice(1, 4).entries())
    t.true(level < (levels[index] ?? 0), levels.join());
  t.deepEqual(count(heard).slice(53, 56), ['silent', 'silent', 55]);
  const gap = heardOver((packet) => (packet >= 50 && packet < 70 ? [] : [0]));
  t.deepEqual(count(gap), [...all.slice(0, 50), ...all.slice(70)]);
});

test('what comes too late is not heard behind what came after it', (t) => {
  const heard = heardOver((packet) => (packet === 40 ? [150] : [0]));
  t.deepEqual(
    count(heard),
    all.map((frame): Counted => (frame === 40 ? 'filled' : frame)),
  );
});
