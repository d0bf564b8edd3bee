/**
 * Checks that calls in progress have a holder: a running gateway, connected to the database, that has an actor of the
 * call. A call may lack one for the time of a lease (`cluster` of config/policy.ts) and of the take-over itself, counted
 * separately for each gateway that could take the call over all that time: a gateway that has just started, or was
 * disconnected, begins to count the checks of the lease only then.
 */
import { cluster } from '#config/policy.ts';
import type { SimulatedNode } from './node.ts';
import { runIn } from './simulated-time.ts';
import type { World } from './world.ts';

const lookMs = 2_000;
/**
 * A lease of 15 unchanged checks lapses up to two checks after 15 s: the last registration may be almost as old as a
 * check when the gateway stops, and the first check that sees it does not count. The claim and the journals take up to a
 * second more, and the look of this watch comes up to `lookMs` late.
 */
const takingOverMs = 2 * cluster.beatMs + 1_000;
/**
 * The same with slow statements, of 1.5 s in each direction, or with claims whose commit is in doubt: the checks, the
 * declaration, the claim and its confirmation wait one after the other.
 */
const takingOverSlowlyMs = 15_000;
const leaseMs = cluster.beatMs * cluster.looksOfLease;

/**
 * A gateway that cannot read the others' rows begins to count anew (`judge-nodes.ts` of src/continuity): while statements
 * fail, it takes longer to find a frozen gateway dead.
 */
const longerWithFaults = 3;

const inProgress = 'select id::text, node from call where ended_at is null';

export const watchHolders = (world: World): void => {
  const { time, database, postgres, nodes } = world;
  /** Times since when calls have no holder while a process could take them over, by call and process. */
  const since = new Map<string, Map<string, number>>();

  const isConnected = (node: SimulatedNode): boolean =>
    node.isStaying() && node.process()?.held === null && !database.isCutOff(node.name);

  const isHeld = (callId: string, holder: unknown): boolean =>
    nodes.some(
      (node) =>
        node.name === holder &&
        node.isRunning() &&
        node.process()?.held === null &&
        !database.isCutOff(node.name) &&
        node.process()?.actors.has(callId) === true,
    );

  let wasReliable = true;
  let breaks = 0;

  const withinMs = (): number => {
    const { slow, takingUnconfirmed } = database.faults;
    const takesMs = slow + takingUnconfirmed === 0 ? takingOverMs : takingOverSlowlyMs;
    return (leaseMs + takesMs) * (database.isReliable() ? 1 : longerWithFaults);
  };

  const look = (): void => {
    const isReliable = database.isReliable();
    // After a failed check, gateways begin to count again.
    if ((isReliable && !wasReliable) || database.breaks !== breaks) since.clear();
    wasReliable = isReliable;
    breaks = database.breaks;
    const takers = nodes.flatMap((node) => (isConnected(node) ? (node.process()?.id ?? []) : []));
    for (const { id, node } of postgres.rows(inProgress)) {
      const callId = String(id);
      if (isHeld(callId, node)) {
        since.delete(callId);
        continue;
      }
      const before = since.get(callId);
      const now = new Map(takers.map((taker) => [taker, before?.get(taker) ?? time.now()]));
      since.set(callId, now);
      if ([...now.values()].some((lost) => time.now() - lost > withinMs()))
        world.violate(`a call has had no holder for longer than a lease: ${callId} of ${String(node)}`);
    }
  };
  const lookAgain = (): void => {
    // A transaction may have failed, and has not decided anything yet.
    const isPossible = !database.isInTransaction();
    if (isPossible) look();
    time.after(isPossible ? lookMs : 1, lookAgain);
  };
  runIn(null, () => void time.after(lookMs, lookAgain));
};
