import { appendAudit } from '#src/persistence/audit.ts';
import type { AuthenticatedAdmin } from '#src/persistence/admin-tokens.ts';
import type { Interior } from './interior.ts';

/** Each change by the admin API, and each look at a secret, leaves a row. `detail` holds no secret. */
export const audit = (
  { database, clock }: Interior,
  admin: AuthenticatedAdmin,
  entry: { action: string; subject: string; detail?: Record<string, unknown> },
): Promise<void> =>
  appendAudit(database, {
    ...entry,
    workspaceId: admin.workspace.id,
    actor: `admin:${admin.id}`,
    at: new Date(clock.now()),
  });
