import test from 'ava';
import { pcma, pcmu } from '#sip/media/g711.ts';

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte);

for (const [name, codec] of Object.entries({ PCMU: pcmu, PCMA: pcma })) {
  test(`${name}: each code is the code of its own sample`, (t) => {
    const samples = codec.decode(everyByte);
    const codes = new Uint8Array(256);
    codec.encode(samples, codes, 0);
    // Two codes of PCMU stand for zero.
    const again = codec.decode(codes);
    t.deepEqual(again, samples);
  });

  test(`${name}: no sample is further from its code than half a step`, (t) => {
    const samples = Int16Array.from({ length: 64_001 }, (_, index) => index - 32_000);
    const codes = new Uint8Array(samples.length);
    codec.encode(samples, codes, 0);
    const worst = codec
      .decode(codes)
      .reduce(
        (most, decoded, index) =>
          Math.max(
            most,
            Math.abs(decoded - (samples[index] ?? 0)) / Math.max(Math.abs(samples[index] ?? 0), 256),
          ),
        0,
      );
    t.true(worst < 0.044, String(worst));
  });
}

/** ITU-T G.711 tables 1 and 2: some of the values that are written there, on 16 bits. */
test('codes are those of the tables of G.711', (t) => {
  t.deepEqual(
    Array.from(pcmu.decode(Uint8Array.of(0xff, 0x80, 0x00, 0xf0, 0x7f))),
    [0, 32_124, -32_124, 120, 0],
  );
  t.deepEqual(Array.from(pcma.decode(Uint8Array.of(0xd5, 0xaa, 0x2a, 0x55))), [8, 32_256, -32_256, -8]);
});

test('sound is encoded behind what stands before it', (t) => {
  const bytes = new Uint8Array(4);
  pcmu.encode(Int16Array.of(0, 32_124), bytes, 2);
  t.deepEqual(Array.from(bytes), [0, 0, 0xff, 0x80]);
});
