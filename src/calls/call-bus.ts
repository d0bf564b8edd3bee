/**
 * One stream of everything that happens in the calls of this gateway. Lines, replies, charts and the journal publish;
 * the journal, latency, metrics, traces, checkpoints and listeners subscribe. Subscribers are called synchronously, in
 * the order of their subscription. An error in one subscriber is logged and affects neither the call nor the other
 * subscribers.
 *
 * Order of events for one call: `began`, `connecting`, then any of `line`, `reply`, `measured`, `changed`, `fact` and
 * `stored`, then `ended` and `released`. For a call that is rejected before its answer, only its beginning and end are
 * published. For a call that another gateway holds, `taken` and `released` are published, but no end.
 */
import type { Logger } from 'pino';
import type { SnapshotFrom } from 'xstate';
import type { CallInput } from '#machines/call-context.ts';
import type { callMachine } from '#machines/call.ts';
import type { CallFact } from '#machines/facts.ts';
import type { Direction, LineEvent } from '#machines/line.ts';
import type { EndReason, FinalStatus } from '#machines/outcome.ts';
import type { AgentKind } from '#src/domain/agent-binding.ts';
import type { CallToSummarize } from '#src/domain/call-summary.ts';
import type { RecordedFact } from '#src/persistence/calls/call-facts.ts';

/**
 * Stage of a turn: `endpointing` from the end of the other party's speech to the decision that its turn is over; the
 * next three from the request for the reply; `wait` from the end of the speech to the first audible sound of the reply.
 */
export type TurnStage = 'endpointing' | 'first_token' | 'first_sentence' | 'first_audio' | 'wait';

export type CallNews = {
  /**
   * The call begins. The event is published in the context of the request that places the call, so that the call's
   * trace can link to it.
   */
  began: { callId: string; direction: Direction };
  /** The actor of the call is about to start. */
  connecting: { callId: string; numberId: string; workspaceId: string; input: CallInput };
  /** An event of the line, as the call receives it. Secret DTMF digits are replaced by dots. */
  line: { callId: string; event: LineEvent };
  /** Progress of the requested reply. */
  reply: { callId: string; stage: 'asked' | 'first_token' | 'first_sentence' };
  /**
   * The duration of a stage of a turn is known. The event is published even for a turn that is not heard. `agent` is
   * the kind of the call's agent, if known.
   */
  measured: { callId: string; agent: AgentKind | null; stage: TurnStage; milliseconds: number };
  /** The state of the call has changed. */
  changed: { callId: string; snapshot: SnapshotFrom<typeof callMachine> };
  /** A complete fact of the call, which is not stored yet. */
  fact: { callId: string; fact: CallFact & { at: number } };
  /** A fact was stored. `ended` is the row of a call that ended with this fact, if the row is known on this gateway. */
  stored: { callId: string; fact: RecordedFact; ended: CallToSummarize | null };
  ended: { callId: string; direction: Direction; status: FinalStatus; reason: EndReason };
  /** Another gateway holds the call or has ended it. This gateway writes no further facts of the call. */
  taken: { callId: string };
  /** The call has left this gateway, either normally or by a crash. */
  released: { callId: string };
};

type NewsType = keyof CallNews;

type Subscriber<Type extends NewsType> = (news: CallNews[Type]) => void;

export type CallBus = {
  /** Publishes an event. Never throws. */
  publish<Type extends NewsType>(type: Type, news: CallNews[Type]): void;
  /** Subscribes; returns the function that unsubscribes. With `callId`, only events of this call are passed. */
  subscribe<Type extends NewsType>(type: Type, subscriber: Subscriber<Type>, callId?: string): () => void;
};

/** Subscribers by call. Subscribers to all calls have the key `anyCall`. */
type Subscribers = { [Type in NewsType]?: Map<string, Set<Subscriber<Type>>> };

const anyCall = '';

export const createCallBus = ({ logger }: { logger: Pick<Logger, 'error'> }): CallBus => {
  const subscribers: Subscribers = {};

  const publishTo = <Type extends NewsType>(type: Type, news: CallNews[Type], callId: string): void => {
    for (const subscriber of subscribers[type]?.get(callId) ?? []) {
      try {
        subscriber(news);
      } catch (error) {
        logger.error({ call_id: news.callId, news: type, err: error }, 'processing news of a call failed');
      }
    }
  };

  return {
    publish(type, news) {
      publishTo(type, news, anyCall);
      publishTo(type, news, news.callId);
    },
    subscribe(type, subscriber, callId = anyCall) {
      const byCall = (subscribers[type] ??= new Map());
      const ofCall = byCall.get(callId) ?? new Set();
      byCall.set(callId, ofCall);
      // A new function for each subscription, so that two subscriptions of one function are distinct.
      const receive: typeof subscriber = (news) => subscriber(news);
      ofCall.add(receive);
      return () => {
        ofCall.delete(receive);
        if (ofCall.size === 0 && byCall.get(callId) === ofCall) byCall.delete(callId);
      };
    },
  };
};
