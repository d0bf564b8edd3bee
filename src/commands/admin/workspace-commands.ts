/** `workspaces …`: only the operator creates workspaces. The other changes are also available to admins. */
import * as z from 'zod';
import { makeAdminToken } from '#src/administration/administer-tokens.ts';
import { requireTurnEnd } from '#src/administration/choose-turn-end.ts';
import {
  addWorkspace,
  changeWorkspace,
  listWorkspaces,
  workspaceOf,
  type WorkspaceRecord,
} from '#src/administration/administer-workspaces.ts';
import { encode } from '#src/api/http/codec.ts';
import { presentWorkspace, workspace, workspaceFields } from '#src/api/workspace/workspace-schema.ts';
import { chooseWorkspace, operatorOf } from './choose-workspace.ts';
import {
  type Command,
  type CommandArguments,
  type CommandContext,
  nameIn,
  operator,
  table,
  textIn,
} from './command.ts';
import { checked } from './given-fields.ts';
import { changesIn, settingOptions, settingsIn, settingsTable } from './setting-options.ts';
import { UsageError } from '../parse-options.ts';

const shape = z.strictObject(workspaceFields).partial();

/** Presents a workspace in the format of the API. */
const shown = (context: CommandContext, record: WorkspaceRecord) =>
  encode(workspace, presentWorkspace(context.platform, record), record.timeZone);

/** Describes the workspace's own settings, with inherited values in brackets. */
const described = (context: CommandContext, record: WorkspaceRecord): string => {
  const { effective, ...own } = shown(context, record);
  const platform: Readonly<Record<string, unknown>> = effective;
  return settingsTable(own, (field) => platform[field]);
};

const answer = (context: CommandContext, record: WorkspaceRecord) => ({
  text: described(context, record),
  json: shown(context, record),
});

/** Returns the workspace that an argument or option names; undefined for the only workspace. */
const workspaceIn = (given: CommandArguments, verb: string): string | undefined =>
  given.positionals.length === 0 && textIn(given, 'workspace') === undefined
    ? undefined
    : nameIn(given, 'workspace', `workspaces ${verb} WORKSPACE`);

/** Rejects a workspace option of a command that needs no workspace. */
const requireNone = (given: CommandArguments, verb: string): void => {
  if (textIn(given, 'workspace') !== undefined)
    throw new UsageError(`--workspace says nothing to "workspaces ${verb}"`);
};

const listAll: Command = {
  name: 'workspaces list',
  usage: '',
  summary: 'all workspaces of this database',
  words: { least: 0, most: 0 },
  options: {},
  async run(context, given) {
    requireNone(given, 'list');
    const all = await listWorkspaces(context.database);
    return {
      text: table([
        ['NAME', 'TIME ZONE', 'ID'],
        ...all.map(({ name, timeZone, id }) => [name, timeZone, id]),
      ]),
      json: { workspaces: all.map((one) => shown(context, one)) },
    };
  },
};

const create: Command = {
  name: 'workspaces create',
  usage: 'NAME [settings]',
  summary: 'makes a workspace, and prints its first admin token',
  words: { least: 0, most: 1 },
  options: settingOptions(workspaceFields),
  async run(context, given) {
    requireNone(given, 'create');
    const name = nameIn(given, 'name', 'workspaces create NAME');
    const patch = checked(shape, { ...settingsIn(given, workspaceFields), name });
    requireTurnEnd(context.engines, patch.turnEnd);
    const by = await addWorkspace({ ...context, actor: operator }, { ...patch, name: patch.name ?? name });
    const { token } = await makeAdminToken(by, { name: 'first token', role: 'admin', expiresAt: null });
    const { text, json } = answer(context, await workspaceOf(by));
    return {
      text: `${text}\n\nIts first admin token, shown this once:\n\n  ${token}`,
      json: { ...json, admin_token: token },
    };
  },
};

const show: Command = {
  name: 'workspaces show',
  usage: '[WORKSPACE]',
  summary: 'its settings; what stands in brackets is the platform’s',
  words: { least: 0, most: 1 },
  options: {},
  async run(context, given) {
    return answer(context, await chooseWorkspace(context, workspaceIn(given, 'show')));
  },
};

const set: Command = {
  name: 'workspaces set',
  usage: '[WORKSPACE] settings',
  summary: 'changes its settings, for calls that begin from now on',
  words: { least: 0, most: 1 },
  options: settingOptions(workspaceFields),
  async run(context, given) {
    const found = await chooseWorkspace(context, workspaceIn(given, 'set'));
    const patch = checked(shape, changesIn(given, workspaceFields));
    requireTurnEnd(context.engines, patch.turnEnd);
    return answer(context, await changeWorkspace(operatorOf(context, found), patch));
  },
};

export const workspaceCommands: readonly Command[] = [listAll, create, show, set];
