import type { EndReason } from '#machines/outcome.ts';

/** An ended call as input of its summary (guides/design/calls.md, "Summary"). */
export type CallToSummarize = {
  language: string;
  /** Duration in seconds; `null` if unknown. */
  durationSec: number | null;
  endReason: EndReason;
  turns: readonly { role: 'assistant' | 'user'; text: string }[];
};

/** Summarizes the words by a language model. Rejects on failure or an empty summary. */
export type SummarizeByModel = (
  call: Pick<CallToSummarize, 'language' | 'turns'>,
  signal: AbortSignal,
) => Promise<string>;
