/** Runs the gateway by the settings of the environment, and stops it on SIGTERM or SIGINT. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import type { Logger } from 'pino';
import { ConfigError, readConfig } from '#config/config.ts';
import { compileCacheIn } from '#config/data-folder.mjs';
import { closing } from '#config/policy.ts';
import { StartError } from '#src/domain/start-error.ts';
import { terminalLine } from '#src/domain/terminal-text.ts';
import type { Gateway, StartSteps } from './gateway.ts';
import { steadyClock } from './clocks.ts';
import { createLogger } from './logger.ts';
import { prepareDataFolder } from './start/data-folder.ts';
import { checkAddress } from './start/check-address.ts';
import { type LoadedCode, type NextStart, prepareNextStart } from './start/next-start.ts';
import { exposureWarning, signInCommand, welcome } from './start/welcome.ts';

/** Time within which two signals count as one: npm forwards a Ctrl-C that the terminal has already sent. */
const sameSignalMs = 250;

/** Exits the process if stopping takes too long. */
const endWithin = (milliseconds: number, logger: Logger): void => {
  setTimeout(() => {
    logger.error(
      { after_sec: milliseconds / 1000 },
      'the gateway did not stop in time and exits; data that was not stored is lost',
    );
    process.exit(1);
  }, milliseconds).unref();
};

/**
 * Prints one line without a stack and exits, because the person who starts the gateway can correct the named setting.
 */
const giveUp = (message: string): never => {
  process.stderr.write(`Trunkline did not start: ${terminalLine(message)}\n`);
  process.exit(1);
};

/**
 * Stores the compiled code at once, because a process that is killed later stores none. With calls in progress it is
 * stored when the process ends, because it blocks the event loop for up to three seconds after an update.
 */
const storeCode = (calls: number): void => {
  if (calls === 0) flushCompileCache();
};

/** Loading of modules during the start (config/module-resolution.mjs, config/gateway-script.mjs). */
type Modules = Pick<StartSteps, 'importInPieces'> & {
  /** Ends the quick resolution. */
  deregister(): void;
  code: LoadedCode;
};

const run = async ({ importInPieces, deregister, code }: Modules): Promise<void> => {
  const config = readConfig(process.env, process.stdout.isTTY);
  const logger = await createLogger({ level: config.logLevel, format: config.logFormat });
  if (config.unknownNames.length > 0) {
    logger.warn({ names: config.unknownNames }, 'unknown settings are ignored');
  }

  const exposed = exposureWarning(config);
  if (exposed !== undefined) logger.warn({ host: config.host }, exposed);

  let gateway: Gateway | undefined;
  let nextStart: NextStart | undefined;
  let asked = 0;
  let last = { signal: '', at: 0 };

  const close = (running: Gateway): void => {
    Promise.all([nextStart?.close(), running.close()]).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'the gateway did not stop cleanly');
        process.exit(1);
      },
    );
  };
  const end = (signal: string): void => {
    const isSame = signal === last.signal && performance.now() - last.at < sameSignalMs;
    last = { signal, at: performance.now() };
    if (isSame) return;
    asked += 1;
    if (asked === 1) {
      logger.info({ signal }, 'the gateway is stopping');
      if (gateway === undefined) return;
      endWithin(config.drainSec * 1000 + closing.longestMs, logger);
      close(gateway);
    } else if (gateway === undefined) {
      logger.warn({ signal }, 'second stop signal: the start is aborted');
      process.exit(1);
    } else if (asked === 2) {
      logger.warn(
        { signal },
        'second stop signal: calls that can continue are handed over now, the others are hung up',
      );
      endWithin(closing.hurriedMs, logger);
      gateway.hurry();
    } else {
      logger.error({ signal }, 'third stop signal: the gateway exits; data that was not stored is lost');
      process.exit(1);
    }
  };
  // Handlers are registered before the start, because a signal during the start would otherwise leave the embedded
  // database running.
  process.on('SIGTERM', end);
  process.on('SIGINT', end);

  // A gateway with a database server does not check, because its predecessor may still hold the port for a moment.
  if (config.databaseUrl === null) await checkAddress(config);
  // Modules are imported after the settings are validated, so that errors of the settings appear at once.
  await prepareDataFolder(config.dataFolder);
  // Has an effect at the first start, whose data folder did not exist (main.mjs).
  enableCompileCache(compileCacheIn(config.dataFolder));
  const { startGateway } = await import('./gateway.ts');
  gateway = await startGateway(config, logger, undefined, {
    importInPieces,
    loaded(calls) {
      deregister();
      storeCode(calls);
    },
  });
  if (asked > 0) {
    endWithin(config.drainSec * 1000 + closing.longestMs, logger);
    return close(gateway);
  }
  logger.info({ url: gateway.credentials.base_url }, 'the gateway is ready');
  const { callsInProgress } = gateway;
  nextStart = prepareNextStart({ code, callsInProgress, clock: steadyClock, logger });
  const isTerminal = process.stdout.isTTY;
  const { credentials, startedInMs } = gateway;
  // The output of a server is a log, whose lines may be JSON.
  if (config.databaseUrl !== null && !isTerminal)
    return logger.info(
      { console: credentials.console_url, command: signInCommand },
      'the command prints a link that signs a browser in to the console, on this machine and with the same settings',
    );
  // The link is printed only on a terminal, because other outputs may be stored.
  const signInLink = isTerminal ? await gateway.makeSignInLink() : undefined;
  process.stdout.write(welcome(credentials, config.lines, startedInMs, isTerminal, signInLink));
};

export const runGateway = async (modules: Modules): Promise<void> => {
  try {
    await run(modules);
  } catch (error) {
    if (error instanceof ConfigError || error instanceof StartError) giveUp(error.message);
    throw error;
  }
};
