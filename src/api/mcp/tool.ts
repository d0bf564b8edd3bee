/** A tool of the Model Context Protocol and its access to the API. */
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type * as z from 'zod';
import type { Client } from '#src/client/client.ts';
import type { CallNews } from '#src/client/watch.ts';
import type { OperationId, RequestMembers } from '#src/client/send.ts';
import type { Clock } from '#src/domain/clock.ts';

/** Arguments before validation: the API operation validates them and refuses invalid ones with its own errors. */
export type Arguments = Readonly<Record<string, unknown>>;

export type Asking = {
  /** Calls one operation of the API. Throws `TrunklineProblem` on a refusal. */
  ask(operation: OperationId, members: RequestMembers): Promise<Answer>;
  watchCall: Client['watchCall'];
  /** Signal that aborts when the client no longer wants the result. */
  signal: AbortSignal;
  /** Reports progress to the waiting client. */
  tell(event: Extract<CallNews, { type: 'fact' }>['event']): Promise<void>;
  clock: Clock;
};

export type Answer = Readonly<Record<string, unknown>>;

export type Tool = {
  name: string;
  title: string;
  /** Description for a model that decides whether to use the tool: function, cost, and effect on people. */
  description: string;
  annotations: ToolAnnotations;
  input: z.ZodObject;
  output: z.ZodObject;
  call(given: Arguments, asking: Asking): Promise<Answer>;
};
