/** The HTTP server: the API, the way of web phones to their calls, and with GW_INSPECT that of onlookers to the charts. */
import type { RequestListener } from 'node:http';
import type { Config } from '#config/config.ts';
import { createPhoneSocket, type PhoneSocketLimits } from '#sip/webphone/phone-socket.ts';
import type { WebPhones } from '#sip/webphone/web-phones.ts';
import { createAdminAuthentication } from '#src/api/admin-authentication.ts';
import { createApi } from '#src/api/app.ts';
import { answerClientErrors } from '#src/api/client-errors.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import { createCounter } from '#src/api/rate-limit.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Switchboard } from '#src/calls/live/switchboard.ts';
import type { RecordingHandler } from '#src/cluster/recording-handler.ts';
import { createInspectorSocket, type InspectorLimits } from '#src/inspector/inspector-socket.ts';
import { listen, type HttpServer } from './http-server.ts';
import { createWebSocketRoutes } from './websocket-routes.ts';

/** Throws a StartError when the address cannot be taken. What is started is ended by `started`. */
export const startHttpServer = async (
  config: Pick<Config, 'host' | 'port' | 'inspect'>,
  services: Omit<ApiServices, 'inspects'>,
  charts: { switchboard: Switchboard; liveCalls: LiveCalls; limits: InspectorLimits },
  /** `null` where the lines are real. */
  webPhones: { phones: WebPhones; limits: PhoneSocketLimits } | null,
  /** What the other gateways fetch here. */
  recordingHandler: Pick<RecordingHandler, 'isFor' | 'answer'>,
  started: AsyncDisposableStack,
): Promise<HttpServer> => {
  const { logger } = services;
  const failures = createCounter(services.limits.failuresPerAddress);
  const authenticateAdmin = createAdminAuthentication(services);
  const answer = createApi({ ...services, inspects: config.inspect }, failures).callback();
  const handle: RequestListener = (request, response) =>
    void (recordingHandler.isFor(request) ? recordingHandler.answer : answer)(request, response);
  const server = await listen(handle, {
    host: config.host,
    port: config.port,
    prepare: answerClientErrors,
  });
  started.defer(() => server.close());
  const webSocketRoutes = createWebSocketRoutes({
    async authenticate(token) {
      const admin = await authenticateAdmin(token);
      return admin && { workspaceId: admin.workspace.id, role: admin.role };
    },
    async countFailure(address) {
      const counted = await failures.count(address);
      return counted?.isBeyond === true ? counted.seconds : null;
    },
    beliefMs: services.limits.eventStream.beliefMs,
    logger,
  });
  webSocketRoutes.attach(server.server);
  if (webPhones !== null) {
    const phoneSocket = createPhoneSocket({ ...webPhones, logger });
    // A web phone takes calls and places them.
    webSocketRoutes.serve('/api/v1/admin/phone', 'admin', phoneSocket.accept);
    started.defer(() => phoneSocket.close());
  }
  if (!config.inspect) return server;
  const inspector = createInspectorSocket({
    calls: {
      find: charts.switchboard.find,
      all: charts.liveCalls.all,
      subscribe: charts.liveCalls.subscribe,
    },
    limits: charts.limits,
    logger,
  });
  webSocketRoutes.serve('/inspect', 'viewer', inspector.accept);
  started.defer(() => inspector.close());
  return server;
};
