/** HTTP server: the API, websockets of web phones, and with GW_INSPECT of the inspector. */
import type { RequestListener } from 'node:http';
import { inspectorLimits, webPhones as webPhonePolicy, listenInLimits } from '#config/policy.ts';
import { createPhoneSocket } from '#sip/webphone/phone-socket.ts';
import { createApi } from '#src/api/app.ts';
import { answerClientErrors } from '#src/api/http/client-errors.ts';
import type { ApiServices } from '#src/api/api-services.ts';
import { createCounter, type Counter } from '#src/api/http/rate-limit.ts';
import { routes } from '#src/api/routes.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Overheard } from '#src/calls/live/overheard.ts';
import { createInspectorSocket } from '#src/inspector/inspector-socket.ts';
import { apiServicesOf, type ApiParts } from './api-services.ts';
import type { Runtime } from './runtime.ts';
import type { HttpServer } from './http-server.ts';
import { startCallWatching } from './call-watching.ts';
import { createWebSocketRoutes, type WebSocketRoutes } from '#src/api/http/websocket-routes.ts';
import { listenInPolicyOf, noteListeningBegun, noteListeningEnded } from '#src/administration/listen-in.ts';
import {
  createListenInSocket,
  type ListenInSocket,
  type ListenInSocketOptions,
  type Wish,
} from '#src/listen-in/listen-in-socket.ts';

export const openListenIn = (
  { database, sealing, clock, steadyClock, logger }: Runtime,
  follow: ListenInSocketOptions['follow'],
): ListenInSocket => {
  const administratorOf = (wish: Wish) => ({ database, sealing, clock, ...wish });
  return createListenInSocket({
    policyOf: (wish) => listenInPolicyOf(administratorOf(wish), wish.callId),
    async begin(wish, policy) {
      const begunAt = steadyClock.now();
      await noteListeningBegun(administratorOf(wish), wish.callId, policy);
      return () =>
        noteListeningEnded(administratorOf(wish), wish.callId, (steadyClock.now() - begunAt) / 1_000);
    },
    follow,
    limits: listenInLimits,
    logger,
  });
};

/** Websockets for admin tokens and console sessions. */
const serveWebSockets = (services: ApiServices, failures: Counter): WebSocketRoutes => {
  const { authenticateToken, authenticateSession } = services.directory;
  return createWebSocketRoutes({
    async authenticate(credential) {
      const admin = await ('token' in credential
        ? authenticateToken(credential.token)
        : authenticateSession(credential.session));
      return admin && { workspaceId: admin.workspace.id, actor: `admin:${admin.id}`, role: admin.role };
    },
    readBrowser: services.operation.readBrowser,
    async countFailure(request) {
      const counted = await failures.count(services.operation.clientAddress(request));
      return counted?.isBeyond === true ? counted.seconds : null;
    },
    revalidateMs: services.operation.limits.eventStream.revalidateMs,
    logger: services.operation.logger,
  });
};

/** Throws a StartError if the address cannot be used. */
export const startHttpServer = async (
  runtime: Runtime,
  parts: ApiParts & { liveCalls: LiveCalls; overheard: Pick<Overheard, 'listen'> },
): Promise<HttpServer> => {
  const { config, logger, environment, started } = runtime;
  const { webPhones } = parts.telephony;
  const watching = startCallWatching(runtime, parts);
  const services = apiServicesOf(runtime, { ...parts, watching });
  const failures = createCounter('failures', services.operation.limits.failuresPerAddress, services);
  const answer = createApi(services, failures).callback();
  const { handler: recordingHandler } = parts.recordings;
  const handle: RequestListener = (request, response) => {
    if (watching.handler.isFor(request)) watching.handler.answer(request, response);
    else void (recordingHandler.isFor(request) ? recordingHandler.answer : answer)(request, response);
  };
  for (const { prepare } of routes) await prepare?.(services);
  const { host, port } = config;
  const server = await environment.listen(handle, { host, port, prepare: answerClientErrors });
  started.defer(() => server.close());
  // Event streams last as long as their calls, and the server waits for responses.
  started.defer(watching.handler.close);
  const webSockets = serveWebSockets(services, failures);
  webSockets.attach(server.server);
  const listeners = openListenIn(runtime, watching.listenIn);
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
