/** Parses `npm run admin -- …`: command, arguments and options. */
import { textOption, type Command, type CommandArguments } from './command.ts';
import { numberCommands } from './number-commands.ts';
import { secretCommands } from './secret-commands.ts';
import { signInCommands } from './sign-in-command.ts';
import { tokenCommands } from './token-commands.ts';
import { workspaceCommands } from './workspace-commands.ts';
import { parseOptions, UsageError } from '../parse-options.ts';

export const commands: readonly Command[] = [
  ...workspaceCommands,
  ...tokenCommands,
  ...signInCommands,
  ...numberCommands,
  ...secretCommands,
];

export const help = `Workspaces, their admin tokens and their numbers, for the operator. It works on the database of the
gateway, whether it runs or not, and takes the same settings (GW_DATA_DIR, or GW_DATABASE_URL and GW_MASTER_KEY).

  npm run admin -- COMMAND

${commands.map(({ name, usage, summary }) => `  ${`${name} ${usage}`.trim()}\n      ${summary}`).join('\n')}

Settings hold for calls that begin from now on; "default" is what the workspace or the platform says.
Of workspaces and numbers:

  --max-duration-sec, --default-duration-sec, --silence-timeout-sec, --ring-timeout-sec,
  --max-concurrent-calls (of one number), --daily-minutes (of outbound calls),
  --recording-enabled (true or false), --barge-in (such as '{"mode": "stop"}'), --turn-end,
  --retention-days (such as '{"recordings": 30, "words": 90}'),
  --consent (such as '{"announce": "We record. Do you agree?", "require": "speech"}'),
  --destinations (kinds and prefixes, such as mobile,+4420,!0505)

Of workspaces:

  --name, --time-zone, --max-calls-in-progress (of all numbers)

Of numbers:

  --language, --greeting, --voicemail, --voicemail-message, --screening,
  --caller-name, --menu, --trunk-id,
  --transfer-to (such as '["0212345678"]'), --record-transfers,
  --transfer-max-duration-sec, --listen-in,
  --recognizer, --synthesizer, --voice

For every command:

  --workspace WORKSPACE   its id or its name, where there are several
  --json                  the same for machines (with npm run --silent)
  --help                  this text

Each change of a workspace, and each look at a key, is in its audit log.
Ends with 0 when it is done, 1 when it was refused, 2 when it was called wrongly.
`;

export type Call = { command: Command; given: CommandArguments; isJson: boolean };

const everywhere = {
  workspace: textOption,
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const named = (args: readonly string[]): Command => {
  const [noun = '', verb = ''] = args;
  const found = commands.find(({ name }) => name === noun || name === `${noun} ${verb}`);
  if (found !== undefined) return found;
  const [wanted, others] = [`${noun} ${verb}`.trim(), commands.map(({ name }) => name)];
  const alike = others.filter((name) => name.startsWith(`${noun} `));
  throw new UsageError(
    `There is no command "${wanted}" (there are: ${(alike.length > 0 ? alike : others).join(', ')})`,
  );
};

/** Parses the arguments. Returns `help` if help is requested. Throws a UsageError. */
export const readCall = (args: readonly string[]): Call | 'help' => {
  const [first] = args;
  if (first === undefined || first === 'help' || args.includes('--help')) return 'help';
  const command = named(args);
  const { positionals, values } = parseOptions({
    args: args.slice(command.name.split(' ').length),
    allowPositionals: true,
    strict: true,
    options: { ...command.options, ...everywhere },
  });
  const { least, most } = command.words;
  if (positionals.length < least || positionals.length > most) {
    throw new UsageError(`It is called as: npm run admin -- ${`${command.name} ${command.usage}`.trim()}`);
  }
  const options = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? undefined : value]),
  );
  return { command, given: { positionals, options }, isJson: options['json'] === true };
};
