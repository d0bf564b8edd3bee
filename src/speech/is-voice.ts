/**
 * The forms of the names that voices have. A voice of a number's choice becomes part of a URL, a JSON body or a command
 * line: what does not have the form of a name does not get there.
 */
const forms: ReadonlyMap<string, RegExp> = new Map([
  /** A model, such as `aura-2-thalia-en`. */
  ['deepgram-aura', /^aura-[a-z\d]+(-[a-z\d]+){1,3}$/],
  /** A name such as `alloy`; servers of the same kind mix voices, such as `af_bella(2)+af_sky(1)`. */
  ['openai-speech', /^\w[\w.()+-]{0,99}$/],
  /** An id, such as `JBFqnCBsd6RMkjVDRZzb`. */
  ['elevenlabs', /^\w{1,64}$/],
  /** A name, with a variant or without, such as `en-us+f3`. */
  ['espeak-ng', /^\w[\w+-]{0,63}$/],
]);

/** Whether a voice of this synthesizer could have this name; whether there is one, only the engine knows. */
export const isVoice = (synthesizer: string, name: string): boolean =>
  name.length <= 100 && (forms.get(synthesizer)?.test(name) ?? false);
