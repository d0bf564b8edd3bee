/**
 * The administrator that acts on a workspace, by the admin API or by the operator's commands. Each act leaves a row in
 * its audit log.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '#src/domain/clock.ts';
import { wordsOf, type Destinations } from '#src/domain/destinations.ts';
import { snakeCase } from '#src/domain/field-names.ts';
import { appendAudit, type NewAuditEntry } from '#src/persistence/audit-entries.ts';
import type { Database } from '#src/persistence/database.ts';
import type { Sealing } from '#src/persistence/sealing.ts';

export { listAudit } from '#src/persistence/audit-entries.ts';

/** Services that administration works with. */
export type AdministrationServices = {
  database: Database;
  sealing: Sealing;
  clock: Pick<Clock, 'now'>;
};

export type Administrator = AdministrationServices & {
  workspaceId: string;
  /** `admin:` and the id of the token, or `operator`. */
  actor: string;
};

/** A reader of a workspace, who changes nothing. */
export type WorkspaceReader = Pick<Administrator, 'database' | 'workspaceId'>;

/** `detail` holds no secret. */
type Act = { action: string; subject: string; detail?: Record<string, unknown> };

/** For an act that is written down in one transaction with what it does. */
export const entryOf = ({ clock, workspaceId, actor }: Administrator, act: Act): NewAuditEntry => ({
  ...act,
  workspaceId,
  actor,
  at: new Date(clock.now()),
});

export const note = (administrator: Administrator, act: Act): Promise<void> =>
  appendAudit(administrator.database, entryOf(administrator, act));

/** A policy as it is written down and compared: where calls may go is a text. */
export const inWords = <Policy extends { destinations: Destinations | null }>(
  policy: Policy,
): Omit<Policy, 'destinations'> & { destinations: string | null } => ({
  ...policy,
  destinations: policy.destinations && wordsOf(policy.destinations).join(', '),
});

export type Changes = Record<string, { from: unknown; to: unknown }>;

/** Which of these fields differ, for the audit log, under their names in the API. */
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
