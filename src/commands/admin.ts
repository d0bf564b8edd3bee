/** `npm run admin`: manages workspaces, admin tokens and numbers in the gateway's database (config/README.md). */
import { randomBytes } from 'node:crypto';
import { ConfigError, readConfig } from '#config/config.ts';
import { databaseLimits, platformMaxCallsInProgress, speechEngines } from '#config/policy.ts';
import { type CommandContext } from './admin/command.ts';
import { wrongOption } from './admin/given-fields.ts';
import { help, readCall } from './admin/run-command.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { StartError } from '#src/domain/start-error.ts';
import { terminalJson, terminalLine, terminalLines } from '#src/domain/terminal-text.ts';
import { openDatabase } from '#src/persistence/database/database.ts';
import { visitEmbedded } from '#src/persistence/embedded/visit-embedded.ts';
import { createSealing } from '#src/persistence/database/sealing.ts';
import { createEngineClient } from '#src/speech/engine-client.ts';
import { systemClock } from '#src/clocks.ts';
import { createLogger } from '#src/logger.ts';
import { countryOf, platformPolicyOf } from '#src/start/platform-policy.ts';
import { readCredentials } from '#src/start/credentials.ts';
import { urlOf } from '#src/start/local-url.ts';
import { storedMasterKey } from '#src/start/master-key.ts';
import { languageModelsOf } from '#src/administration/choose-model.ts';
import { enginesOf, installedSynthesizer, recognizersOf } from '#src/parts/speech.ts';
import { UsageError } from './parse-options.ts';

/** Opens the dependencies of the commands; disposing `opened` closes them. Throws a ConfigError or a StartError. */
const openContext = async (
  environment: NodeJS.ProcessEnv,
  opened: AsyncDisposableStack,
): Promise<CommandContext> => {
  const config = readConfig(environment, false);
  const { databaseUrl, dataFolder, masterKey, oldMasterKeys } = config;
  const logger = await createLogger({ level: 'silent', format: 'json' });
  const connection = async () => {
    if (databaseUrl !== null) return { url: databaseUrl };
    const embedded = await visitEmbedded({ dataFolder, logger });
    opened.defer(embedded.stop);
    return embedded.connection;
  };
  const database = await openDatabase({
    connection: await connection(),
    poolSize: 2,
    journalPoolSize: 1,
    limits: databaseLimits,
    // Each command has a name of its own: commands may run at the same time as each other and as the gateway, each in
    // its own container.
    node: `admin command ${randomBytes(4).toString('hex')} of ${config.node}`,
    logger,
  });
  opened.defer(database.close);
  const { limits } = speechEngines;
  const client = createEngineClient({ connectMs: limits.connectMs });
  opened.defer(() => client.close());
  const credentials = await readCredentials(dataFolder);
  const world = { client, clock: systemClock, limits, logger };
  return {
    database,
    sealing: createSealing(masterKey ?? (await storedMasterKey(dataFolder)), oldMasterKeys),
    clock: systemClock,
    platform: {
      ...platformPolicyOf(config),
      maxCallsInProgress: platformMaxCallsInProgress,
      dailyMinutes: config.dailyMinutes,
    },
    country: countryOf(config.country),
    home: {
      consoleUrl:
        credentials?.console_url ?? (config.port === 0 ? null : `${urlOf(config.host, config.port)}/`),
      adminToken: credentials?.admin_token,
    },
    engines: {
      ...enginesOf(
        config.speech,
        await recognizersOf(config.speech, world),
        await installedSynthesizer(config.speech, environment['PATH'] ?? ''),
      ),
      turnModel: config.turnModel !== null,
      languageModels: languageModelsOf(config.languageModel),
    },
  };
};

/**
 * Runs a command and prints its result. Throws a UsageError, a Refusal, a ConfigError or a StartError with one line for
 * the operator.
 */
export const main = async (
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: (text: string) => void,
): Promise<void> => {
  const call = readCall(args);
  if (call === 'help') return print(help);
  await using opened = new AsyncDisposableStack();
  const answer = await call.command.run(await openContext(environment, opened), call.given);
  print(call.isJson ? terminalJson(answer.json, 2) : terminalLines(answer.text));
};

/** Returns the line for standard error and the exit code; undefined for an unexpected error. */
export const failureOf = (error: unknown): { line: string; code: 1 | 2 } | undefined => {
  const told = error instanceof Refusal && error.code === 'invalid_request' ? wrongOption(error) : error;
  const isUsage = told instanceof UsageError;
  if (!isUsage && !(told instanceof Refusal || told instanceof ConfigError || told instanceof StartError))
    return undefined;
  const line = terminalLine(told.message);
  return isUsage ? { line: `${line} (--help explains)`, code: 2 } : { line, code: 1 };
};

if (import.meta.main) {
  try {
    await main(process.argv.slice(2), process.env, (text) => process.stdout.write(`${text}\n`));
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    process.stderr.write(`${failure.line}\n`);
    process.exitCode = failure.code;
  }
}
