/** What a call is shown on: a terminal for people (`terminal-view.ts`), or lines of JSON for programs (`json-view.ts`). */
import type { CallNews } from '#src/client/client.ts';
import type { Call } from '#src/client/schema.ts';

export type BegunCall = { callId: string; to: string; from: string };

/** What is shown of a call that has ended. */
export type EndedCall = Pick<Call, 'call_id' | 'status' | 'end_reason' | 'duration_sec'>;

export type CallView = {
  /** About this program, not about the call. */
  say(words: string): void;
  begins(call: BegunCall): void;
  news(news: CallNews): void;
  /** The call as it ended. */
  ends(call: EndedCall): void;
  /** Nothing is shown any more. Idempotent. */
  close(): void;
};
