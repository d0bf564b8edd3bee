/** The counting tone of `npm run bench:sip -- standing-soak`, and what its listener counts. */
import test from 'ava';
import { toMuLaw } from '#test/real-sip/mu-law.ts';
import {
  countingPart,
  createCountingListener,
  frameLength,
  nothingCounted,
  partFrames,
  parts,
  type Counted,
} from '../../bench/sip/counting-tone.ts';

const silence = new Uint8Array(frameLength).fill(0xff);

/** Packets of the first parts with this phase: the packets begin so many samples before the frames. */
const packetsOf = (phase = 0): Uint8Array[] => {
  const bytes = [silence.subarray(0, phase), ...[0, 1].map((part) => toMuLaw(countingPart(part)))];
  const sound = Buffer.concat(bytes);
  return Array.from({ length: Math.ceil(sound.length / frameLength) }, (_, index) =>
    sound.subarray(index * frameLength, (index + 1) * frameLength),
  );
};

const heard = (packets: readonly Uint8Array[]): Counted => {
  const listener = createCountingListener();
  for (const packet of packets) listener.take(packet);
  return listener.counted();
};

const all = 2 * partFrames;

for (const phase of [0, 60])
  test(`a counting tone that arrives whole is whole, with packets ${phase} samples before the frames`, (t) => {
    t.deepEqual(heard(packetsOf(phase)), { ...nothingCounted(), whole: all });
  });

test('a packet that is missing, doubled or late is counted', (t) => {
  const packets = packetsOf();
  const [one = silence, other = silence] = packets.slice(100, 102);
  t.deepEqual(heard(packets.toSpliced(100, 1)), { ...nothingCounted(), whole: all - 1, missing: 1 });
  t.deepEqual(heard(packets.toSpliced(100, 0, one)), { ...nothingCounted(), whole: all, doubled: 1 });
  t.deepEqual(heard(packets.toSpliced(100, 2, other, one)), {
    ...nothingCounted(),
    whole: all - 1,
    late: 1,
  });
});

test('a missing packet between two frames makes both of them faulty', (t) => {
  const { whole, missing, altered } = heard(packetsOf(60).toSpliced(100, 1));
  t.deepEqual({ whole, missing, altered }, { whole: all - 2, missing: 1, altered: 1 });
});

test('one other sample alters a frame', (t) => {
  const packets = packetsOf();
  const packet = Uint8Array.from(packets[100] ?? silence);
  packet[80] = (packet[80] ?? 0) ^ 1;
  t.deepEqual(heard(packets.with(100, packet)), { ...nothingCounted(), whole: all - 1, altered: 1 });
});

test('silence is a fault within a part and none between two', (t) => {
  const packets = packetsOf();
  t.deepEqual(heard(packets.toSpliced(partFrames, 0, silence, silence)), {
    ...nothingCounted(),
    whole: all,
  });
  t.deepEqual(heard(packets.toSpliced(partFrames, 1, silence, silence)), {
    ...nothingCounted(),
    whole: all - 1,
    missing: 1,
  });
  t.deepEqual(heard(packets.toSpliced(100, 0, silence, silence)), {
    ...nothingCounted(),
    whole: all,
    silent: 2,
  });
});

test('a part that is missing whole is counted, and the first part follows the last', (t) => {
  const listener = createCountingListener();
  for (let part = 0; part <= parts; part += 1) if (part !== 7) listener.take(toMuLaw(countingPart(part)));
  t.is(listener.begun(), parts + 1);
  t.deepEqual(listener.counted(), {
    ...nothingCounted(),
    whole: parts * partFrames,
    missing: partFrames,
  });
});
