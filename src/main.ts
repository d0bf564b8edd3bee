/** Starts the gateway from the environment, and stops it on SIGTERM or SIGINT. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { ConfigError, readConfig } from '#config/config.ts';
import { closing } from '#config/policy.ts';
import { StartError } from '#src/domain/start-error.ts';
import { terminalLine } from '#src/domain/terminal-text.ts';
import type { Gateway } from './gateway.ts';
import { createLogger } from './logger.ts';
import { prepareDataFolder } from './start/data-folder.ts';
import { exposureWarning, welcome } from './start/welcome.ts';

/** npm forwards a Ctrl-C that the terminal has already sent: both count once. */
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

/** Prints one line without a stack: the person who starts the gateway can fix the named setting. */
const giveUp = (message: string): never => {
  process.stderr.write(`Trunkline did not start: ${terminalLine(message)}\n`);
  process.exit(1);
};

/**
 * Loads modules by their compiled code, as an earlier start has stored it: calls of a killed process wait for the next
 * one. Stored at once, because a process that is killed later stores nothing.
 */
const withCompileCache = async <Loaded>(dataFolder: string, load: () => Promise<Loaded>): Promise<Loaded> => {
  enableCompileCache(join(dataFolder, 'compile-cache'));
  const loaded = await load();
  flushCompileCache();
  return loaded;
};

const main = async (): Promise<void> => {
  const config = readConfig(process.env, process.stdout.isTTY);
  const logger = createLogger({ level: config.logLevel, format: config.logFormat });
  if (config.unknownNames.length > 0) {
    logger.warn({ names: config.unknownNames }, 'unknown settings are ignored');
  }

  const exposed = exposureWarning(config);
  if (exposed !== undefined) logger.warn({ host: config.host }, exposed);

  let gateway: Gateway | undefined;
  let asked = 0;
  let last = { signal: '', at: 0 };

  const close = (running: Gateway): void => {
    running.close().then(
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
      logger.warn({ signal }, 'second stop signal: hanging up calls in progress now');
      endWithin(closing.hurriedMs, logger);
      gateway.hurry();
    } else {
      logger.error({ signal }, 'third stop signal: the gateway exits; data that was not stored is lost');
      process.exit(1);
    }
  };
  // Registered before the start; a signal would otherwise leave the embedded database running.
  process.on('SIGTERM', end);
  process.on('SIGINT', end);

  // Imported after the settings are validated, so that errors appear at once.
  await prepareDataFolder(config.dataFolder);
  const { startGateway } = await withCompileCache(config.dataFolder, () => import('./gateway.ts'));
  gateway = await startGateway(config, logger);
  if (asked > 0) {
    endWithin(config.drainSec * 1000 + closing.longestMs, logger);
    return close(gateway);
  }
  logger.info({ url: gateway.credentials.base_url }, 'the gateway is ready');
  const isTerminal = process.stdout.isTTY;
  if (config.databaseUrl !== null && !isTerminal) return;
  const { credentials, startedInMs } = gateway;
  // Other outputs may be stored.
  const signInLink = isTerminal ? await gateway.makeSignInLink() : undefined;
  process.stdout.write(welcome(credentials, config.lines, startedInMs, isTerminal, signInLink));
};

try {
  await main();
} catch (error) {
  if (error instanceof ConfigError || error instanceof StartError) giveUp(error.message);
  throw error;
}
