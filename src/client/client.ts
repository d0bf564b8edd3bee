/** API client for browsers and Node: one method per operation of the OpenAPI document. */
import { operations, type Operations } from './schema.ts';
import {
  createSend,
  type ClientOptions,
  type OperationId,
  type RequestMembers,
  type RequestOptions,
  type Send,
} from './send.ts';
import { wholeBody } from './unreachable.ts';
import { watchFleet, type FleetCounts, type FleetWatchOptions } from './watch-fleet.ts';
import { watch, type CallNews, type WatchOptions } from './watch.ts';

export { pagesOf } from './pages-of.ts';
export { TrunklineProblem } from './problem.ts';
export { TrunklineUnreachable } from './unreachable.ts';
export type * from './schema.ts';
export type { ClientOptions, RequestOptions } from './send.ts';
export type { FleetCounts, FleetWatchOptions } from './watch-fleet.ts';
export type { CallNews, WatchOptions } from './watch.ts';

type RequestOf<Id extends OperationId> = Operations[Id]['request'];
type AnswerOf<Id extends OperationId> = Operations[Id]['answer'];

/** A method of the client. Its request argument is optional if the request has no required member. */
type Method<Id extends OperationId> =
  undefined extends RequestOf<Id>
    ? (request?: RequestOf<Id>, options?: RequestOptions) => Promise<AnswerOf<Id>>
    : (request: RequestOf<Id>, options?: RequestOptions) => Promise<AnswerOf<Id>>;

type Watch<Id extends OperationId> = (
  request: RequestOf<Id>,
  options?: WatchOptions,
) => AsyncGenerator<CallNews, void, undefined>;

/**
 * Methods of the client, one per operation. Each takes one object: path, query and header parameters by name, and
 * `body`. A method returns the JSON of the response, or a `Response` for files such as recordings; an operation with
 * both returns what the request selects.
 */
export type Client = { readonly [Id in keyof Operations]: Method<Id> } & {
  /** Yields events of a call of the number until the call ends; reconnects after a broken connection. */
  readonly watchCall: Watch<'getCallEvents'>;
  /** Yields events of any call of the workspace. */
  readonly watchWorkspaceCall: Watch<'getWorkspaceCallEvents'>;
  /**
   * Yields the numbers of the calls in progress by state, at once and whenever they have changed, until the stream
   * breaks.
   */
  readonly watchFleet: (options?: FleetWatchOptions) => AsyncGenerator<FleetCounts, void, undefined>;
};

export const createClient = (options: ClientOptions): Client => {
  const send = createSend(options);
  const methods = Object.fromEntries(operationIds.map((id) => [id, methodOf(send, id)]));
  // The cast is safe, because types and operation table are generated from the same document.
  return {
    ...methods,
    watchCall: watchBy(send, 'getCallEvents'),
    watchWorkspaceCall: watchBy(send, 'getWorkspaceCallEvents'),
    watchFleet: (watching) =>
      watchFleet(() => send('getFleet', undefined, { ...watching, accept: 'text/event-stream' }), watching),
  } as Client;
};

const isOperationId = (name: string): name is OperationId => name in operations;

const operationIds = Object.keys(operations).filter(isOperationId);

const holdsJson = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/json') === true;

const methodOf =
  (send: Send, id: OperationId) =>
  async (request?: RequestMembers, options?: RequestOptions): Promise<unknown> => {
    const response = await send(id, request, options);
    const { answer } = operations[id];
    if (answer === 'file' || (answer === 'either' && !holdsJson(response))) return response;
    return answer === 'nothing' ? undefined : wholeBody(response.json());
  };

const watchBy =
  <Id extends 'getCallEvents' | 'getWorkspaceCallEvents'>(send: Send, id: Id): Watch<Id> =>
  (request, options) =>
    watch(
      (last) => send(id, { ...request, 'last-event-id': last }, { ...options, accept: 'text/event-stream' }),
      request['last-event-id'],
      options,
    );
