import type { ReplyFailure, ReplyInput } from '#machines/reply.ts';
import type { TriedTurn } from '#src/domain/agent-trial.ts';
import type { StartReply } from '../start-reply.ts';

export type HeardTurn = Pick<TriedTurn, 'spoken' | 'controls'> & {
  endMs: number;
  failure: { kind: ReplyFailure; detail: string } | null;
};

/** Consumes one reply to its end, as a conversation would. Never rejects. */
export const hearTurn = (
  startReply: StartReply,
  { input, elapsed, giveUp }: { input: ReplyInput; elapsed: () => number; giveUp: AbortSignal },
): Promise<HeardTurn> =>
  new Promise((resolve) => {
    const spoken: HeardTurn['spoken'] = [];
    const controls: HeardTurn['controls'] = [];
    const end = (failure: HeardTurn['failure']): void => {
      giveUp.removeEventListener('abort', outOfTime);
      resolve({ spoken, controls, endMs: elapsed(), failure });
    };
    const letGo = startReply(input, (event) => {
      if (event.type === 'reply.sentence') spoken.push({ text: event.text, atMs: elapsed() });
      else if (event.type === 'reply.control') controls.push({ ...event.control, atMs: elapsed() });
      else if (event.type === 'reply.finished') end(null);
      else end({ kind: event.failure, detail: event.detail ?? '' });
    });
    const outOfTime = (): void => {
      letGo();
      end({ kind: 'reply_timeout', detail: 'the time for the whole trial is up' });
    };
    giveUp.addEventListener('abort', outOfTime);
    if (giveUp.aborted) outOfTime();
  });
