/**
 * Syntax of voice names by synthesizer. A number's voice becomes part of a URL, a JSON body or a command line, so other
 * text is rejected.
 */
const forms: ReadonlyMap<string, RegExp> = new Map([
  /** Name of a model, such as `aura-2-thalia-en`. */
  ['deepgram-aura', /^aura-[a-z\d]+(-[a-z\d]+){1,3}$/],
  /** Name such as `alloy`. Compatible servers combine voices, such as `af_bella(2)+af_sky(1)`. */
  ['openai-speech', /^\w[\w.()+-]{0,99}$/],
  /** Id such as `JBFqnCBsd6RMkjVDRZzb`. */
  ['elevenlabs', /^\w{1,64}$/],
  /** Name with an optional variant, such as `en-us+f3`. */
  ['espeak-ng', /^\w[\w+-]{0,63}$/],
]);

/**
 * Whether this text could be the name of a voice of the synthesizer; only the engine knows whether the voice exists.
 */
export const isVoice = (synthesizer: string, name: string): boolean =>
  name.length <= 100 && (forms.get(synthesizer)?.test(name) ?? false);
