/**
 * A server of the Model Context Protocol that uses the client of a gateway. Both the program that runs beside an agent
 * and the gateway itself, which calls its own routes, use this server. The SDK's `Server` is used instead of its
 * `McpServer`, which would validate arguments itself, with errors that differ from the API's.
 *
 * The SDK takes some 0.3 s and 20 MB to load, so this file is imported on demand.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  type ListToolsResult,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { createClient } from '#src/client/client.ts';
import type { CallEvent } from '#src/client/schema.ts';
import { createSend, type ClientOptions } from '#src/client/send.ts';
import type { Clock } from '#src/domain/clock.ts';
import { failedTool } from './failed-tool.ts';
import type { Asking } from './tool.ts';
import { tools } from './tools.ts';
import { createSchema } from 'zod-openapi';

type ToolSchema = { type: 'object'; [keyword: string]: unknown };

/** Returns the schema if it is an object. `true` and `false` are valid JSON Schemas but never describe an object. */
const objectIn = (schema: object | boolean): object => (typeof schema === 'object' ? schema : {});

/** Returns the input or output schema as in the OpenAPI document, with referenced schemas included. */
const toolSchema = ({ shape }: z.ZodObject, io: 'input' | 'output'): ToolSchema => {
  // The object schema is created again, because a registered schema would become a reference, and a tool requires an
  // object.
  const { schema, components } = createSchema(z.object(shape), {
    io,
    schemaRefPath: '#/$defs/',
    opts: {
      override: ({ jsonSchema }) => {
        // Unknown members are allowed, because responses may gain fields, which a tool ignores as the API does.
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        if (jsonSchema.format === 'uuid') delete jsonSchema.pattern;
      },
    },
  });
  return {
    ...objectIn(schema),
    type: 'object',
    ...(Object.keys(components).length === 0 ? {} : { $defs: components }),
  };
};

const instructions =
  'Trunkline places and monitors telephone calls, in which a separate agent talks. Calls on real lines cost money and reach people: place, transfer and end calls only as the user requests. A tool that refuses returns the reason as `code` and `detail`; the codes are those of the HTTP API.';

let listed: ListToolsResult['tools'] | undefined;

const listTools = (): ListToolsResult['tools'] =>
  (listed ??= tools.map(({ name, title, description, annotations, input, output }) => ({
    name,
    title,
    description,
    annotations: { title, ...annotations },
    inputSchema: toolSchema(input, 'input'),
    outputSchema: toolSchema(output, 'output'),
  })));

const answer = z.record(z.string(), z.unknown());

const toldOf = ({ type, data }: CallEvent): string => {
  const { role, text } = data;
  return type === 'turn.spoken' && typeof role === 'string' && typeof text === 'string'
    ? `${role}: ${text}`
    : type;
};

export type McpServerParts = { version: string; clock: Clock; options: () => Promise<ClientOptions> };

/**
 * Creates the server. `options` is called at each use of a tool, because a gateway may have been restarted at another
 * address.
 */
export const createMcpServer = ({ version, clock, options }: McpServerParts): Server => {
  const server = new Server({ name: 'trunkline', version }, { capabilities: { tools: {} }, instructions });

  const askingBy = async (signal: AbortSignal, tell: Asking['tell']): Promise<Asking> => {
    const known = await options();
    const send = createSend(known);
    return {
      async ask(operation, members) {
        const response = await send(operation, members, { signal });
        return answer.parse(await response.json());
      },
      watchCall: createClient(known).watchCall,
      signal,
      tell,
      clock,
    };
  };

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools() }));

  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params }, { signal, sendNotification }): Promise<CallToolResult> => {
      const tool = tools.find(({ name }) => name === params.name);
      if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'There is no such tool.');
      const progressToken = params._meta?.progressToken;
      let progress = 0;
      const tell = async (event: CallEvent): Promise<void> => {
        if (progressToken === undefined) return;
        progress += 1;
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, message: toldOf(event) },
        });
      };
      try {
        const result = await tool.call(params.arguments ?? {}, await askingBy(signal, tell));
        return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
      } catch (error) {
        return failedTool(error, signal);
      }
    },
  );

  return server;
};
