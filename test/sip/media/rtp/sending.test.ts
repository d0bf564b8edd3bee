import test from 'ava';
import { pcma, pcmu } from '#sip/media/g711.ts';
import { parseRtp } from '#sip/media/rtp/rtp-packet.ts';
import { createSending, frameSamples } from '#sip/media/rtp/sending.ts';
import { createKeyReader } from '#sip/media/rtp/telephone-event.ts';
import { ringMemory, SampleRing } from '#sip/media/sample-ring.ts';

const format = { codec: pcmu, payloadType: 0, keysPayloadType: 101 };

const setUp = (
  given: Partial<Omit<typeof format, 'keysPayloadType'>> & { keysPayloadType?: number | null } = {},
) => {
  const ring = new SampleRing(ringMemory(1_024));
  const sending = createSending({ ...format, ...given }, ring);
  const next = () => {
    const packet = parseRtp(Buffer.from(sending.next()));
    if (packet === undefined) throw new Error('No RTP was sent');
    return packet;
  };
  return { ring, sending, next };
};

test('each packet follows the one before by one number and 160 samples', (t) => {
  const { next } = setUp();
  const [first, second, third] = [next(), next(), next()];
  t.is((second.sequence - first.sequence) & 0xffff, 1);
  t.is((third.timestamp - second.timestamp) >>> 0, frameSamples);
  t.is(new Set([first.ssrc, second.ssrc, third.ssrc]).size, 1);
  t.deepEqual([first.marker, second.marker, third.marker], [true, false, false]);
});

test('whoever goes on with a call begins ahead of the packets before, also after half an hour', (t) => {
  const ring = new SampleRing(ringMemory(1_024));
  for (const begun of [1_795_403_200_000, 1_795_403_200_000 + 16 * 65_530])
    for (const seconds of [1, 60, 1_800]) {
      const before = parseRtp(createSending(format, ring, begun).next());
      const after = parseRtp(createSending(format, ring, begun + 1_000 * seconds).next());
      if (before === undefined || after === undefined) throw new Error('No RTP was sent');
      const last = before.sequence + 50 * seconds;
      const ahead = (after.sequence - last) & 0xffff;
      t.true(ahead > 0 && ahead < 0x8000, `${ahead} ahead after ${seconds} s`);
    }
});

test('what is to be said goes out, then silence', (t) => {
  const { ring, next } = setUp();
  ring.write(new Int16Array(200).fill(7_932));
  const decoded = [next(), next(), next()].map(({ payload }) => Array.from(pcmu.decode(payload)));
  t.deepEqual(
    decoded[0],
    Array.from({ length: 160 }, () => 7_932),
  );
  t.deepEqual(decoded[1], [
    ...Array.from({ length: 40 }, () => 7_932),
    ...Array.from({ length: 120 }, () => 0),
  ]);
  t.deepEqual(new Set(decoded[2]), new Set([0]));
});

test('a key is pressed for 160 ms with the time of its beginning, and its end said three times', (t) => {
  const { ring, sending, next } = setUp();
  ring.write(new Int16Array(160).fill(3_900));
  t.true(sending.press('5'));
  const packets = Array.from({ length: 10 }, next);
  t.deepEqual(new Set(packets.map(({ payloadType }) => payloadType)), new Set([101]));
  t.is(new Set(packets.map(({ timestamp }) => timestamp)).size, 1);
  t.deepEqual(
    packets.map(({ marker }) => marker),
    [true, ...Array.from({ length: 9 }, () => false)],
  );
  const durations = packets.map(({ payload }) => ((payload[2] ?? 0) << 8) | (payload[3] ?? 0));
  t.deepEqual(durations, [160, 320, 480, 640, 800, 960, 1_120, 1_280, 1_280, 1_280]);
  t.deepEqual(packets.map(({ payload }) => ((payload[1] ?? 0) & 0x80) !== 0).filter(Boolean).length, 3);
  const after = Array.from({ length: 4 }, next);
  t.deepEqual(
    after.map(({ payloadType }) => payloadType),
    [0, 0, 0, 0],
  );
  // What was to be said waits until all keys are pressed.
  t.is(pcmu.decode(after[3]?.payload ?? new Uint8Array())[0], 3_900);
  t.is(((after[0]?.timestamp ?? 0) - (packets[0]?.timestamp ?? 0)) >>> 0, 10 * frameSamples);
});

test('several keys are told as they were pressed, with a pause between them where one is asked for', (t) => {
  const { sending, next } = setUp();
  sending.press('1w1');
  const read = createKeyReader();
  const told = Array.from({ length: 60 }, next).map((packet) =>
    packet.payloadType === 101 ? read(packet) : undefined,
  );
  t.deepEqual(
    told.filter((key) => key !== undefined),
    ['1', '1'],
  );
  t.is(told.lastIndexOf('1') - told.indexOf('1'), 10 + 3 + 25);
});

test('a far end that takes no keys is sent none', (t) => {
  const { sending, next } = setUp({ keysPayloadType: null });
  t.false(sending.press('1'));
  t.is(next().payloadType, 0);
});

test('another format is sent from the next packet on, in the same stream', (t) => {
  const { ring, sending, next } = setUp();
  const before = next();
  sending.setFormat({ codec: pcma, payloadType: 8, keysPayloadType: null });
  ring.write(new Int16Array(160).fill(1_008));
  const after = next();
  t.is(after.payloadType, 8);
  t.is(after.ssrc, before.ssrc);
  t.is(pcma.decode(after.payload)[0], 1_008);
});

test('what has gone out is counted', (t) => {
  const { sending, next } = setUp();
  const packet = next();
  next();
  t.like(sending.soFar(), { packets: 2, bytes: 320, ssrc: packet.ssrc });
});
