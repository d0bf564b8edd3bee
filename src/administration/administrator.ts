/**
 * Administrator of a workspace, acting through the admin API or the operator's commands. Each change adds a row to the
 * audit log.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '#src/domain/clock.ts';
import { wordsOf, type Destinations } from '#src/domain/destinations.ts';
import { snakeCase } from '#src/domain/field-names.ts';
import { appendAudit, type NewAuditEntry } from '#src/persistence/workspaces/audit-entries.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';

export { listAudit } from '#src/persistence/workspaces/audit-entries.ts';

/** Dependencies of the administration. */
export type AdministrationServices = {
  database: Database;
  sealing: Sealing;
  clock: Clock;
};

export type Administrator = AdministrationServices & {
  workspaceId: string;
  /** `admin:` followed by the token's id, or `operator`. */
  actor: string;
};

/** Read access to a workspace. */
export type WorkspaceReader = Pick<Administrator, 'database' | 'workspaceId'>;

/** `detail` must not contain secrets. */
type Act = { action: string; subject: string; detail?: Record<string, unknown> };

/** Creates an entry of the audit log, for changes that are audited in one transaction with their effect. */
export const entryOf = ({ clock, workspaceId, actor }: Administrator, act: Act): NewAuditEntry => ({
  ...act,
  workspaceId,
  actor,
  at: new Date(clock.now()),
});

export const note = (administrator: Administrator, act: Act): Promise<void> =>
  appendAudit(administrator.database, entryOf(administrator, act));

/** Returns a policy as it is audited and compared, with destinations as text. */
export const inWords = <Policy extends { destinations: Destinations | null }>(
  policy: Policy,
): Omit<Policy, 'destinations'> & { destinations: string | null } => ({
  ...policy,
  destinations: policy.destinations && wordsOf(policy.destinations).join(', '),
});

export type Changes = Record<string, { from: unknown; to: unknown }>;

/** Returns the names of differing fields in the API's terms, for the audit log. */
export const changesBetween = <Name extends string>(
  fields: readonly Name[],
  before: Readonly<Record<Name, unknown>>,
  after: Readonly<Record<Name, unknown>>,
): Changes =>
  Object.fromEntries(
    fields
      .filter((name) => !isDeepStrictEqual(before[name], after[name]))
      .map((name) => [snakeCase(name), { from: before[name], to: after[name] }]),
  );
