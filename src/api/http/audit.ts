import { note } from '#src/administration/administrator.ts';
import type { AuthenticatedAdmin } from '#src/administration/admin-authentication.ts';
import type { ApiServices } from '../api-services.ts';

/** Each change by the admin API, and each reading of a secret, writes a row. `detail` contains no secret. */
export const audit = (
  { directory }: ApiServices,
  admin: AuthenticatedAdmin,
  entry: { action: string; subject: string; detail?: Record<string, unknown> },
): Promise<void> => note(directory.administrator(admin), entry);
