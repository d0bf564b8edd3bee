import test from 'ava';
import { createSpeak } from '#sip/playout/synthesis.ts';
import { loadResampler } from '#sip/resampler.ts';
import type { SampleRate } from '#sip/samples.ts';
import type { Synthesizer } from '#sip/speech.ts';

const resample = await loadResampler();
const { signal } = new AbortController();

const tone = (sampleRate: number): Int16Array =>
  Int16Array.from(
    { length: sampleRate },
    (_, index) => 9_000 * Math.sin((2 * Math.PI * 700 * index) / sampleRate),
  );

/** Speaks this sound, in pieces of so many samples. */
const engine = (sampleRate: number, samples: Int16Array, piece?: number): Synthesizer => ({
  name: 'engine',
  synthesize: async () => ({ sampleRate, samples }),
  ...(piece !== undefined && {
    async *stream() {
      for (let from = 0; from < samples.length; from += piece)
        yield { sampleRate, samples: samples.subarray(from, from + piece) };
    },
  }),
});

const spoken = async (synthesizer: Synthesizer, rate: SampleRate): Promise<Int16Array[]> => {
  const pieces: Int16Array[] = [];
  const speak = createSpeak(resample, synthesizer, 'en');
  for await (const piece of speak('words', rate, signal)) pieces.push(piece);
  return pieces;
};

const inOne = (pieces: readonly Int16Array[]): number[] => pieces.flatMap((piece) => [...piece]);

const rates = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000].flatMap((sampleRate) => [
  { sampleRate, rate: 8_000 as const },
  { sampleRate, rate: 16_000 as const },
]);
for (const { sampleRate, rate } of rates)
  test(`pieces at ${sampleRate} Hz become the sound that the whole would be at ${rate} Hz`, async (t) => {
    const samples = tone(sampleRate);
    const whole = inOne(await spoken(engine(sampleRate, samples), rate));
    t.deepEqual(whole, [...resample(samples, sampleRate, rate)]);
    for (const piece of [97, 480, 4_410]) {
      const pieces = await spoken(engine(sampleRate, samples, piece), rate);
      const sound = inOne(pieces);
      t.is(sound.length, whole.length);
      const worst = Math.max(...sound.map((sample, index) => Math.abs(sample - (whole[index] ?? 0))));
      t.true(worst <= 2, `it differs by at most ${worst}`);
      t.true(
        (pieces[0]?.length ?? 0) <= Math.ceil((piece * rate) / sampleRate) + rate / 50,
        'none waits for another',
      );
    }
  });

test('an engine that says nothing says nothing here', async (t) => {
  t.deepEqual(inOne(await spoken(engine(22_050, new Int16Array(), 100), 8_000)), []);
});
