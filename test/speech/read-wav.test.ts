import test from 'ava';
import * as fc from 'fast-check';
import { readWav } from '#src/speech/read-wav.ts';

const wav = (
  samples: readonly number[],
  { rate = 16_000, channels = 1, dataLength = samples.length * 2 } = {},
) => {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length * 2, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataLength, 40);
  const body = Buffer.alloc(samples.length * 2);
  for (const [index, sample] of samples.entries()) body.writeInt16LE(sample, index * 2);
  return Buffer.concat([header, body]);
};

test('every sample comes out as it went in', (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -32_768, max: 32_767 })), (samples) => {
      const audio = readWav(wav(samples, { rate: 22_050 }));
      t.is(audio.sampleRate, 22_050);
      t.deepEqual([...audio.samples], samples);
    }),
  );
});

test('the length in the header of a piped file is not trusted', (t) => {
  t.deepEqual([...readWav(wav([1, 2, 3], { dataLength: 0x7f_ff_f0_00 })).samples], [1, 2, 3]);
});

test('what is no mono 16-bit WAV is refused', (t) => {
  t.throws(() => readWav(Buffer.from('nothing of the kind')), { message: 'This is no WAV file' });
  t.throws(() => readWav(wav([1], { channels: 2 })), { message: 'This WAV file is not mono 16-bit linear' });
  t.throws(() => readWav(wav([]).subarray(0, 36)), { message: 'This WAV file has no audio' });
});

test('no bytes make it crash otherwise', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const broken = Buffer.concat([wav([1, 2]).subarray(0, 20), bytes]);
      try {
        t.true(readWav(broken).samples.length <= 120);
      } catch (error) {
        t.regex(String(error), /WAV file/);
      }
    }),
  );
});
