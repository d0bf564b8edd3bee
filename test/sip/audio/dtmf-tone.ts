/** DTMF tones as a telephone generates them. */
import { fromMuLaw, toMuLaw } from '#test/real-sip/mu-law.ts';
import type { SampleRate } from '#sip/audio/samples.ts';

const dtmfRows = [697, 770, 852, 941];
const dtmfColumns = [1_209, 1_336, 1_477, 1_633];
export const dtmfKeypad = ['123A', '456B', '789C', '*0#D'];

type DtmfTone = { milliseconds?: number; sampleRate?: SampleRate; row?: number; column?: number };

/** The tones of a digit; `row` and `column` change their frequencies or, of `levels`, their amplitudes. */
export const dtmfTone = (
  digit: string,
  { milliseconds = 200, sampleRate = 8_000, row: rowFactor = 1, column: columnFactor = 1 }: DtmfTone = {},
  levels: readonly [number, number] = [6_000, 6_000],
): Int16Array => {
  const row = dtmfKeypad.findIndex((keys) => keys.includes(digit));
  const column = dtmfKeypad[row]?.indexOf(digit) ?? -1;
  const low = (dtmfRows[row] ?? 0) * rowFactor;
  const high = (dtmfColumns[column] ?? 0) * columnFactor;
  const wave = (hertz: number, index: number): number => Math.sin((2 * Math.PI * hertz * index) / sampleRate);
  const samples = Int16Array.from(
    { length: (milliseconds * sampleRate) / 1_000 },
    (_, index) => levels[0] * wave(low, index) + levels[1] * wave(high, index),
  );
  return sampleRate === 8_000 ? fromMuLaw(toMuLaw(samples)) : samples;
};
