/**
 * Asking a call for something, wherever it is held: here, which needs no database, or by another gateway, which is
 * asked in turn. The order in which a request is refused is that of guides/design/wire.md, "Hang-up": not this number's
 * call, not in the state for it, nobody to signal with, not where it should be. Whatever is refused, the call goes on.
 * A call that is on its way from one gateway to another is waited for; a hang-up of one whose gateway has died is left to
 * the next one.
 */
import type { CallAction, InCallRequest } from '#src/domain/in-call-request.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallStatus } from '#src/domain/end-reasons.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { findCall } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import { leaveHangup, type HangupAction } from '#src/persistence/left-hangups.ts';
import type { LiveCalls } from '../live/live-calls.ts';
import type { CallActor, Switchboard } from '../live/switchboard.ts';

/** Does what is asked of a call that is held here, or throws the refusal that says why not. */
export type PerformRequest = (actor: CallActor, request: InCallRequest) => void | Promise<void>;

export type AskNode = (node: string, request: InCallRequest) => Promise<void>;

/** Of an action that ends a call which was answered. */
const hangupAction = (action: CallAction): HangupAction | null =>
  action === 'hangup' || action === 'hangup_immediately' ? action : null;

export type InCallRequestsOptions = {
  database: Database;
  switchboard: Pick<Switchboard, 'find'>;
  liveCalls: Pick<LiveCalls, 'get'>;
  /** The name of this gateway among those that share the database. */
  node: string;
  /** Rejects with the refusal of that gateway, or when it cannot be reached. */
  askNode: AskNode;
  /** Whether this gateway is configured with lines that carry sound; without, it ends no calls. */
  hasMedia: boolean;
  perform: PerformRequest;
  /** How long a call is waited for that another gateway is just taking, and how often it is looked for meanwhile. */
  underway: { forMs: number; lookMs: number };
  /** One that nobody sets. */
  clock: Clock;
};

export type InCallRequests = {
  send(request: InCallRequest): Promise<void>;
  /** For another gateway, which believes that the call is held here. */
  performHere(request: InCallRequest): Promise<void>;
};

const isHangup = (action: CallAction): boolean =>
  action === 'hangup' || action === 'hangup_immediately' || action === 'cancel';

/** The status in which a call takes this action. */
const wantedStatus = (action: CallAction): CallStatus => (action === 'cancel' ? 'ringing' : 'active');

export const notActive = (action?: CallAction): Refusal =>
  new Refusal(
    'call_not_active',
    action === 'cancel'
      ? 'This call does not ring any more; use hangup for a call in progress.'
      : 'This call is not in progress.',
  );

const wait = (clock: Clock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => void clock.setTimeout(resolve, milliseconds));

/** The answer of a gateway that is configured to leave calls alone. */
const switchedOff = (action: CallAction): Refusal =>
  isHangup(action)
    ? new Refusal('hangup_unavailable', 'This gateway has no telephone lines, so it hangs up no calls.')
    : new Refusal(
        'service_unavailable',
        'This gateway has no telephone lines, so nothing can be asked of calls.',
      );

const unreached = (action: CallAction, cause: unknown): Refusal => {
  const detail = 'The gateway that holds the call could not be reached just now; try once more.';
  return new Refusal(isHangup(action) ? 'hangup_failed' : 'service_unavailable', detail, { cause });
};

/** What is asked of the gateway that holds a call; a hang-up, where that is dead, is done by whoever goes on with the call. */
const createAskHolder = ({ database, askNode }: Pick<InCallRequestsOptions, 'database' | 'askNode'>) => {
  const leavesToNext = async (
    holder: string,
    { callId, numberId, action: asked }: InCallRequest,
  ): Promise<boolean> => {
    const action = hangupAction(asked);
    return action !== null && leaveHangup(database, { callId, numberId, holder, action });
  };

  return async (holder: string, request: InCallRequest): Promise<void> => {
    if (await leavesToNext(holder, request)) return;
    try {
      await askNode(holder, request);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // It may have died just then.
      if (!(await leavesToNext(holder, request))) throw unreached(request.action, error);
    }
  };
};

export const createInCallRequests = (options: InCallRequestsOptions): InCallRequests => {
  const { database, switchboard, liveCalls, node, perform } = options;
  const askHolder = createAskHolder(options);

  /** `undefined` for a call that is not held here, or is another number's. */
  const actorOf = ({ callId, numberId }: InCallRequest): CallActor | undefined =>
    liveCalls.get(callId)?.numberId === numberId ? switchboard.find(callId) : undefined;

  const performOn = async (actor: CallActor, request: InCallRequest): Promise<void> => {
    const { action } = request;
    if (!actor.getSnapshot().matches(wantedStatus(action) === 'ringing' ? 'ringing' : 'active'))
      throw notActive(action);
    await perform(actor, request);
  };

  /** The name of the gateway that should hold the call, by its row. */
  const findHolder = async (request: InCallRequest): Promise<string> => {
    const call = await findCall(database, request);
    if (call === undefined) throw new Refusal('call_not_found', 'This number has no call with that id.');
    if (call.status !== wantedStatus(request.action)) throw notActive(request.action);
    if (!options.hasMedia) throw switchedOff(request.action);
    return call.node;
  };

  const performHere = async (request: InCallRequest): Promise<void> => {
    // It may have begun, or ended, while its row was read.
    const actor = actorOf(request);
    if (actor === undefined) {
      throw new Refusal(
        'room_unknown',
        'The call is not where it should be; it has ended or is being ended.',
      );
    }
    await performOn(actor, request);
  };

  const sendOnce = async (request: InCallRequest, onHolder: (holder: string) => void): Promise<void> => {
    const actor = actorOf(request);
    if (actor !== undefined) return performOn(actor, request);
    const holder = await findHolder(request);
    onHolder(holder);
    await (holder === node ? performHere(request) : askHolder(holder, request));
  };

  /** Only a call that was answered goes from one gateway to another. */
  const isUnderway = async (request: InCallRequest, error: unknown, holder?: string): Promise<boolean> => {
    if (!(error instanceof Refusal) || wantedStatus(request.action) !== 'active') return false;
    if (error.code === 'room_unknown') return true;
    // The gateway that was asked may be gone by now.
    return error.cause !== undefined && holder !== undefined && (await findHolder(request)) !== holder;
  };

  return {
    performHere,
    async send(request) {
      const { underway, clock } = options;
      const until = clock.now() + underway.forMs;
      for (;;) {
        let holder: string | undefined;
        try {
          return await sendOnce(request, (found) => (holder = found));
        } catch (error) {
          if (clock.now() >= until || !(await isUnderway(request, error, holder))) throw error;
        }
        await wait(clock, underway.lookMs);
      }
    },
  };
};
