/** `npm run relay`: holds the control connection to drachtio-server and shares it among gateways. */
import { ConfigError } from '#config/config.ts';
import { relayNumbers } from '#config/line-policy.ts';
import { readRelayConfig } from '#config/relay-config.ts';
import { createRelay } from '#sip/relay/relay.ts';
import { systemClock } from '#src/clocks.ts';
import { createLogger } from '#src/logger.ts';

const giveUp = (message: string): never => {
  process.stderr.write(`The relay did not start: ${message}\n`);
  process.exit(1);
};

const main = async (): Promise<void> => {
  const { listen, drachtio, logLevel, logFormat } = readRelayConfig(process.env, process.stdout.isTTY);
  const logger = await createLogger({ level: logLevel, format: logFormat });
  const relay = createRelay({ listen, drachtio, numbers: relayNumbers, clock: systemClock, logger });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => {
      logger.info({ signal }, 'the relay is ending');
      void relay.close();
    });
  try {
    await relay.start();
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (isTaken) giveUp(`something listens on ${listen.host}:${listen.port} already (GW_RELAY)`);
    throw error;
  }
  logger.info({ host: listen.host, port: listen.port }, 'the relay is ready');
};

try {
  await main();
} catch (error) {
  if (error instanceof ConfigError) giveUp(error.message);
  throw error;
}
