/** Starts the gateway from the environment, and ends it on SIGTERM or SIGINT. */
import { ConfigError, readConfig } from '#config/config.ts';
import { StartError } from '#src/domain/start-error.ts';
import { startGateway, type Gateway } from './gateway.ts';
import { createLogger } from './logger.ts';
import { welcome } from './start/welcome.ts';

/** One line, no stack: the person who starts the gateway can mend what it names. */
const giveUp = (message: string): never => {
  process.stderr.write(`Trunkline did not start: ${message.replaceAll(/\s+/g, ' ')}\n`);
  process.exit(1);
};

const main = async (): Promise<void> => {
  const config = readConfig(process.env, process.stdout.isTTY);
  const logger = createLogger({ level: config.logLevel, format: config.logFormat });
  if (config.unknownNames.length > 0) {
    logger.warn({ names: config.unknownNames }, 'these settings do not exist and change nothing');
  }

  let gateway: Gateway | undefined;
  let isEnding = false;

  const close = (running: Gateway): void => {
    running.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'the gateway did not end cleanly');
        process.exit(1);
      },
    );
  };
  const end = (signal: string): void => {
    if (!isEnding) {
      isEnding = true;
      logger.info({ signal }, 'the gateway is ending');
      if (gateway !== undefined) close(gateway);
    } else if (gateway !== undefined) {
      logger.warn({ signal }, 'asked again to end: calls in progress are hung up now');
      gateway.hurry();
    } else {
      logger.warn({ signal }, 'asked again to end: the start is broken off');
      process.exit(1);
    }
  };
  // Before the start, which would otherwise be killed by a signal and leave its database running.
  process.on('SIGTERM', end);
  process.on('SIGINT', end);

  gateway = await startGateway(config, logger);
  if (isEnding) return close(gateway);
  logger.info({ url: gateway.credentials.base_url }, 'the gateway is ready');
  // A key belongs on a newcomer's terminal, not where a server's output is collected.
  if (config.databaseUrl === null || process.stdout.isTTY) {
    process.stdout.write(welcome(gateway.credentials, gateway.startedInMs));
  }
};

try {
  await main();
} catch (error) {
  if (error instanceof ConfigError || error instanceof StartError) giveUp(error.message);
  throw error;
}
