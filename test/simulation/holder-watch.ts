/**
 * Checks that calls in progress have a holder: a running gateway, connected to the database, that has an actor of the
 * call. A call may lack one for the time of a lease (`cluster` of config/policy.ts) and of the take-over itself, counted
 * separately for each gateway that could take the call over all that time: a gateway that has just started, or was
 * disconnected, begins to count the checks of the lease only then.
 */
import { cluster } from '#config/policy.ts';
import type { SimulatedNode } from './node.ts';
import { runIn, type SimulatedProcess } from './simulated-time.ts';
import type { World } from './world.ts';

const lookMs = 2_000;
/**
 * A lease of 15 unchanged checks lapses up to two checks after 15 s: the last registration may be almost as old as a
 * check when the gateway stops, and the first check that sees it does not count. The claim and the journals take up to a
 * second more.
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

/** A gateway that has declared the holder dead alone may take its calls over until its claim lapses. */
const inProgress = `select id::text, call.node, epoch, coalesce(claimed_until > now(), false) as is_claimed
  from call left join node on node.name = call.node where call.ended_at is null`;

/** A gateway that could take a call over: since when, and its interruptions by then. */
type Taker = { since: number; interruptions: number };

type Lost = { epoch: unknown; takers: Map<SimulatedProcess, Taker> };

export const watchHolders = (world: World): void => {
  const { time, database, postgres, nodes } = world;
  /** Calls without a holder. */
  const lostCalls = new Map<string, Lost>();

  const processIfConnected = (node: SimulatedNode): SimulatedProcess[] => {
    const process = node.process();
    const isConnected = node.isStaying() && process?.held === null && !database.isCutOff(node.name);
    return isConnected && process !== undefined ? [process] : [];
  };

  const isHeld = (callId: string, holder: unknown): boolean =>
    nodes.some(
      (node) =>
        node.name === holder &&
        node.isRunning() &&
        node.process()?.held === null &&
        !database.isCutOff(node.name) &&
        node.process()?.actors.has(callId) === true,
    );

  const withinMs = (): number => {
    const { slow, takingUnconfirmed } = database.faults;
    const takesMs = slow + takingUnconfirmed === 0 ? takingOverMs : takingOverSlowlyMs;
    return (leaseMs + takesMs) * (database.isReliable() ? 1 : longerWithFaults);
  };

  let limitMs = withinMs();
  let breaks = 0;

  /** The taker as it was known; a new one if it was interrupted since, or could not take the call over before. */
  const takerNow = (process: SimulatedProcess, before: Lost | undefined): Taker => {
    const { interruptions } = process;
    const known = before?.takers.get(process);
    return known?.interruptions === interruptions ? known : { since: time.now(), interruptions };
  };

  const look = (): void => {
    // After a failed check, gateways begin to count again.
    if (withinMs() !== limitMs || database.breaks !== breaks) lostCalls.clear();
    limitMs = withinMs();
    breaks = database.breaks;
    const processes = nodes.flatMap(processIfConnected);
    for (const { id, node, epoch, is_claimed: isClaimed } of postgres.rows(inProgress)) {
      const callId = String(id);
      if (isClaimed === true || isHeld(callId, node)) {
        lostCalls.delete(callId);
        continue;
      }
      const known = lostCalls.get(callId);
      // Another gateway has claimed the call meanwhile, and was lost as well.
      const before = known?.epoch === epoch ? known : undefined;
      const takers = new Map(processes.map((process) => [process, takerNow(process, before)]));
      lostCalls.set(callId, { epoch, takers });
      if ([...takers.values()].some(({ since }) => time.now() - since > limitMs))
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
