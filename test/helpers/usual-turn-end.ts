import type { TurnEnd } from '#machines/line.ts';
import { platformCallPolicy } from '#config/policy.ts';

/** The pause after the words determines the end of a turn. */
export const byPauses: TurnEnd = platformCallPolicy.turnEnd;
