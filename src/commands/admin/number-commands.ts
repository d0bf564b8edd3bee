/** `numbers …`: telephone numbers in domestic format. */
import * as z from 'zod';
import type { Administrator } from '#src/administration/administrator.ts';
import type { Directory } from '#src/administration/directory.ts';
import { issueNumberKey, revealNumberKey } from '#src/administration/issue-number-key.ts';
import {
  addNumber,
  changeNumber,
  listNumbers,
  numberOf,
  readDetails,
  removeNumber,
  type NumberRecord,
} from '#src/administration/administer-numbers.ts';
import { listWorkspaces, workspaceOf } from '#src/administration/administer-workspaces.ts';
import { domesticNumber } from '#src/api/domestic-number.ts';
import { encode } from '#src/api/http/codec.ts';
import { number as numberSchema, settingsFields } from '#src/api/numbers/number-schema.ts';
import { presentNumber, presentNumbers } from '#src/api/numbers/present-number.ts';
import { domesticFormAdvice } from '#src/domain/read-number.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { findNumberByDigits, type CallableNumber } from '#src/persistence/numbers/callable-numbers.ts';
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
import { checked } from './given-fields.ts';
import { changesIn, settingOptions, settingsTable } from './setting-options.ts';
import { UsageError } from '../parse-options.ts';

const shape = z.strictObject(settingsFields).partial();

const digitsOf = (context: CommandContext, written: string): string => {
  try {
    return domesticNumber(context.country, 'number', written);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const advice = domesticFormAdvice(written, context.country) ?? 'such as 070-1234-5678';
    throw new UsageError(`"${written}" is no telephone number in domestic format: ${advice}`);
  }
};

/** Reader of the agents and keys of numbers. */
const storedIn = (context: CommandContext): Pick<Directory, 'readDetails'> => ({
  readDetails: (numbers) => readDetails(context, numbers),
});

const numberIn = async (context: CommandContext, given: CommandArguments): Promise<CallableNumber> => {
  const [written = ''] = given.positionals;
  const digits = digitsOf(context, written);
  const number = await findNumberByDigits(context.database, digits);
  if (number === undefined) throw new UsageError(`There is no number ${digits}: see "numbers list"`);
  const named = textIn(given, 'workspace');
  if (named !== undefined && (await chooseWorkspace(context, named)).id !== number.workspace.id)
    throw new UsageError(`The number ${digits} belongs to another workspace: see "numbers list"`);
  return number;
};

/** Result of a command: the number's settings, with inherited values for the settings that it does not have. */
const answer = async (context: CommandContext, by: Administrator, record: NumberRecord) => {
  const { timeZone } = await workspaceOf(by);
  const json = encode(numberSchema, await presentNumber(storedIn(context), record), timeZone);
  const { number, ...fields } = json;
  const own = Object.entries(fields).filter(([field]) => Object.hasOwn(settingsFields, field));
  return { text: settingsTable({ number, ...Object.fromEntries(own) }, () => 'default'), json };
};

const listAll: Command = {
  name: 'numbers list',
  usage: '',
  summary: 'the numbers of all workspaces, or of one',
  words: { least: 0, most: 0 },
  options: {},
  async run(context, given) {
    const named = textIn(given, 'workspace');
    const workspaces =
      named === undefined ? await listWorkspaces(context.database) : [await chooseWorkspace(context, named)];
    const rows: string[][] = [];
    const numbers: unknown[] = [];
    for (const { id, name, timeZone } of workspaces) {
      const records = await listNumbers(context.database, id);
      for (const number of await presentNumbers(storedIn(context), records)) {
        numbers.push({ ...encode(numberSchema, number, timeZone), workspace_id: id });
        rows.push([number.number, number.language, number.key === null ? 'none' : 'issued', name, number.id]);
      }
    }
    return { text: table([['NUMBER', 'LANGUAGE', 'KEY', 'WORKSPACE', 'ID'], ...rows]), json: { numbers } };
  },
};

const create: Command = {
  name: 'numbers create',
  usage: 'NUMBER [--language LANGUAGE]',
  summary: 'adds a number, and prints its key',
  words: { least: 0, most: 1 },
  options: { number: textOption, language: { ...textOption, default: 'ko' } },
  async run(context, given) {
    const digits = digitsOf(context, nameIn(given, 'number', 'numbers create NUMBER'));
    const settings = checked(shape.pick({ language: true }).required(), {
      language: textIn(given, 'language'),
    });
    const workspace = await chooseWorkspace(context, textIn(given, 'workspace'));
    const by = operatorOf(context, workspace);
    const { id, number } = await addNumber(by, { ...settings, number: digits });
    const key = await issueNumberKey(by, id);
    return {
      text: `${number} is added to the workspace "${workspace.name}". Its key:\n\n  ${key}`,
      json: { id, number, ...settings, workspace_id: workspace.id, key },
    };
  },
};

const show: Command = {
  name: 'numbers show',
  usage: 'NUMBER',
  summary: 'its settings; what is "(default)" is what its workspace, its agent or the gateway says',
  words: { least: 1, most: 1 },
  options: {},
  async run(context, given) {
    const { id, workspace } = await numberIn(context, given);
    const by = operatorOf(context, workspace);
    return answer(context, by, await numberOf(by, id));
  },
};

const set: Command = {
  name: 'numbers set',
  usage: 'NUMBER settings',
  summary: 'changes its settings, for calls that begin from now on',
  words: { least: 1, most: 1 },
  options: settingOptions(settingsFields),
  async run(context, given) {
    const { id, workspace } = await numberIn(context, given);
    const patch = checked(shape, changesIn(given, settingsFields));
    const by = operatorOf(context, workspace);
    return answer(context, by, await changeNumber(by, id, patch, context.engines));
  },
};

const remove: Command = {
  name: 'numbers delete',
  usage: 'NUMBER',
  summary: 'takes a number away with its key; its calls and records stay',
  words: { least: 1, most: 1 },
  options: {},
  async run(context, given) {
    const { id, number, workspace } = await numberIn(context, given);
    await removeNumber(operatorOf(context, workspace), id);
    return { text: `${number} is deleted. Its calls and records stay.`, json: { id, number, deleted: true } };
  },
};

const key: Command = {
  name: 'numbers key',
  usage: 'NUMBER [--new]',
  summary: 'prints its key; with --new another one, which makes the old one invalid at once',
  words: { least: 1, most: 1 },
  options: { new: { type: 'boolean' } },
  async run(context, given) {
    const { id, number, workspace } = await numberIn(context, given);
    const act = given.options['new'] === true ? issueNumberKey : revealNumberKey;
    const shown = await act(operatorOf(context, workspace), id);
    return { text: shown, json: { id, number, key: shown } };
  },
};

export const numberCommands: readonly Command[] = [listAll, create, show, set, remove, key];
