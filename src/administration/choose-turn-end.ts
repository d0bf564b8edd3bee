import { invalidField } from '#src/domain/refusal.ts';
import type { StoredCallPolicy } from '#src/domain/call-policy.ts';
import type { Engines } from './choose-speech.ts';

const unable = (
  { reportTurnEnds, turnModel }: Engines,
  mode: string | undefined,
  recognizer: string | null,
): string | null => {
  if (mode === 'model' && !turnModel)
    return 'No model that hears the end of a turn is configured on this gateway (GW_TURN_MODEL).';
  if (mode !== 'recognizer') return null;
  if (reportTurnEnds.length === 0) return 'No recognizer of this gateway tells where a turn ends.';
  if (recognizer === null || reportTurnEnds.includes(recognizer)) return null;
  return `The recognizer ${recognizer} does not tell where a turn ends; there is ${reportTurnEnds.join(', ')}.`;
};

/**
 * Rejects a turn-end judge that is unavailable on this gateway. `recognizer` is the recognizer chosen for the number.
 * If a judge becomes unavailable after it was chosen, pauses decide.
 */
export const requireTurnEnd = (
  engines: Engines,
  turnEnd: StoredCallPolicy['turnEnd'] | undefined,
  recognizer: string | null = null,
): void => {
  const message = unable(engines, turnEnd?.mode, recognizer);
  if (message !== null) throw invalidField({ path: 'turn_end.mode', message });
};
