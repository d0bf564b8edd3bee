/**
 * Answers one message of the Model Context Protocol over HTTP. The endpoint is stateless: each message has a server
 * object of its own, which ends with the response. Any gateway therefore accepts any message, and clients cannot
 * accumulate sessions.
 */
import { Readable } from 'node:stream';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { createMcpServer, type McpServerParts } from './mcp-server.ts';
import { ownUrl } from './own-fetch.ts';
import type { McpClient, RunningRequests } from './running-requests.ts';

/** Request headers that the transport reads. */
export type MessageHeaders = { accept: string; 'mcp-protocol-version'?: string | undefined };

const jsonRpcError = z.object({ error: z.object({ message: z.string() }) });

const refusalOf = async (response: Response): Promise<Refusal> => {
  const told = jsonRpcError.safeParse(await response.json());
  return new Refusal(
    'invalid_request',
    told.success ? told.data.error.message : 'This is no message of MCP.',
  );
};

const requestOf = (headers: MessageHeaders): Request => {
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return new Request(`${ownUrl}/mcp`, {
    method: 'POST',
    headers: [...given, ['content-type', 'application/json']],
  });
};

/**
 * Resolves to the response to a message; `null` for a message without a response. The response to a request that its
 * client cancels ends early.
 */
export const answerMessage = async (
  message: unknown,
  headers: MessageHeaders,
  parts: McpServerParts,
  { client, running }: { client: McpClient; running: RunningRequests },
): Promise<Readable | null> => {
  running.apply(client, message);
  const server = createMcpServer(parts);
  const over = running.begin(client, message, () => void server.close());
  const transport = new WebStandardStreamableHTTPServerTransport();
  await server.connect(transport);
  const response = await transport.handleRequest(requestOf(headers), { parsedBody: message });
  if (!response.ok || response.body === null) {
    over();
    await server.close();
    if (!response.ok) throw await refusalOf(response);
    return null;
  }
  const stream = Readable.from(response.body);
  // If the client disconnects, the request is aborted.
  stream.once('close', () => {
    over();
    void server.close();
  });
  return stream;
};
