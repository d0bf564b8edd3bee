/** Output of a call: a terminal for people (`terminal-view.ts`), or JSON lines for programs (`json-view.ts`). */
import type { CallNews } from '#src/client/client.ts';
import type { Call } from '#src/client/schema.ts';

export type BegunCall = { callId: string; to: string; from: string };

/** Details of an ended call. */
export type EndedCall = Pick<Call, 'call_id' | 'status' | 'end_reason' | 'duration_sec'>;

export type CallView = {
  /** Prints a message about this program. */
  say(words: string): void;
  begins(call: BegunCall): void;
  news(news: CallNews): void;
  /** Prints the end of the call. */
  ends(call: EndedCall): void;
  /** Stops output. Idempotent. */
  close(): void;
};
