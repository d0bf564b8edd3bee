/**
 * A `fetch` by which the API client calls the gateway's own routes without a socket. The routes run their checks and
 * handlers and refuse requests as usual. The client was already authenticated and counted once.
 */
import { Readable } from 'node:stream';
import type { ClientOptions } from '#src/client/send.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { ApiServices } from '../api-services.ts';
import type { Rendered } from '../http/context.ts';
import { answerError } from '../http/refuse.ts';
import type { UnvalidatedRequest, Route } from '../http/route.ts';
import { withinCapacity } from '../http/within-capacity.ts';

/** Placeholder URL: the routes do not depend on the host. */
export const ownUrl = 'http://gateway.internal';

/**
 * Returns the parameters in a path of this pattern, such as `/api/v1/calls/{call_id}`; undefined for any other path.
 */
const parametersIn = (path: string, pattern: string): Record<string, string> | undefined => {
  const [given, wanted] = [path.split('/'), pattern.split('/')];
  if (given.length !== wanted.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [place, segment] of wanted.entries()) {
    const text = given[place] ?? '';
    if (segment.startsWith('{')) parameters[segment.slice(1, -1)] = decodeURIComponent(text);
    else if (segment !== text) return undefined;
  }
  return parameters;
};

/** Returns the response, whose stream ends when the signal aborts. Throws the reason of an aborted signal. */
export const responseOf = (
  { status, headers, body }: Rendered,
  signal: AbortSignal | null | undefined,
): Response => {
  if (!(body instanceof Readable)) return new Response(body, { status, headers });
  // The signal may abort while the route prepares its response. A stream without a reader would keep its permit until
  // its call ends.
  if (signal?.aborted === true) body.destroy();
  signal?.throwIfAborted();
  signal?.addEventListener('abort', () => body.destroy(new Error('Nobody waits for it any more.')), {
    once: true,
  });
  return new Response(ReadableStream.from(body), { status, headers });
};

/** Creates the `fetch`. `asker` is the client of the original request. Only routes of a number key are served. */
export const createOwnFetch = (
  routes: readonly Route[],
  asker: Omit<UnvalidatedRequest, 'params' | 'query' | 'headers' | 'readBody' | 'accepts' | 'nameIgnored'>,
  services: ApiServices,
): NonNullable<ClientOptions['fetch']> => {
  const served = routes.filter(({ auth }) => auth === 'number');

  const find = (asked: string, path: string): { route: Route; params: Record<string, string> } => {
    for (const route of served) {
      const params = route.method === asked ? parametersIn(path, route.path) : undefined;
      if (params !== undefined) return { route, params };
    }
    throw new Refusal('not_found', 'There is no such address in this API.');
  };

  const serve = (url: string, { method = 'GET', headers: sent, body }: RequestInit): Promise<Rendered> => {
    const { pathname, searchParams } = new URL(url);
    const { route, params } = find(method.toLowerCase(), pathname);
    const headers = Object.fromEntries(new Headers(sent));
    const answer = (): Promise<Rendered> =>
      route.answer(
        {
          ...asker,
          params,
          query: Object.fromEntries(searchParams),
          headers,
          accepts: (...types) => types.find((type) => type === headers['accept']) ?? types[0] ?? false,
          // Ignored fields are not reported, because the tools send only declared fields.
          nameIgnored: () => undefined,
          readBody: () => Promise.resolve(typeof body === 'string' ? JSON.parse(body) : undefined),
        },
        services,
      );
    return route.beginsCall === true ? withinCapacity(services, answer) : answer();
  };

  return async (url, init) => {
    init.signal?.throwIfAborted();
    let answer: Rendered;
    try {
      answer = await serve(url, init);
    } catch (error) {
      answer = answerError(error, asker.requestId, services);
    }
    return responseOf(answer, init.signal);
  };
};
