/**
 * Syntax of voice names. A number's voice becomes part of a URL, a JSON body or a command line, so other text is
 * rejected.
 */
const forms: ReadonlyMap<string, RegExp> = new Map([
  /** A model, such as `aura-2-thalia-en`. */
  ['deepgram-aura', /^aura-[a-z\d]+(-[a-z\d]+){1,3}$/],
  /** A name such as `alloy`; compatible servers combine voices, such as `af_bella(2)+af_sky(1)`. */
  ['openai-speech', /^\w[\w.()+-]{0,99}$/],
  /** An id, such as `JBFqnCBsd6RMkjVDRZzb`. */
  ['elevenlabs', /^\w{1,64}$/],
  /** A name with an optional variant, such as `en-us+f3`. */
  ['espeak-ng', /^\w[\w+-]{0,63}$/],
]);

/** Whether this could be a voice name of the synthesizer; only the engine knows whether the voice exists. */
export const isVoice = (synthesizer: string, name: string): boolean =>
  name.length <= 100 && (forms.get(synthesizer)?.test(name) ?? false);
