/** The HTTP border: the API, and with GW_INSPECT the way of onlookers to the charts. */
import type { Config } from '#config/config.ts';
import { createApi } from '#src/api/app.ts';
import { answerClientErrors } from '#src/api/client-errors.ts';
import type { Interior } from '#src/api/interior.ts';
import type { LiveCalls } from '#src/calls/live-calls.ts';
import type { Switchboard } from '#src/calls/switchboard.ts';
import { createInspectorSocket, type InspectorLimits } from '#src/inspector/inspector-socket.ts';
import { authenticateAdmin } from '#src/persistence/admin-tokens.ts';
import { listen, type HttpServer } from './http-server.ts';

/** Throws a StartError when the address cannot be taken. What is started is ended by `started`. */
export const startBorder = async (
  config: Pick<Config, 'host' | 'port' | 'inspect'>,
  interior: Omit<Interior, 'inspects'>,
  charts: { switchboard: Switchboard; liveCalls: LiveCalls; limits: InspectorLimits },
  started: AsyncDisposableStack,
): Promise<HttpServer> => {
  const { database, vault, logger } = interior;
  const answer = createApi({ ...interior, inspects: config.inspect }).callback();
  const server = await listen((request, response) => void answer(request, response), {
    host: config.host,
    port: config.port,
    prepare: answerClientErrors,
  });
  started.defer(() => server.close());
  if (!config.inspect) return server;
  const inspector = createInspectorSocket({
    calls: {
      find: charts.switchboard.find,
      all: charts.liveCalls.all,
      subscribe: charts.liveCalls.subscribe,
    },
    async authenticate(token) {
      const admin = await authenticateAdmin(database, vault, token);
      return admin && { workspaceId: admin.workspace.id };
    },
    limits: charts.limits,
    logger,
  });
  inspector.attach(server.server);
  started.defer(() => inspector.close());
  return server;
};
