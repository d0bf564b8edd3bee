/** When a gateway that starts begins to take calls of others. */
import { access } from 'node:fs/promises';
import test from 'ava';
import pino from 'pino';
import { readConfig } from '#config/config.ts';
import { startGateway } from '#src/gateway.ts';
import { type Environment, realEnvironment } from '#src/parts/runtime.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { startTestGateway } from '#test/helpers/gateway.ts';
import { testSettings } from '#test/helpers/test-settings.ts';
import { until } from '#test/helpers/until.ts';
import { emptyFolder } from './gateway-process.ts';

const silent = '01000000006';

test.serial('a stopping gateway keeps its calls until another one has started completely', async (t) => {
  const databaseUrl = await testDatabaseUrl(t);
  const logged: string[] = [];
  const shared = { GW_DATABASE_URL: databaseUrl, GW_SIMULATOR_SPEED: '1', GW_DRAIN_SEC: '120' };
  const stopping = await startTestGateway(t, { ...shared, GW_NODE: 'stopping' }, logged);
  // The silent callee stays for longer than the other gateway takes to start.
  await stopping.admin.patch(stopping.numberPath, { silence_timeout_sec: 600 });
  const callId = await stopping.call(silent);
  await stopping.untilStatus(callId, 'active');

  const listening = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const settings = { ...testSettings(databaseUrl, await emptyFolder(t)), ...shared, GW_NODE: 'starting' };
  const inPieces: string[] = [];
  const environment: Environment = {
    ...realEnvironment,
    async listen(...asked) {
      listening.resolve();
      await goOn.promise;
      return realEnvironment.listen(...asked);
    },
  };
  const starting = startGateway(readConfig(settings, false), pino({ level: 'silent' }), environment, {
    importInPieces: async (url) => void inPieces.push(url),
    loaded() {},
  });
  await listening.promise;
  // Calls that this gateway may have resumed do not wait for the loading of the API.
  t.is(inPieces.length, 2);
  for (const url of inPieces) await access(new URL(url));
  const closed = stopping.close();
  await until('the other gateway refuses', () =>
    logged.some((line) => line.includes('because the other gateways do not respond or are not ready'))
      ? true
      : undefined,
  );
  goOn.resolve();
  const started = await starting;
  t.teardown(() => started.close());
  t.teardown(() => started.hurry());
  await closed;
  const { base_url: url } = started.credentials;
  const client = apiClient(url, stopping.credentials.number_key);
  t.like((await client.get(`/api/v1/calls/${callId}`)).body, { status: 'active' });
});
