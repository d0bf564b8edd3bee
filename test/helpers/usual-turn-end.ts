import type { TurnEnd } from '#machines/line.ts';
import { platformCallPolicy } from '#config/policy.ts';

/** A turn is over when the pause behind its words says so. */
export const byPauses: TurnEnd = platformCallPolicy.turnEnd;
