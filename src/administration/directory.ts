/**
 * Directory of this database: workspaces with their admins, numbers, trunks and gateways, as the API reads them. The
 * functions by which an admin changes them take an `Administrator` (`administer-*.ts`).
 */
import type { Logger } from 'pino';
import { listNumbers, readDetails, type NumberDetails, type NumberRecord } from './administer-numbers.ts';
import { listAdminTokens } from './administer-tokens.ts';
import { listTrunks } from './administer-trunks.ts';
import {
  createAdminAuthentication,
  type AuthenticateAdmin,
  type AuthenticatedAdmin,
} from './admin-authentication.ts';
import { listAudit, type AdministrationServices, type Administrator } from './administrator.ts';
import {
  beginSession,
  createSessionAuthentication,
  finishSession,
  openSignInLink,
  type AuthenticateSession,
} from './console-sessions.ts';
import { secretsFor } from './number-agents.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { listGatewaysOf, type ListedGateway } from '#src/persistence/nodes/gateway-list.ts';

/** `silent`: the gateway has lost the database or has just died. `lost`: other gateways take over its calls. */
type GatewayState = 'running' | 'silent' | 'lost';

type GatewayRecord = Pick<ListedGateway, 'name' | 'seenAt' | 'takesCalls' | 'version' | 'load'> & {
  state: GatewayState;
  calls: { ringing: number; active: number; takenOver: number };
};

const stateOf = ({ isLost, hasSession }: ListedGateway): GatewayState => {
  if (isLost) return 'lost';
  return hasSession ? 'running' : 'silent';
};

/** Lists gateways by name, with the number of this workspace's calls at each. */
const listGateways = async (database: Database, workspaceId: string): Promise<GatewayRecord[]> =>
  (await listGatewaysOf(database, workspaceId)).map((gateway) => {
    const { name, seenAt, takesCalls, version, ringing, active, takenOver } = gateway;
    const state = stateOf(gateway);
    // The load of a gateway that no longer renews its registration is outdated.
    const load = state === 'running' ? gateway.load : null;
    return { name, seenAt, takesCalls, version, load, state, calls: { ringing, active, takenOver } };
  });

type TokenOwner = { id: string; workspaceId: string };

export type Directory = {
  authenticateToken: AuthenticateAdmin;
  authenticateSession: AuthenticateSession;
  /** Returns the services by which this admin changes the workspace. */
  administrator(admin: AuthenticatedAdmin): Administrator;
  /** Resolves to the secret of the session's cookie. The secret is not stored. */
  beginSession(owner: TokenOwner, by: 'token' | 'link'): Promise<string>;
  finishSession(secret: string): Promise<void>;
  /** Rejects with `sign_in_link_used` or `sign_in_link_expired`. */
  openSignInLink(code: string): Promise<TokenOwner>;
  numbers(workspaceId: string): Promise<NumberRecord[]>;
  /** Reads agents, keys and last calls of numbers. The returned function adds them to one of the numbers. */
  readDetails(numbers: readonly NumberRecord[]): Promise<(number: NumberRecord) => NumberDetails>;
  /** Resolves to the stored token and headers of a number's agent, if they were stored for this URL. */
  secretsFor(numberId: string, agent: Parameters<typeof secretsFor>[2]): ReturnType<typeof secretsFor>;
  trunks(workspaceId: string): ReturnType<typeof listTrunks>;
  tokens(workspaceId: string): ReturnType<typeof listAdminTokens>;
  auditEntries(wanted: Parameters<typeof listAudit>[1]): ReturnType<typeof listAudit>;
  gateways(workspaceId: string): Promise<GatewayRecord[]>;
  /** Resolves if the database answers. */
  ping(): Promise<void>;
};

export const createDirectory = ({
  logger,
  ...services
}: AdministrationServices & { logger: Logger }): Directory => {
  const { database, sealing, clock } = services;
  return {
    authenticateToken: createAdminAuthentication({ ...services, logger }),
    authenticateSession: createSessionAuthentication({ ...services, logger }),
    administrator: (admin) => ({
      database,
      sealing,
      clock,
      workspaceId: admin.workspace.id,
      actor: `admin:${admin.id}`,
    }),
    beginSession: (owner, by) => beginSession(services, owner, by),
    finishSession: (secret) => finishSession(services, secret),
    openSignInLink: (code) => openSignInLink(services, code),
    numbers: (workspaceId) => listNumbers(database, workspaceId),
    readDetails: (numbers) => readDetails(services, numbers),
    secretsFor: (numberId, agent) => secretsFor(services, numberId, agent),
    trunks: (workspaceId) => listTrunks(database, workspaceId),
    tokens: (workspaceId) => listAdminTokens(database, workspaceId),
    auditEntries: (wanted) => listAudit(database, wanted),
    gateways: (workspaceId) => listGateways(database, workspaceId),
    ping: () => database.ping(),
  };
};
