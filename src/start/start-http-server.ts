/** HTTP server: the API, websockets of web phones, and with GW_INSPECT of the inspector. */
import type { RequestListener } from 'node:http';
import { inspectorLimits, webPhones as webPhonePolicy } from '#config/policy.ts';
import { createPhoneSocket } from '#sip/webphone/phone-socket.ts';
import { createAdminAuthentication } from '#src/administration/admin-authentication.ts';
import { createSessionAuthentication } from '#src/administration/console-sessions.ts';
import { createApi } from '#src/api/app.ts';
import { answerClientErrors } from '#src/api/client-errors.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import { createCounter, type Counter } from '#src/api/rate-limit.ts';
import { routes } from '#src/api/routes.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Overheard } from '#src/calls/live/overheard.ts';
import { createInspectorSocket } from '#src/inspector/inspector-socket.ts';
import { apiServicesOf, type ApiParts } from './provide-api-services.ts';
import type { Foundation } from './foundation.ts';
import type { HttpServer } from './http-server.ts';
import { openListenIn } from './open-listen-in.ts';
import { startCallWatching } from './watch-calls.ts';
import { createWebSocketRoutes, type WebSocketRoutes } from './websocket-routes.ts';

/** Websockets for admin tokens and console sessions. */
const serveWebSockets = (services: ApiServices, failures: Counter): WebSocketRoutes => {
  const byToken = createAdminAuthentication(services);
  const bySession = createSessionAuthentication(services);
  return createWebSocketRoutes({
    async authenticate(credential) {
      const admin = await ('token' in credential ? byToken(credential.token) : bySession(credential.session));
      return admin && { workspaceId: admin.workspace.id, actor: `admin:${admin.id}`, role: admin.role };
    },
    readBrowser: services.readBrowser,
    async countFailure(request) {
      const counted = await failures.count(services.clientAddress(request));
      return counted?.isBeyond === true ? counted.seconds : null;
    },
    revalidateMs: services.limits.eventStream.revalidateMs,
    logger: services.logger,
  });
};

/** Throws a StartError if the address cannot be used. */
export const startHttpServer = async (
  foundation: Foundation,
  parts: ApiParts & { liveCalls: LiveCalls; overheard: Pick<Overheard, 'listen'> },
): Promise<HttpServer> => {
  const { config, logger, surroundings, started } = foundation;
  const { webPhones } = parts.telephony;
  const watching = startCallWatching(foundation, parts);
  const services = apiServicesOf(foundation, { ...parts, watching });
  const failures = createCounter('failures', services.limits.failuresPerAddress, services);
  const answer = createApi(services, failures).callback();
  const { handler: recordingHandler } = parts.recordings;
  const handle: RequestListener = (request, response) => {
    if (watching.handler.isFor(request)) watching.handler.answer(request, response);
    else void (recordingHandler.isFor(request) ? recordingHandler.answer : answer)(request, response);
  };
  for (const { prepare } of routes) await prepare?.(services);
  const { host, port } = config;
  const server = await surroundings.listen(handle, { host, port, prepare: answerClientErrors });
  started.defer(() => server.close());
  // Event streams last as long as their calls, and the server waits for responses.
  started.defer(watching.handler.close);
  const webSockets = serveWebSockets(services, failures);
  webSockets.attach(server.server);
  const listeners = openListenIn(foundation, watching.listenIn);
  webSockets.serve('/api/v1/admin/listen', 'admin', listeners.accept);
  started.defer(() => listeners.close());
  if (webPhones !== null) {
    const phoneSocket = createPhoneSocket({ ...webPhones, limits: webPhonePolicy.limits, logger });
    // Web phones receive and place calls.
    webSockets.serve('/api/v1/admin/phone', 'admin', phoneSocket.accept);
    started.defer(() => phoneSocket.close());
  }
  if (config.inspect) {
    const inspector = createInspectorSocket({
      ...watching.inspected,
      limits: inspectorLimits,
      logger,
    });
    webSockets.serve('/inspect', 'viewer', inspector.accept);
    started.defer(() => inspector.close());
  }
  return server;
};
