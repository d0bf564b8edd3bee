/**
 * Text as tones, for transmission over a telephone: every half byte of a text is one of sixteen tones, and a
 * seventeenth begins, an eighteenth repeats and a nineteenth ends. Bytes are separated by gaps, like syllables, so that
 * voice detectors accept the sound. The tones can be decoded after μ-law and cuts at any place; impure tones are not
 * decoded.
 */
const sampleRate = 8_000;
const begin = 16;
const repeat = 17;
const end = 18;
const symbolLength = 320;
const gapLength = 240;
const fadeLength = 80;
const windowLength = 160;
const hopLength = 80;
const amplitude = 6_000;

const angleOf = (symbol: number): number => (2 * Math.PI * (500 + 150 * symbol)) / sampleRate;

const halfBytes = (text: string): number[] =>
  [...Buffer.from(text)].flatMap((byte) => [byte >> 4, byte & 15]);

const checksum = (halves: readonly number[]): number => halves.reduce((sum, half) => sum + half, 0) % 16;

/** Two adjacent symbols are never the same. */
const symbolsOf = (text: string): number[] => {
  const halves = halfBytes(text);
  const symbols: number[] = [];
  for (const symbol of [begin, ...halves, end, checksum(halves)])
    symbols.push(symbol === symbols.at(-1) ? repeat : symbol);
  return symbols;
};

/** The audio of a text, at 8000 Hz; about nine letters a second. */
export const sayInTones = (text: string): Int16Array => {
  const parts: number[] = [];
  let phase = 0;
  for (const [index, symbol] of symbolsOf(text).entries()) {
    const opens = index % 2 === 1 || index === 0;
    for (let at = 0; at < symbolLength; at += 1) {
      phase += angleOf(symbol);
      const fade = Math.min(1, (opens ? at + 1 : symbolLength - at) / fadeLength);
      parts.push(amplitude * fade * Math.sin(phase));
    }
    if (!opens || index === 0) parts.push(...new Int16Array(gapLength));
  }
  return Int16Array.from(parts, Math.round);
};

/** The tone in this window; `null` if it is not exactly one of them. */
const symbolIn = (window: Int16Array): number | null => {
  let energy = 0;
  for (const sample of window) energy += sample ** 2;
  if (energy / window.length < 150 ** 2) return null;
  for (let symbol = 0; symbol <= end; symbol += 1) {
    let [cosine, sine] = [0, 0];
    const angle = angleOf(symbol);
    for (const [at, sample] of window.entries()) {
      cosine += sample * Math.cos(angle * at);
      sine += sample * Math.sin(angle * at);
    }
    if ((2 * (cosine ** 2 + sine ** 2)) / (window.length * energy) > 0.75) return symbol;
  }
  return null;
};

export type ToneDecoder = { write(samples: Int16Array): void };

export const createToneDecoder = (on: {
  /** The words so far, at the end of each word. */
  words: (text: string) => void;
  /** Called with the whole text if its checksum is correct. */
  whole: (text: string) => void;
}): ToneDecoder => {
  let rest: Int16Array = new Int16Array();
  let run = { symbol: -1, length: 0 };
  let silentHops = 0;
  let before = -1;
  let halves: number[] | null = null;
  let isEnding = false;

  const textSoFar = (): string => {
    const list = halves ?? [];
    const bytes = list.flatMap((half, index) =>
      index % 2 === 0 ? [] : [((list[index - 1] ?? 0) << 4) | half],
    );
    return Buffer.from(bytes).toString();
  };

  const forget = (): void => {
    halves = null;
    isEnding = false;
  };

  const take = (raw: number): void => {
    const symbol = raw === repeat ? before : raw;
    before = symbol;
    if (symbol === begin) {
      halves = [];
      isEnding = false;
    } else if (halves === null) return;
    else if (isEnding) {
      const text = textSoFar();
      const isRight = symbol === checksum(halves);
      forget();
      if (isRight) on.whole(text);
    } else if (symbol === end) {
      isEnding = true;
      on.words(textSoFar());
    } else {
      halves.push(symbol);
      const text = textSoFar();
      if (halves.length % 2 === 0 && text.endsWith(' ')) on.words(text.trim());
    }
  };

  const look = (window: Int16Array): void => {
    const symbol = symbolIn(window);
    silentHops = symbol === null ? silentHops + 1 : 0;
    if (silentHops > 30) {
      forget();
      run = { symbol: -1, length: 0 };
    }
    if (symbol === null) return;
    run = symbol === run.symbol ? { symbol, length: run.length + 1 } : { symbol, length: 1 };
    if (run.length === 2) take(symbol);
  };

  return {
    write(samples) {
      rest = Int16Array.of(...rest, ...samples);
      let from = 0;
      for (; from + windowLength <= rest.length; from += hopLength)
        look(rest.subarray(from, from + windowLength));
      rest = rest.slice(from);
    },
  };
};
