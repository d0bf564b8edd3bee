/** Statistics of the agent's voice under all sounds, by kind. */
import type { BargeIn } from '#machines/line.ts';
import { loadVoiceDetector } from '#sip/audio/listening/voice-detector.ts';
import { bargeInSounds, type BargeInSound } from './sounds.ts';
import { speakOver, type Verdict } from './speak-over.ts';
import type { Gives } from './scripted-recognizer.ts';

export type Judged = { sound: BargeInSound; verdict: Verdict };

/** Ten seconds of speech, from sentences that are not evaluated during the sound. */
const agentVoice = (sounds: readonly BargeInSound[]): Int16Array => {
  const spoken = sounds.filter(({ isInterruption, samples }) => isInterruption && samples.length > 8_000);
  return Int16Array.from(spoken.slice(0, 9).flatMap(({ samples }) => [...samples]));
};

/** Evaluates the sounds sequentially; `which` filters them. */
export const judge = async (
  options: { gives: Gives; bargeIn: BargeIn },
  which: (sound: BargeInSound, index: number) => boolean = () => true,
): Promise<Judged[]> => {
  const openDetector = await loadVoiceDetector();
  const sounds = bargeInSounds();
  const voice = agentVoice(sounds);
  const judged: Judged[] = [];
  for (const sound of sounds.filter(which))
    judged.push({ sound, verdict: await speakOver(sound, { ...options, voice, openDetector }) });
  return judged;
};

export const falseStops = (judged: readonly Judged[]): Judged[] =>
  judged.filter(({ sound, verdict }) => !sound.isInterruption && verdict.wasStopped);

export const missedInterruptions = (judged: readonly Judged[]): Judged[] =>
  judged.filter(({ sound, verdict }) => sound.isInterruption && !verdict.wasStopped);

/** The agent had already resumed when the interruption was recognized. */
export const talkedOver = (judged: readonly Judged[]): Judged[] =>
  judged.filter(({ sound, verdict }) => sound.isInterruption && verdict.wasStopped && verdict.wentOn);

/** Times from the first sound to the agent's silence, for interruptions. */
export const silences = (judged: readonly Judged[]): number[] =>
  judged.flatMap(({ sound, verdict }) =>
    sound.isInterruption && verdict.silentAfterMs !== null ? [verdict.silentAfterMs] : [],
  );
