/** Used minutes of a workspace today (guides/design/limits.md, "Minutes a day"). */
import { dayOf, type Day } from '#src/domain/day.ts';
import { listNumbers } from '#src/persistence/numbers/numbers.ts';
import { spentOn, type SpentOfNumber } from '#src/persistence/calls/spent-minutes.ts';
import type { WorkspaceReader } from './administrator.ts';
import { workspaceOf } from './administer-workspaces.ts';

/** Minutes with a precision of seconds. `limit` is null if there is no limit. */
export type Minutes = { limit: number | null; talkedMinutes: number; heldMinutes: number };

export type Usage = {
  day: Day;
  workspace: Minutes;
  numbers: (Minutes & { numberId: string; number: string })[];
};

const minutesOf = (limit: number | null, spent: readonly SpentOfNumber[]): Minutes => {
  const inMinutes = (of: (one: SpentOfNumber) => number): number =>
    Math.round(spent.reduce((total, one) => total + of(one), 0)) / 60;
  return {
    limit,
    talkedMinutes: inMinutes(({ talkedSec }) => talkedSec),
    heldMinutes: inMinutes(({ heldSec }) => heldSec),
  };
};

/**
 * Returns the minutes used today. Deleted numbers count only in the sum. Throws a Refusal (`not_found`) for an unknown
 * workspace.
 */
export const usageOf = async (
  reader: WorkspaceReader,
  platformDailyMinutes: number | null,
  at: number,
): Promise<Usage> => {
  const { database, workspaceId } = reader;
  const { timeZone, dailyMinutes } = await workspaceOf(reader);
  const day = dayOf(at, timeZone);
  const [spent, numbers] = await Promise.all([
    spentOn(database, { ...day, workspaceId }),
    listNumbers(database, workspaceId),
  ]);
  return {
    day,
    workspace: minutesOf(dailyMinutes ?? platformDailyMinutes, spent),
    numbers: numbers.map(({ id, number, dailyMinutes: limit }) => ({
      numberId: id,
      number,
      ...minutesOf(
        limit,
        spent.filter(({ numberId }) => numberId === id),
      ),
    })),
  };
};
