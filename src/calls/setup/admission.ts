/**
 * Admission of a new call, by the gateway's own state, then by the limits of number and workspace
 * (guides/design/wire.md, "Place a call").
 */
import type { CapacityLimit } from '#src/domain/capacity.ts';
import { once } from '#src/domain/once.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { CallsInProgress } from '#src/persistence/calls/counted-creation.ts';
import type { AdmissionLimits, CallParts } from '../call-parts.ts';

export type Admission = {
  /**
   * Checks the gateway itself: no lines (`service_unavailable`), shutdown (`draining`), and capacity (`over_capacity`,
   * with the limit as `reason`). These checks do not depend on the number and precede any look-up.
   */
  check(): void;
  /**
   * Returns the refusal (`over_capacity`) that `approach` would throw now; `null` if this gateway has capacity. Refusals
   * may be frequent, so they are created once.
   */
  refusal(): Refusal | null;
  /**
   * Runs the checks of `check`, and counts an admitted request as in setup until `leave` is called. Fewer requests may be in
   * setup while the event loop is late, and their rate is limited.
   */
  approach(): { leave: () => void };
  /**
   * Runs the checks of `check`, and checks the limits (`concurrency_limit`). An admitted call counts from now on;
   * `release` returns its permit if the call could not begin.
   */
  enter(call: { numberId: string; workspaceId: string } & ConcurrencyLimits): { release: () => void };
  drain(): void;
  isDraining(): boolean;
};

/** Maximum numbers of concurrent calls, including the new one. */
export type ConcurrencyLimits = { maxConcurrentCalls: number; maxCallsInProgress: number };

const sheds = (of: string): string => `This gateway is overloaded (${of}) and currently accepts no calls.`;

const detailOf: Readonly<Record<CapacityLimit, (limits: AdmissionLimits) => string>> = {
  calls: ({ maxCalls }) => `This gateway has its maximum of ${maxCalls} calls in progress.`,
  beginning: ({ maxBeginning }) => `${maxBeginning} other calls are beginning at this gateway just now.`,
  rate: () => 'More calls than this gateway accepts at once have just begun. Try again in a few seconds.',
  event_loop: () => sheds('its event loop is late'),
  memory: () => sheds('its memory is nearly used up'),
  journal: () => sheds('too many events of calls wait to be stored'),
};

const concurrencyLimit = (whose: string, maximum: number): Refusal =>
  new Refusal(
    'concurrency_limit',
    `${whose} has its maximum of ${maximum} calls in progress. Try again when one has ended.`,
    { extras: { maximum } },
  );

/** Throws `concurrency_limit` if the number of other calls is at the limit. */
export const checkConcurrency = (
  { maxConcurrentCalls, maxCallsInProgress }: ConcurrencyLimits,
  { ofNumber, ofWorkspace }: CallsInProgress,
): void => {
  if (ofNumber >= maxConcurrentCalls) throw concurrencyLimit('This number', maxConcurrentCalls);
  if (ofWorkspace >= maxCallsInProgress) throw concurrencyLimit('The workspace', maxCallsInProgress);
};

/** A gateway without telephone lines admits no calls. */
export const createAdmission = ({
  live: { liveCalls },
  limits: { admission: limits, load },
  telephony: { hasLines },
}: {
  live: Pick<CallParts['live'], 'liveCalls'>;
  limits: Pick<CallParts['limits'], 'admission' | 'load'>;
  telephony: Pick<CallParts['telephony'], 'hasLines'>;
}): Admission => {
  /** Number of requests that were admitted before any look-up and have no response yet. */
  let approaching = 0;
  /** Admitted calls that are not in the switchboard yet: in total, per number and per workspace. */
  let entering = 0;
  const enteringOf = new Map<string, number>();
  let isDraining = false;

  const change = (owner: string, by: 1 | -1): void => {
    const count = countOf(owner) + by;
    if (count === 0) enteringOf.delete(owner);
    else enteringOf.set(owner, count);
  };
  const countOf = (owner: string): number => enteringOf.get(owner) ?? 0;

  const refusals = new Map<CapacityLimit, Refusal>();
  const overCapacity = (limit: CapacityLimit): Refusal => {
    const refusal =
      refusals.get(limit) ??
      new Refusal('over_capacity', detailOf[limit](limits), { extras: { reason: limit } });
    refusals.set(limit, refusal);
    return refusal;
  };

  const reachedLimit = (): CapacityLimit | null => {
    if (liveCalls.count.get() + entering >= limits.maxCalls) return 'calls';
    return entering >= limits.maxBeginning ? 'beginning' : load.pressure();
  };

  /** Returns the limit that refuses one more request. */
  const limitOfRequests = (): CapacityLimit | null => {
    const reached = reachedLimit();
    if (reached !== null) return reached;
    if (approaching >= limits.maxBeginning) return 'beginning';
    if (approaching >= Math.max(1, limits.maxBeginning * load.share())) return 'event_loop';
    return load.hasRoom() ? null : 'rate';
  };

  const check = (): void => {
    if (!hasLines) {
      throw new Refusal(
        'service_unavailable',
        'This gateway has no telephone lines. Place calls with another one.',
      );
    }
    if (isDraining) throw new Refusal('draining', 'This gateway is shutting down and takes no new calls.');
    const reached = reachedLimit();
    if (reached !== null) throw overCapacity(reached);
  };

  return {
    check,
    refusal() {
      const reached = limitOfRequests();
      return reached === null ? null : overCapacity(reached);
    },
    approach() {
      check();
      const reached = limitOfRequests();
      if (reached !== null) throw overCapacity(reached);
      load.take();
      approaching += 1;
      return { leave: once(() => void (approaching -= 1)) };
    },
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
