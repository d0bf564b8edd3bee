/** Lists the gateways that share the database. */
import type { Database } from '#src/persistence/database/database.ts';
import { listGatewaysOf, type ListedGateway } from '#src/persistence/nodes/gateway-list.ts';

/** `silent`: it lost the database or has just died; `lost`: others take over its calls. */
export type GatewayState = 'running' | 'silent' | 'lost';

export type GatewayRecord = Pick<ListedGateway, 'name' | 'seenAt' | 'takesCalls'> & {
  state: GatewayState;
  calls: { ringing: number; active: number; takenOver: number };
};

const stateOf = ({ isLost, hasSession }: ListedGateway): GatewayState => {
  if (isLost) return 'lost';
  return hasSession ? 'running' : 'silent';
};

/** Sorted by name, with the number of this workspace's calls at each. */
export const listGateways = async (database: Database, workspaceId: string): Promise<GatewayRecord[]> =>
  (await listGatewaysOf(database, workspaceId)).map((gateway) => {
    const { name, seenAt, takesCalls, ringing, active, takenOver } = gateway;
    return { name, seenAt, takesCalls, state: stateOf(gateway), calls: { ringing, active, takenOver } };
  });
