import type { Language } from '#src/domain/language.ts';
import { invalidField, type FieldError } from '#src/domain/refusal.ts';
import type { NumberPatch, NumberRecord } from '#src/persistence/numbers/numbers.ts';

/** Available recognizers and synthesizers by name, in the operator's order. */
export type Engines = {
  readonly recognizers: readonly string[];
  readonly synthesizers: readonly string[];
  /** Returns the gateway's languages that a recognizer supports. The member is absent if no recognizer is limited. */
  languagesOf?(recognizer: string): readonly Language[];
  /** Names of the recognizers that report turn ends. */
  readonly reportTurnEnds: readonly string[];
  /** Whether a turn-end model is configured. */
  readonly turnModel: boolean;
  /** Models that a built-in agent may use, the default first; empty without a language model. */
  readonly languageModels: readonly string[];
  /**
   * Whether this text could be the name of a voice of the synthesizer; only the engine knows whether the voice exists.
   */
  isVoice(synthesizer: string, name: string): boolean;
};

type SpeechPatch = Pick<NumberPatch, 'recognizer' | 'synthesizer' | 'voice'>;

const unknownEngine = (
  path: string,
  name: string | null | undefined,
  known: readonly string[],
): FieldError[] => {
  if (name === null || name === undefined || known.includes(name)) return [];
  const message =
    known.length === 0
      ? `No ${path} is configured on this gateway.`
      : `This ${path} is not configured on this gateway; there is ${known.join(', ')}.`;
  return [{ path, message }];
};

const wrongVoice = ({ isVoice }: Engines, synthesizer: string | null, voice: string | null): FieldError[] => {
  if (voice === null) return [];
  if (synthesizer === null)
    return [{ path: 'voice', message: 'A voice is one of a synthesizer: choose the synthesizer too.' }];
  if (isVoice(synthesizer, voice)) return [];
  return [{ path: 'voice', message: `A voice of ${synthesizer} has no such name.` }];
};

/**
 * Validates a number's engines and returns them for storing. Rejects engines that are not configured and impossible
 * voices. A voice belongs to its synthesizer: a change of the synthesizer without a voice resets the voice, and both
 * are stored together.
 */
export const chooseSpeech = (
  engines: Engines,
  { recognizer, synthesizer, voice }: SpeechPatch,
  stored: Pick<NumberRecord, 'synthesizer' | 'voice'>,
): SpeechPatch => {
  const speaks = synthesizer === undefined ? stored.synthesizer : synthesizer;
  const storedVoice = speaks === stored.synthesizer ? stored.voice : null;
  const spokenWith = voice === undefined ? storedVoice : voice;
  const unknown = [
    ...unknownEngine('recognizer', recognizer, engines.recognizers),
    ...unknownEngine('synthesizer', synthesizer, engines.synthesizers),
  ];
  const errors =
    unknown.some(({ path }) => path === 'synthesizer') || voice === undefined
      ? unknown
      : [...unknown, ...wrongVoice(engines, speaks, voice)];
  if (errors.length > 0) throw invalidField(...errors);
  if (synthesizer === undefined && voice === undefined) return { recognizer };
  return { recognizer, synthesizer: speaks, voice: spokenWith };
};
