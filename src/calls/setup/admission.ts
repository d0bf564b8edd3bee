/**
 * Whether one more call may begin: the gateway's own state, then the limits of number and workspace
 * (guides/design/wire.md, "Place a call").
 */
import { once } from '#src/domain/once.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { CallsInProgress } from '#src/persistence/counted-births.ts';
import type { LiveCalls } from '../live/live-calls.ts';
import type { LoadShedding } from './load-shedding.ts';

export type AdmissionLimits = {
  /** Calls in progress on this gateway. */
  maxCalls: number;
  /** Calls whose rows are being written at once: more of them would only wait for the database. */
  maxBeginning: number;
};

export type Admission = {
  /**
   * Throws `service_unavailable` (no lines), `draining` or `over_capacity` (all calls that this gateway may have, or load
   * is shed): what can be told without knowing whose call it would be, and so before anything is looked up.
   */
  check(): void;
  /**
   * Throws the same, or `concurrency_limit`. A call that is let in counts from now on; `release` gives its permit back
   * when the call could not begin after all.
   */
  enter(call: { numberId: string; workspaceId: string } & ConcurrencyLimits): { release: () => void };
  drain(): void;
  isDraining(): boolean;
};

/** The most calls in progress at once that a call may be one of. */
export type ConcurrencyLimits = { maxConcurrentCalls: number; maxCallsInProgress: number };

const concurrencyLimit = (whose: string, maximum: number): Refusal =>
  new Refusal(
    'concurrency_limit',
    `${whose} has its maximum of ${maximum} calls in progress. Try again when one has ended.`,
    { extras: { maximum } },
  );

/** Throws `concurrency_limit` where no other call may begin beside so many. */
export const checkConcurrency = (
  { maxConcurrentCalls, maxCallsInProgress }: ConcurrencyLimits,
  { ofNumber, ofWorkspace }: CallsInProgress,
): void => {
  if (ofNumber >= maxConcurrentCalls) throw concurrencyLimit('This number', maxConcurrentCalls);
  if (ofWorkspace >= maxCallsInProgress) throw concurrencyLimit('The workspace', maxCallsInProgress);
};

export const createAdmission = (options: {
  liveCalls: LiveCalls;
  limits: AdmissionLimits;
  load: Pick<LoadShedding, 'pressure'>;
  /** A gateway without telephone lines lets nobody in. */
  hasLines: boolean;
}): Admission => {
  const { liveCalls, limits, load } = options;
  /** Let in and not yet on the switchboard: in all, and per number and workspace. */
  let entering = 0;
  const enteringOf = new Map<string, number>();
  let isDraining = false;

  const change = (owner: string, by: 1 | -1): void => {
    const count = countOf(owner) + by;
    if (count === 0) enteringOf.delete(owner);
    else enteringOf.set(owner, count);
  };
  const countOf = (owner: string): number => enteringOf.get(owner) ?? 0;

  const check = (): void => {
    if (!options.hasLines) {
      throw new Refusal(
        'service_unavailable',
        'This gateway has no telephone lines. Place calls with another one.',
      );
    }
    if (isDraining) throw new Refusal('draining', 'This gateway is shutting down and takes no new calls.');
    const isFull = liveCalls.count() + entering >= limits.maxCalls || entering >= limits.maxBeginning;
    if (isFull || load.pressure() !== null) {
      throw new Refusal('over_capacity', 'This gateway cannot take another call right now.');
    }
  };

  return {
    check,
    enter({ numberId, workspaceId, ...limits }) {
      check();
      checkConcurrency(limits, {
        ofNumber: liveCalls.countOfNumber(numberId) + countOf(numberId),
        ofWorkspace: liveCalls.countOfWorkspace(workspaceId) + countOf(workspaceId),
      });
      entering += 1;
      change(numberId, 1);
      change(workspaceId, 1);
      const release = once(() => {
        entering -= 1;
        change(numberId, -1);
        change(workspaceId, -1);
      });
      return { release };
    },
    drain() {
      isDraining = true;
    },
    isDraining: () => isDraining,
  };
};
