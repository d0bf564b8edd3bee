import { note } from '#src/administration/administrator.ts';
import type { AuthenticatedAdmin } from '#src/administration/admin-authentication.ts';
import type { ApiServices } from '../api-services.ts';

/**
 * Writes the audit log: one entry for each change by the admin API and for each reading of a secret. `detail` must not
 * contain secrets.
 */
export const audit = (
  { directory }: ApiServices,
  admin: AuthenticatedAdmin,
  entry: { action: string; subject: string; detail?: Record<string, unknown> },
): Promise<void> => note(directory.administrator(admin), entry);
