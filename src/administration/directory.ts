/**
 * The directory of this database: workspaces with their admins, numbers, trunks and gateways, as the API reads them. What
 * an admin changes takes an `Administrator` (`administer-*.ts`).
 */
import type { Logger } from 'pino';
import { detailsOf, listNumbers, type NumberDetails, type NumberRecord } from './administer-numbers.ts';
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

/** `silent`: it lost the database or has just died; `lost`: others take over its calls. */
type GatewayState = 'running' | 'silent' | 'lost';

type GatewayRecord = Pick<ListedGateway, 'name' | 'seenAt' | 'takesCalls'> & {
  state: GatewayState;
  calls: { ringing: number; active: number; takenOver: number };
};

const stateOf = ({ isLost, hasSession }: ListedGateway): GatewayState => {
  if (isLost) return 'lost';
  return hasSession ? 'running' : 'silent';
};

/** Sorted by name, with the number of this workspace's calls at each. */
const listGateways = async (database: Database, workspaceId: string): Promise<GatewayRecord[]> =>
  (await listGatewaysOf(database, workspaceId)).map((gateway) => {
    const { name, seenAt, takesCalls, ringing, active, takenOver } = gateway;
    return { name, seenAt, takesCalls, state: stateOf(gateway), calls: { ringing, active, takenOver } };
  });

type TokenOwner = { id: string; workspaceId: string };

export type Directory = {
  authenticateToken: AuthenticateAdmin;
  authenticateSession: AuthenticateSession;
  /** Acts in the workspace of this admin. */
  administrator(admin: AuthenticatedAdmin): Administrator;
  /** Resolves to the secret of the session's cookie, which is not stored. */
  beginSession(owner: TokenOwner, by: 'token' | 'link'): Promise<string>;
  finishSession(secret: string): Promise<void>;
  /** Refuses with `sign_in_link_used` or `sign_in_link_expired`. */
  openSignInLink(code: string): Promise<TokenOwner>;
  numbers(workspaceId: string): Promise<NumberRecord[]>;
  /** The agents of a number, and whether it has a key. */
  detailsOf(number: NumberRecord): Promise<NumberDetails>;
  /** The stored token and headers for a number's agent, if it has this URL. */
  secretsFor(numberId: string, agent: Parameters<typeof secretsFor>[2]): ReturnType<typeof secretsFor>;
  trunks(workspaceId: string): ReturnType<typeof listTrunks>;
  tokens(workspaceId: string): ReturnType<typeof listAdminTokens>;
  auditEntries(wanted: Parameters<typeof listAudit>[1]): ReturnType<typeof listAudit>;
  gateways(workspaceId: string): Promise<GatewayRecord[]>;
  /** Checks the database: resolves if it answers. */
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
    detailsOf: (number) => detailsOf(services, number),
    secretsFor: (numberId, agent) => secretsFor(services, numberId, agent),
    trunks: (workspaceId) => listTrunks(database, workspaceId),
    tokens: (workspaceId) => listAdminTokens(database, workspaceId),
    auditEntries: (wanted) => listAudit(database, wanted),
    gateways: (workspaceId) => listGateways(database, workspaceId),
    ping: () => database.ping(),
  };
};
