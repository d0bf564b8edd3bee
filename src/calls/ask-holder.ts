/**
 * Asking a call for something, wherever it is held: here, which needs no database, or by another gateway, which is
 * asked in turn. The order in which a request is refused is that of guides/design/wire.md, "Hang-up": not this number's
 * call, not in the state for it, nobody to signal with, not where it should be. Whatever is refused, the call goes on.
 */
import type { CallAsk, CallSignal } from '#src/domain/call-signal.ts';
import type { CallStatus } from '#src/domain/end-reasons.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { findCall } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import type { LiveCalls } from './live-calls.ts';
import type { CallActor, Switchboard } from './switchboard.ts';

/** Does what is asked to a call that is held here, or throws the refusal that says why not. */
export type PerformAsk = (actor: CallActor, callId: string) => void | Promise<void>;

export type AskNode = (node: string, signal: CallSignal) => Promise<void>;

export type HolderOptions = {
  database: Database;
  switchboard: Pick<Switchboard, 'find'>;
  liveCalls: Pick<LiveCalls, 'get'>;
  /** The name of this gateway among those that share the database. */
  node: string;
  /** Rejects with the refusal of that gateway, or when it cannot be reached. */
  askNode: AskNode;
  /** Whether this gateway is configured with lines that carry sound; without, it ends no calls. */
  hasMedia: boolean;
  perform: Readonly<Record<CallAsk, PerformAsk>>;
};

export type Holder = {
  ask(signal: CallSignal): Promise<void>;
  /** For another gateway, which believes that the call is held here. */
  askHere(signal: CallSignal): Promise<void>;
};

const isHangup = (ask: CallAsk): boolean => ask !== 'pause_recording' && ask !== 'resume_recording';

/** What a call must be for it. */
const wantedStatus = (ask: CallAsk): CallStatus => (ask === 'cancel' ? 'ringing' : 'active');

export const notActive = (ask?: CallAsk): Refusal =>
  new Refusal(
    'call_not_active',
    ask === 'cancel'
      ? 'This call does not ring any more; use hangup for a call in progress.'
      : 'This call is not in progress.',
  );

/** The answer of a gateway that is configured to leave calls alone. */
const switchedOff = (ask: CallAsk): Refusal =>
  isHangup(ask)
    ? new Refusal('hangup_unavailable', 'This gateway has no telephone lines, so it hangs up no calls.')
    : new Refusal('service_unavailable', 'This gateway has no telephone lines, so it pauses no recordings.');

const unreached = (ask: CallAsk, cause: unknown): Refusal => {
  const detail = 'The gateway that holds the call could not be reached just now; try once more.';
  return new Refusal(isHangup(ask) ? 'hangup_failed' : 'service_unavailable', detail, { cause });
};

export const createHolder = (options: HolderOptions): Holder => {
  const { database, switchboard, liveCalls, node, perform } = options;

  /** `undefined` for a call that is not held here, or is another number's. */
  const actorOf = ({ callId, numberId }: CallSignal): CallActor | undefined =>
    liveCalls.get(callId)?.numberId === numberId ? switchboard.find(callId) : undefined;

  const askActor = async (actor: CallActor, { callId, ask }: CallSignal): Promise<void> => {
    if (!actor.getSnapshot().matches(wantedStatus(ask) === 'ringing' ? 'ringing' : 'active'))
      throw notActive(ask);
    await perform[ask](actor, callId);
  };

  /** The name of the gateway that should hold the call, by its row. */
  const findHolder = async (signal: CallSignal): Promise<string> => {
    const call = await findCall(database, signal);
    if (call === undefined) throw new Refusal('call_not_found', 'This number has no call with that id.');
    if (call.status !== wantedStatus(signal.ask)) throw notActive(signal.ask);
    if (!options.hasMedia) throw switchedOff(signal.ask);
    return call.node;
  };

  const askHere = async (signal: CallSignal): Promise<void> => {
    // It may have begun, or ended, while its row was read.
    const actor = actorOf(signal);
    if (actor === undefined) {
      throw new Refusal(
        'room_unknown',
        'The call is not where it should be; it has ended or is being ended.',
      );
    }
    await askActor(actor, signal);
  };

  const askOther = async (holder: string, signal: CallSignal): Promise<void> => {
    try {
      await options.askNode(holder, signal);
    } catch (error) {
      throw error instanceof Refusal ? error : unreached(signal.ask, error);
    }
  };

  return {
    askHere,
    async ask(signal) {
      const actor = actorOf(signal);
      if (actor !== undefined) return askActor(actor, signal);
      const holder = await findHolder(signal);
      await (holder === node ? askHere(signal) : askOther(holder, signal));
    },
  };
};
