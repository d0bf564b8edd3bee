/** Places a call and shows it until its end; interrupts hang up. */
import { z } from 'zod';
import { TrunklineProblem, TrunklineUnreachable, type CallNews, type Client } from '#src/client/client.ts';
import type { Call, CreateCall } from '#src/client/schema.ts';
import { callStatuses, endReasons } from '#src/domain/end-reasons.ts';
import type { CallView, EndedCall } from './call-view.ts';
import type { Words } from './words.ts';

type FollowedCall = {
  client: Pick<Client, 'createCall' | 'getCall' | 'watchCall' | 'hangUp' | 'cancelCall'>;
  view: CallView;
  words: Words;
  /** Registers the action that each interrupt (Ctrl-C) runs. */
  onInterrupt: (ask: () => void) => void;
};

/**
 * State of the call and of the requested end. Each interrupt advances the state; from `ringing` it goes to `hanging up`
 * at once.
 */
type Stage = 'ringing' | 'talking' | 'saying goodbye' | 'hanging up' | 'over';

const createEnding = (
  callId: string,
  { client, view, words }: Pick<FollowedCall, 'client' | 'view' | 'words'>,
) => {
  const leaving = new AbortController();
  let stage: Stage = 'ringing';
  let isReachable = true;

  const request = async (end: () => Promise<unknown>): Promise<void> => {
    try {
      await end();
    } catch (error) {
      view.say(words.notHungUp(error instanceof Error ? error.message : String(error)));
    }
  };

  return {
    left: leaving.signal,
    /** Notes whether the gateway is reachable. While it is not, the next interrupt exits. */
    reachable(is: boolean) {
      isReachable = is;
    },
    answered() {
      if (stage === 'ringing') stage = 'talking';
    },
    ask() {
      if (!isReachable) {
        leaving.abort();
      } else if (stage === 'talking') {
        stage = 'saying goodbye';
        view.say(words.askedToHangUp);
        void request(() => client.hangUp({ call_id: callId, body: { immediate: false } }));
      } else if (stage === 'ringing') {
        stage = 'hanging up';
        view.say(words.askedAtOnce);
        void request(() => client.cancelCall({ call_id: callId }));
      } else if (stage === 'saying goodbye') {
        stage = 'hanging up';
        view.say(words.askedAtOnce);
        void request(() => client.hangUp({ call_id: callId, body: { immediate: true } }));
      } else if (stage === 'hanging up') {
        leaving.abort();
      }
    },
    over() {
      stage = 'over';
    },
  };
};

/** End reasons are not restricted, because a newer gateway may have more. */
const endedFact = z.object({
  status: z.enum(callStatuses),
  end_reason: z.enum(endReasons).nullable().catch(null),
});

/** Returns the end of a call according to its last fact, for a gateway that exited with the call. */
const endIn = (callId: string, news: CallNews): EndedCall | undefined => {
  if (news.type !== 'fact' || news.event.type !== 'call.ended') return undefined;
  const { data: end } = endedFact.safeParse(news.event.data);
  return end && { call_id: callId, ...end, duration_sec: news.event.t_offset_sec };
};

/**
 * Follows a call. Resolves to the ended call, or to its last facts if the gateway exited with it; `undefined` after an
 * early exit or a lost gateway. Rejects with refusals of the gateway.
 */
export const followCall = async (
  request: CreateCall,
  parts: FollowedCall,
): Promise<Call | EndedCall | undefined> => {
  const { client, view, words, onInterrupt } = parts;
  const { call_id: callId, from } = await client.createCall({ body: request });
  const ending = createEnding(callId, parts);
  onInterrupt(ending.ask);
  view.begins({ callId, to: request.to, from });
  const seenEnd = new AbortController();
  let end: EndedCall | undefined;
  const watching = {
    signal: AbortSignal.any([ending.left, seenEnd.signal]),
    onInterrupted(failure: Error, retryInMs: number) {
      if (end !== undefined) return seenEnd.abort();
      ending.reachable(false);
      view.say(words.interrupted(failure.message.replace(/\.$/, ''), (retryInMs / 1_000).toFixed(0)));
    },
  };
  const watch = async (): Promise<void> => {
    for await (const news of client.watchCall({ call_id: callId }, watching)) {
      ending.reachable(true);
      if (news.type === 'fact' && news.event.type === 'call.answered') ending.answered();
      end ??= endIn(callId, news);
      view.news(news);
    }
  };
  try {
    await watch().catch((error: unknown) => {
      if (!seenEnd.signal.aborted) throw error;
    });
    const call = await client.getCall({ call_id: callId }, { signal: ending.left });
    view.ends(call);
    return call;
  } catch (error) {
    if (ending.left.aborted && !(error instanceof TrunklineProblem)) {
      view.say(words.left);
      return undefined;
    }
    if (!(error instanceof TrunklineUnreachable)) throw error;
    if (end === undefined) view.say(words.lost);
    else view.ends(end);
    return end;
  } finally {
    ending.over();
    view.close();
  }
};
