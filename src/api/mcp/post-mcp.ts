import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import type { Browser } from '../http/browser.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { createOwnFetch, ownUrl } from './own-fetch.ts';
import { createRunningRequests } from './running-requests.ts';

const eventStream = 'text/event-stream';

/** Content types that clients must accept. */
const answerTypes = ['application/json', eventStream] as const;

/**
 * Refuses pages that did not reach this machine by a name of the machine. A page of another site may resolve its own
 * host name to this machine (DNS rebinding), and then looks like a page of this gateway (guides/design/threats.md,
 * "Hostile browsers and clients").
 */
const refusePages = ({ isPage, isOurPage, isOnThisMachine }: Browser): void => {
  if (!isPage || (isOurPage && isOnThisMachine)) return;
  throw new Refusal('forbidden', 'Pages of other sites may not use this address; programs may.');
};

const exampleStream = `event: message
data: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}

`;

const sessionHeader = 'Mcp-Session-Id';

/**
 * Headers of the response. The first message of a client names its session, which its later messages repeat. The gateway
 * stores no session: the name only tells the requests of one client from those of others with the same key.
 */
const headersFor = (message: Readonly<Record<string, unknown>>): Record<string, string> => ({
  'X-Accel-Buffering': 'no',
  ...(message['method'] === 'initialize' ? { [sessionHeader]: randomUUID() } : {}),
});

/**
 * Creates the route. `routes` returns the routes that the tools use, and is called once the list that contains this
 * route is complete.
 */
export const postMcp = (routes: () => readonly Route[]): Route => {
  const running = createRunningRequests();
  return defineRoute({
    method: 'post',
    path: '/mcp',
    operationId: 'postMcp',
    tag: 'Calls',
    summary: 'Use the calls from another agent',
    description:
      'One message of the Model Context Protocol (streamable HTTP, stateless), whose tools place, follow and end the calls of the number: `place_call`, `wait_for_call`, `get_call`, `get_transcript`, `list_calls`, `hang_up` and `transfer_call`. MCP clients send it; configure them with this address and the key.',
    auth: 'number',
    prepare: async () => void (await import('./answer-message.ts')),
    headers: z.object({
      'mcp-protocol-version': z.string().max(50).optional().meta({
        description: 'The protocol version agreed on by `initialize`.',
        example: '2025-11-25',
      }),
      'mcp-session-id': z.string().max(100).optional().meta({
        description: 'The session that the response to `initialize` named.',
        example: 'ef4e3a0c-1e4e-4e0e-9b7c-2b5c0f0d6a1f',
      }),
    }),
    body: z.record(z.string(), z.unknown()).meta({
      description: 'A message of JSON-RPC 2.0; one at a time.',
      example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    }),
    responses: {
      200: {
        description: 'The response, after the requested progress messages.',
        media: [eventStream],
        examples: { [eventStream]: exampleStream },
        headers: z.object({
          [sessionHeader]: z.string().optional().meta({
            description:
              'In the response to `initialize`: the name of the session, which later messages send as a header. Requests of a session can be cancelled.',
          }),
        }),
      },
      202: { description: 'Accepted; there is no response to it.' },
    },
    refusals: ['forbidden'],
  }).handledBy(async ({ body, headers, browser, ...asker }, services) => {
    refusePages(browser);
    const { answerMessage } = await import('./answer-message.ts');
    const fetch = createOwnFetch(routes(), { ...asker, readBrowser: () => browser }, services);
    const { clock, version } = services.operation;
    const options = () => Promise.resolve({ baseUrl: ownUrl, fetch });
    const accept = answerTypes.filter((type) => asker.accepts(type)).join(', ');
    const { 'mcp-session-id': session, ...others } = headers;
    const client = { numberId: asker.caller.id, session };
    const parts = { version, clock, options };
    const stream = await answerMessage(body, { accept, ...others }, parts, { client, running });
    if (stream === null) return { status: 202 };
    return { status: 200, media: eventStream, headers: headersFor(body), body: stream };
  });
};
