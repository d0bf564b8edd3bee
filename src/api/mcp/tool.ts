/** What a tool of the Model Context Protocol is here, and what it asks the API by. */
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod';
import type { Client } from '#src/client/client.ts';
import type { CallNews } from '#src/client/watch.ts';
import type { OperationId, RequestMembers } from '#src/client/send.ts';
import type { Clock } from '#src/domain/clock.ts';

/** As they came: the operation of the API that gets them checks them, and refuses them in its own words. */
export type Arguments = Readonly<Record<string, unknown>>;

export type Asking = {
  /** One operation of the API. Throws `TrunklineProblem` where it refuses. */
  ask(operation: OperationId, members: RequestMembers): Promise<Answer>;
  watchCall: Client['watchCall'];
  /** Aborted when nobody waits for the result any more. */
  signal: AbortSignal;
  /** Tells whoever waits what has happened. */
  tell(event: Extract<CallNews, { type: 'fact' }>['event']): Promise<void>;
  clock: Clock;
};

export type Answer = Readonly<Record<string, unknown>>;

export type Tool = {
  name: string;
  title: string;
  /** For a model that decides whether to use it: what it does, what it costs, what it may do to people. */
  description: string;
  annotations: ToolAnnotations;
  input: z.ZodObject;
  output: z.ZodObject;
  call(given: Arguments, asking: Asking): Promise<Answer>;
};
