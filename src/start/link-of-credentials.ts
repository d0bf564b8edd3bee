import type { AdministrationServices } from '#src/administration/administrator.ts';
import { makeSignInLink } from '#src/administration/console-sessions.ts';
import { authenticateAdmin } from '#src/persistence/workspaces/admin-tokens.ts';
import type { Credentials } from './credentials.ts';

/** Sign-in link for the admin of the credentials; undefined if their token is revoked or expired. */
export const linkOfCredentials = async (
  services: AdministrationServices,
  { admin_token: token, console_url: consoleUrl }: Pick<Credentials, 'admin_token' | 'console_url'>,
): Promise<string | undefined> => {
  const { database, sealing, clock } = services;
  const admin = await authenticateAdmin(database, sealing, token, new Date(clock.now()));
  return admin && makeSignInLink(services, admin.id, consoleUrl);
};
