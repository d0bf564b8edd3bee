/** `sign-in-link`: a single-use link that signs a browser in to the console. */
import { note } from '#src/administration/administrator.ts';
import { makeSignInLink, signInLinkSec } from '#src/administration/console-sessions.ts';
import { findAdminToken, type AdminTokenRecord } from '#src/persistence/workspaces/admin-tokens.ts';
import { UsageError } from '../parse-options.ts';
import { operatorOf } from './choose-workspace.ts';
import type { Command, CommandArguments, CommandContext } from './command.ts';
import { findToken } from './token-commands.ts';

/**
 * Returns the named token, or the token in the gateway's credentials file. Throws a UsageError if that token is no
 * longer valid.
 */
const tokenFor = async (
  context: CommandContext,
  given: CommandArguments,
): Promise<Pick<AdminTokenRecord, 'id' | 'name' | 'role' | 'workspaceId'>> => {
  const { database, sealing, clock, home } = context;
  const [named] = given.positionals;
  const own = () =>
    home.adminToken === undefined ? undefined : findAdminToken(database, sealing, home.adminToken);
  const record = named === undefined ? await own() : (await findToken(context, given, named)).record;
  if (record === undefined)
    throw new UsageError('There is no dev-credentials.json here: say for which token, see "tokens list"');
  const { revokedAt, expiresAt } = record;
  if (revokedAt === null && (expiresAt === null || expiresAt.getTime() > clock.now())) return record;
  throw new UsageError(
    `The token "${record.name}" was revoked or has ended: say for which other one, see "tokens list"`,
  );
};

/**
 * Returns the address of the console. The address of a gateway on a random port is known only through its credentials
 * file.
 */
const addressOf = ({ consoleUrl }: CommandContext['home']): string => {
  if (consoleUrl !== null) return consoleUrl;
  throw new UsageError(
    'GW_PORT is 0 and there is no dev-credentials.json here: set GW_PORT to the port that the gateway listens at',
  );
};

const signInLink: Command = {
  name: 'sign-in-link',
  usage: '[ID|NAME]',
  summary:
    'prints a link that signs a browser of this machine in to the console, once, within ten minutes; as the admin of dev-credentials.json, or of the token that is named',
  words: { least: 0, most: 1 },
  options: {},
  async run(context, given) {
    const { id, name, role, workspaceId } = await tokenFor(context, given);
    const address = addressOf(context.home);
    const link = await makeSignInLink(context, id, address);
    await note(operatorOf(context, { id: workspaceId }), {
      action: 'sign_in_link.created',
      subject: `admin_token:${id}`,
    });
    return {
      text: `${link}\n\nOpens the console once, within ten minutes, in a browser on the machine of the gateway: as "${name}" (${role}).`,
      json: { link, expires_in_sec: signInLinkSec, token: { id, name, role } },
    };
  },
};

export const signInCommands: readonly Command[] = [signInLink];
