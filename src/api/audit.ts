import { note, type Administrator } from '#src/administration/administrator.ts';
import type { AuthenticatedAdmin } from '#src/administration/admin-authentication.ts';
import type { ApiServices } from './api-services.ts';

/** The admin of a token, for operations that are also available outside this API. */
export const administratorOf = (
  { database, sealing, clock }: ApiServices,
  admin: AuthenticatedAdmin,
): Administrator => ({
  database,
  sealing,
  clock,
  workspaceId: admin.workspace.id,
  actor: `admin:${admin.id}`,
});

/** Each change by the admin API, and each reading of a secret, writes a row. `detail` contains no secret. */
export const audit = (
  services: ApiServices,
  admin: AuthenticatedAdmin,
  entry: { action: string; subject: string; detail?: Record<string, unknown> },
): Promise<void> => note(administratorOf(services, admin), entry);
