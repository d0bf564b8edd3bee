/** `tokens …`: the admin tokens of a workspace. */
import {
  revokeAdminToken,
  listAdminTokens,
  makeAdminToken,
  type AdminTokenRecord,
} from '#src/administration/administer-tokens.ts';
import { listWorkspaces, type WorkspaceRecord } from '#src/administration/administer-workspaces.ts';
import { encode } from '#src/api/http/codec.ts';
import { adminTokenRequest, endOf } from '#src/api/tokens/tokens.ts';
import { presentToken, token as shownToken } from '#src/api/tokens/token-schema.ts';
import { timestampIn } from '#src/domain/timestamp.ts';
import { chooseWorkspace, operatorOf } from './choose-workspace.ts';
import {
  type Command,
  type CommandArguments,
  type CommandContext,
  nameIn,
  table,
  textIn,
  textOption,
} from './command.ts';
import { checked, fieldsIn } from './given-fields.ts';
import { UsageError } from '../parse-options.ts';

/** Tokens are shown without `is_current`, because the operator acts without a token. */
const listed = shownToken.omit({ is_current: true });

const presented = ({ clock }: CommandContext, { timeZone }: WorkspaceRecord, record: AdminTokenRecord) =>
  encode(listed, presentToken(record, clock.now()), timeZone);

const listAll: Command = {
  name: 'tokens list',
  usage: '',
  summary: 'the admin tokens, with their last use; the tokens themselves are not kept',
  words: { least: 0, most: 0 },
  options: {},
  async run(context, given) {
    const workspace = await chooseWorkspace(context, textIn(given, 'workspace'));
    const all = await listAdminTokens(context.database, workspace.id);
    const tokens = all.map((record) => presented(context, workspace, record));
    const rows = tokens.map((token) => [
      token.name,
      token.role,
      token.last_used_at ?? 'never',
      token.state === 'expired' ? 'has ended' : (token.expires_at ?? 'never'),
      token.id,
    ]);
    return { text: table([['NAME', 'ROLE', 'LAST USED', 'ENDS', 'ID'], ...rows]), json: { tokens } };
  },
};

const create: Command = {
  name: 'tokens create',
  usage: 'NAME [--role admin|viewer] [--expires-in-days DAYS | --expires-at TIME]',
  summary: 'makes an admin token and prints it, this once; a viewer reads everything but keys',
  words: { least: 0, most: 1 },
  options: {
    name: textOption,
    role: { ...textOption, default: 'admin' },
    'expires-in-days': textOption,
    'expires-at': textOption,
  },
  async run(context, given) {
    const name = nameIn(given, 'name', 'tokens create NAME');
    const fields = fieldsIn(given, adminTokenRequest.omit({ name: true }).shape);
    const request = checked(adminTokenRequest, { ...fields, name });
    const expiresAt = endOf(request, context.clock.now());
    const workspace = await chooseWorkspace(context, textIn(given, 'workspace'));
    const { record, token } = await makeAdminToken(operatorOf(context, workspace), {
      name: request.name,
      role: request.role,
      expiresAt,
    });
    const until = expiresAt === null ? 'it is revoked' : timestampIn(workspace.timeZone, expiresAt);
    return {
      text: `${token}\n\nShown this once. Role ${record.role}, workspace "${workspace.name}", valid until ${until}.`,
      json: { ...presented(context, workspace, record), token },
    };
  },
};

/** Finds a token by its id, in any workspace, or by its name in the chosen workspace. */
export const findToken = async (
  context: CommandContext,
  given: CommandArguments,
  named: string,
): Promise<{ workspace: WorkspaceRecord; record: AdminTokenRecord }> => {
  const { database } = context;
  for (const workspace of await listWorkspaces(database)) {
    const record = (await listAdminTokens(database, workspace.id)).find(({ id }) => id === named);
    if (record !== undefined) return { workspace, record };
  }
  const workspace = await chooseWorkspace(context, textIn(given, 'workspace'));
  const found = (await listAdminTokens(database, workspace.id)).filter(({ name }) => name === named);
  const [record, ...others] = found;
  if (record === undefined) throw new UsageError(`There is no token "${named}": see "tokens list"`);
  if (others.length > 0)
    throw new UsageError(`Several tokens are named "${named}": take the id, see "tokens list"`);
  return { workspace, record };
};

const revoke: Command = {
  name: 'tokens revoke',
  usage: 'ID|NAME',
  summary: 'ends an admin token at once',
  words: { least: 1, most: 1 },
  options: {},
  async run(context, given) {
    const [named = ''] = given.positionals;
    const { workspace, record } = await findToken(context, given, named);
    await revokeAdminToken(operatorOf(context, workspace), record.id);
    return {
      text: `The token "${record.name}" is revoked.`,
      json: { id: record.id, name: record.name, revoked: true },
    };
  },
};

export const tokenCommands: readonly Command[] = [listAll, create, revoke];
