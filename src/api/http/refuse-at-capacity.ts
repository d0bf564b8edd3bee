import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from '#src/domain/refusal.ts';
import type { AnsweredRequest } from './access-log.ts';
import { requestIdOf } from './context.ts';
import { problemMediaType, problemOf } from './problem.ts';
import type { Route } from './route.ts';
import { securityHeaders } from './security-headers.ts';

/**
 * Refuses a request that begins a call while this gateway is at capacity, before any other step: an overloaded gateway
 * may receive hundreds of them per second, and each one delays the calls in progress. Such requests are counted, but
 * neither logged nor traced. A request that arrives just before the limit is reached is refused by `withinCapacity`.
 *
 * Returns whether the request was refused, and therefore answered.
 */
export const refuseAtCapacity = (
  {
    calls: { refusal },
    operation: { onAnswered },
  }: {
    calls: { refusal: () => Refusal | null };
    operation: { onAnswered: (request: AnsweredRequest) => void };
  },
  routes: readonly Pick<Route, 'beginsCall' | 'path'>[],
): ((request: IncomingMessage, response: ServerResponse) => boolean) => {
  const paths = new Set(routes.filter(({ beginsCall }) => beginsCall === true).map(({ path }) => path));
  return (request, response) => {
    const { method = '', url = '' } = request;
    const [path = ''] = url.split('?', 1);
    const refused = method === 'POST' && paths.has(path) ? refusal() : null;
    if (refused === null) return false;
    const { status, headers } = refused;
    const requestId = requestIdOf(request);
    const body = problemOf(refused, requestId);
    response.writeHead(status, {
      ...securityHeaders,
      ...headers,
      'X-Request-Id': requestId,
      'Content-Type': problemMediaType,
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
    onAnswered({ method, route: path, status, seconds: 0, isStream: false });
    return true;
  };
};
