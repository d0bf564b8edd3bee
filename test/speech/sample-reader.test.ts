import test from 'ava';
import * as fc from 'fast-check';
import { readWav } from '#src/speech/read-wav.ts';
import { bytesOf, joinSamples } from '#src/domain/sample-bytes.ts';
import { createSampleReader, wholeAudio } from '#src/speech/sample-reader.ts';
import { writeWav } from '#src/speech/write-wav.ts';

const samples = fc.int16Array({ maxLength: 60 });

test('bytes are little-endian, and come back as the samples they were, cut anywhere', (t) => {
  t.deepEqual([...bytesOf(Int16Array.of(1, -2, 0x1234))], [1, 0, 0xfe, 0xff, 0x34, 0x12]);
  fc.assert(
    fc.property(samples, fc.array(fc.integer({ min: 0, max: 9 })), (sound, sizes) => {
      const read = createSampleReader();
      const bytes = bytesOf(sound);
      const pieces: Int16Array[] = [];
      let at = 0;
      for (const size of sizes) pieces.push(read(bytes.subarray(at, (at += size))));
      pieces.push(read(bytes.subarray(at)));
      t.deepEqual(joinSamples(pieces), sound);
    }),
  );
});

test('a WAV file holds the samples that were written', (t) => {
  fc.assert(
    fc.property(samples, fc.integer({ min: 1, max: 48_000 }), (sound, sampleRate) => {
      const file = writeWav({ sampleRate, samples: sound });
      t.deepEqual(readWav(file), { sampleRate, samples: sound });
      t.is(file.readUInt32LE(4), file.length - 8);
    }),
  );
});

test('sound that came in pieces is one', async (t) => {
  async function* pieces() {
    yield { sampleRate: 16_000, samples: Int16Array.of(1, 2) };
    yield { sampleRate: 16_000, samples: Int16Array.of(3) };
  }
  t.deepEqual(await wholeAudio(pieces()), { sampleRate: 16_000, samples: Int16Array.of(1, 2, 3) });
});
