/**
 * Limits on the total daily minutes of outbound calls, per workspace and per number (guides/design/limits.md, "Minutes
 * a day").
 */
import { dayOf, type Day } from '#src/domain/day.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { timestampIn } from '#src/domain/timestamp.ts';
import type { DayGrant, SpentOfNumber } from '#src/persistence/calls/spent-minutes.ts';

/** Owner of the limit: a workspace or a number. */
export type DailyOwner = 'workspace' | 'number';

/** Notice about a limit. `warned`: four fifths of the daily minutes are used up. */
export type DailyNotice = { owner: DailyOwner; id: string; what: 'warned' | 'refused' };

/** Minimum duration of a call in seconds, which is also the minimum that a request may set. */
const leastSec = 60;

const warningShare = 0.8;

type Limit = { owner: DailyOwner; id: string; minutes: number };

const usedBy = ({ owner, id }: Limit, spent: readonly SpentOfNumber[]) => {
  const counted = owner === 'workspace' ? spent : spent.filter(({ numberId }) => numberId === id);
  const sum = (of: (one: SpentOfNumber) => number): number =>
    counted.reduce((total, one) => total + of(one), 0);
  return { talkedSec: sum(({ talkedSec }) => talkedSec), heldSec: sum(({ heldSec }) => heldSec) };
};

const refusalOf = ({ owner, minutes }: Limit, { until }: Day, at: number, timeZone: string): Refusal =>
  new Refusal(
    'daily_limit_reached',
    `${owner === 'workspace' ? 'The workspace' : 'This number'} has used its ${minutes} minutes of outbound calls a day, with those that calls in progress may still take.`,
    {
      extras: { maximum: minutes, resets_at: timestampIn(timeZone, until) },
      headers: { 'Retry-After': String(Math.ceil((until.getTime() - at) / 1_000)) },
    },
  );

type DailyCall = {
  numberId: string;
  workspaceId: string;
  timeZone: string;
  /** Limit of the number in minutes; null for no limit. */
  ofNumber: number | null;
  ofWorkspace: number | null;
  /** Duration limit in seconds that the call has without daily minutes. */
  maxDurationSec: number;
  startedAt: number;
};

/**
 * Returns the function that grants seconds to a call; null for a call without limits. The granting function throws a
 * Refusal: `daily_limit_reached`, with `maximum` and `resets_at`.
 */
export type DailyMinutes = (call: DailyCall) => DayGrant | null;

/** Creates the check of daily minutes. `onNotice` is called for each warning once a day. */
export const createDailyMinutes = (onNotice: (notice: DailyNotice) => void): DailyMinutes => {
  /** End of the day of the last warning, by owner of the limit. */
  const warnedUntil = new Map<string, number>();

  const warn = ({ owner, id, minutes }: Limit, talkedSec: number, { from, until }: Day): void => {
    if (talkedSec < warningShare * minutes * 60 || (warnedUntil.get(id) ?? 0) > from.getTime()) return;
    warnedUntil.set(id, until.getTime());
    onNotice({ owner, id, what: 'warned' });
  };

  return ({ numberId, workspaceId, timeZone, ofNumber, ofWorkspace, maxDurationSec, startedAt }) => {
    const limits: Limit[] = [
      ...(ofNumber === null ? [] : [{ owner: 'number' as const, id: numberId, minutes: ofNumber }]),
      ...(ofWorkspace === null
        ? []
        : [{ owner: 'workspace' as const, id: workspaceId, minutes: ofWorkspace }]),
    ];
    if (limits.length === 0) return null;
    const day = dayOf(startedAt, timeZone);
    return {
      day,
      grant(spent) {
        const rests = limits.map((limit) => {
          const { talkedSec, heldSec } = usedBy(limit, spent);
          warn(limit, talkedSec, day);
          const restSec = Math.floor(limit.minutes * 60 - heldSec);
          if (restSec >= leastSec) return restSec;
          onNotice({ owner: limit.owner, id: limit.id, what: 'refused' });
          throw refusalOf(limit, day, startedAt, timeZone);
        });
        return Math.min(maxDurationSec, ...rests);
      },
    };
  };
};
