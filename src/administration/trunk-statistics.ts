/** Statistics of the calls on each trunk of a workspace. */
import { carriedCalls, failedCalls, type CarriedCalls } from '#src/persistence/trunks/carried-calls.ts';
import { listTrunks } from '#src/persistence/trunks/trunks.ts';
import type { WorkspaceReader } from './administrator.ts';

export type TrunkStatistics = Omit<CarriedCalls, 'durationSec'> & {
  /** Number of calls that failed on this trunk and then used another trunk. */
  outboundFailedOver: number;
  /** ASR: share of outbound calls on the trunk that were answered. */
  answerSeizureRatio: number | null;
  /** ACD: average duration of answered calls in both directions. */
  averageCallDurationSec: number | null;
};

const idle = (trunk: { id: string; name: string }): CarriedCalls => ({
  trunkId: trunk.id,
  name: trunk.name,
  outboundCalls: 0,
  outboundAnswered: 0,
  inboundCalls: 0,
  inboundAnswered: 0,
  durationSec: null,
  postDialDelayMs: null,
  mos: null,
  oneWayCalls: 0,
});

const statisticsOf = ({ durationSec, ...calls }: CarriedCalls, failedOver: number): TrunkStatistics => {
  const seizures = calls.outboundCalls + failedOver;
  return {
    ...calls,
    outboundFailedOver: failedOver,
    answerSeizureRatio: seizures === 0 ? null : calls.outboundAnswered / seizures,
    averageCallDurationSec: durationSec,
  };
};

/** Lists existing trunks in their order, followed by deleted and configured trunks that carried calls in the period. */
export const trunkStatistics = async (
  { database, workspaceId }: WorkspaceReader,
  time: { since: Date; until: Date },
): Promise<TrunkStatistics[]> => {
  const within = { workspaceId, ...time };
  const [trunks, carried, failed] = await Promise.all([
    listTrunks(database, workspaceId),
    carriedCalls(database, within),
    failedCalls(database, within),
  ]);
  const known = trunks.map(({ id, name }) => ({
    ...(carried.find(({ trunkId }) => trunkId === id) ?? idle({ id, name })),
    name,
  }));
  const others = carried.filter(({ trunkId }) => trunks.every(({ id }) => id !== trunkId));
  return [...known, ...others].map((calls) => statisticsOf(calls, failed.get(calls.trunkId) ?? 0));
};
