/** The gateways that serve a workspace together. */
import type { Database } from '#src/persistence/database.ts';
import { listGatewaysOf, type ListedGateway } from '#src/persistence/gateway-list.ts';

/** `silent`: it has lost the database, or has died a moment ago; `lost`: the others go on with its calls. */
export type GatewayState = 'running' | 'silent' | 'lost';

export type GatewayRecord = Pick<ListedGateway, 'name' | 'seenAt' | 'takesCalls'> & {
  state: GatewayState;
  calls: { ringing: number; active: number; takenOver: number };
};

const stateOf = ({ isLost, hasSession }: ListedGateway): GatewayState => {
  if (isLost) return 'lost';
  return hasSession ? 'running' : 'silent';
};

/** By their names, with the calls of this workspace that each holds. */
export const listGateways = async (database: Database, workspaceId: string): Promise<GatewayRecord[]> =>
  (await listGatewaysOf(database, workspaceId)).map((gateway) => {
    const { name, seenAt, takesCalls, ringing, active, takenOver } = gateway;
    return { name, seenAt, takesCalls, state: stateOf(gateway), calls: { ringing, active, takenOver } };
  });
