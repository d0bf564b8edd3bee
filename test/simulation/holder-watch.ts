/**
 * Checks that calls in progress have a holder: a running gateway, connected to the database, that has an actor of the
 * call. A call may lack one for the time of a lease (`cluster` of config/policy.ts) and of the take-over itself, while
 * there is a gateway that could take it over.
 */
import { cluster } from '#config/policy.ts';
import type { SimulatedNode } from './node.ts';
import { runIn } from './simulated-time.ts';
import type { World } from './world.ts';

const lookMs = 2_000;
/** For slow and refused statements, and for the detection of a lease that lapsed just after a look. */
const takingOverMs = 15_000;
const longestMs = cluster.beatMs * cluster.looksOfLease + takingOverMs;

/**
 * A gateway that cannot read the others' rows begins to count anew (`judge-nodes.ts` of src/continuity): while statements
 * fail, it takes longer to find a frozen gateway dead.
 */
const longerWithFaults = 3;

const inProgress = 'select id::text, node from call where ended_at is null';

export const watchHolders = (world: World): void => {
  const { time, database, postgres, nodes } = world;
  /** Times since when calls have no holder. */
  const since = new Map<string, number>();

  const isConnected = (node: SimulatedNode): boolean =>
    node.isReady() && node.process()?.held === null && !database.isCutOff(node.name);

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

  const look = (): void => {
    const isReliable = database.isReliable();
    if (isReliable && !wasReliable) since.clear();
    wasReliable = isReliable;
    const withinMs = isReliable ? longestMs : longestMs * longerWithFaults;
    const canBeTaken = nodes.some(isConnected);
    for (const { id, node } of postgres.rows(inProgress)) {
      const callId = String(id);
      if (!canBeTaken || isHeld(callId, node)) {
        since.delete(callId);
        continue;
      }
      const lost = since.get(callId) ?? time.now();
      since.set(callId, lost);
      if (time.now() - lost > withinMs)
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
