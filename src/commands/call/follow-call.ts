/** Places a call and shows it until its end; asks to hang up when whoever watches it does. */
import type { Client } from '#src/client/client.ts';
import { TrunklineProblem } from '#src/client/client.ts';
import type { Call, CreateCall } from '#src/client/schema.ts';
import type { CallView } from './call-view.ts';
import type { Words } from './words.ts';

type FollowedCall = {
  client: Pick<Client, 'createCall' | 'getCall' | 'watchCall' | 'hangUp' | 'cancelCall'>;
  view: CallView;
  words: Words;
  /** To be called with what is to be done whenever somebody asks this program to end. */
  onAsked: (ask: () => void) => void;
};

/**
 * How far the call has come, and how far it has come that somebody wants to end it: each time that it is asked for leads
 * on, from `ringing` to `hanging up` at once.
 */
type Stage = 'ringing' | 'talking' | 'saying goodbye' | 'hanging up' | 'over';

const createEnding = (
  callId: string,
  { client, view, words }: Pick<FollowedCall, 'client' | 'view' | 'words'>,
) => {
  const leaving = new AbortController();
  let stage: Stage = 'ringing';

  const request = async (end: () => Promise<unknown>): Promise<void> => {
    try {
      await end();
    } catch (error) {
      view.say(words.notHungUp(error instanceof Error ? error.message : String(error)));
    }
  };

  return {
    left: leaving.signal,
    answered() {
      if (stage === 'ringing') stage = 'talking';
    },
    ask() {
      if (stage === 'talking') {
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

/** Resolves to the call as it ended; `undefined` where nobody waited for that. Throws what the gateway refuses. */
export const followCall = async (request: CreateCall, parts: FollowedCall): Promise<Call | undefined> => {
  const { client, view, words, onAsked } = parts;
  const { call_id: callId, from } = await client.createCall({ body: request });
  const ending = createEnding(callId, parts);
  onAsked(ending.ask);
  view.begins({ callId, to: request.to, from });
  try {
    for await (const news of client.watchCall({ call_id: callId }, { signal: ending.left })) {
      if (news.type === 'fact' && news.event.type === 'call.answered') ending.answered();
      view.news(news);
    }
    const call = await client.getCall({ call_id: callId }, { signal: ending.left });
    view.ends(call);
    return call;
  } catch (error) {
    if (!ending.left.aborted || error instanceof TrunklineProblem) throw error;
    view.say(words.left);
    return undefined;
  } finally {
    ending.over();
    view.close();
  }
};
