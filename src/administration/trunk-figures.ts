/** Statistics of the calls on each trunk of a workspace. */
import { carriedCalls, failedCalls, type CarriedCalls } from '#src/persistence/carried-calls.ts';
import { listTrunks } from '#src/persistence/trunks.ts';
import type { WorkspaceReader } from './administrator.ts';

export type TrunkFigures = Omit<CarriedCalls, 'durationSec'> & {
  /** Calls that failed on it and used another trunk. */
  outboundFailedOver: number;
  /** ASR: share of outbound calls on the trunk that were answered. */
  answerSeizureRatio: number | null;
  /** ACD of answered calls in both directions. */
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

const figuresOf = ({ durationSec, ...calls }: CarriedCalls, failedOver: number): TrunkFigures => {
  const seizures = calls.outboundCalls + failedOver;
  return {
    ...calls,
    outboundFailedOver: failedOver,
    answerSeizureRatio: seizures === 0 ? null : calls.outboundAnswered / seizures,
    averageCallDurationSec: durationSec,
  };
};

/** Existing trunks in their order, then deleted and configured ones that carried calls in the period. */
export const trunkFigures = async (
  { database, workspaceId }: WorkspaceReader,
  time: { since: Date; until: Date },
): Promise<TrunkFigures[]> => {
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
  return [...known, ...others].map((calls) => figuresOf(calls, failed.get(calls.trunkId) ?? 0));
};
