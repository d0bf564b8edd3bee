/** Starts the gateway from the environment, and ends it on SIGTERM or SIGINT. */
import { ConfigError, readConfig } from '#config/config.ts';
import { StartError } from '#src/domain/start-error.ts';
import { startGateway } from './gateway.ts';
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

  const gateway = await startGateway(config, logger);
  process.stdout.write(welcome(gateway.credentials, gateway.startedInMs));

  let isEnding = false;
  const end = (signal: string): void => {
    if (isEnding) {
      logger.warn({ signal }, 'asked again to end: calls in progress are hung up now');
      gateway.hurry();
      return;
    }
    isEnding = true;
    logger.info({ signal }, 'the gateway is ending');
    gateway.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'the gateway did not end cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
};

try {
  await main();
} catch (error) {
  if (error instanceof ConfigError || error instanceof StartError) giveUp(error.message);
  throw error;
}
