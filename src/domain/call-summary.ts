import type { EndReason } from '#machines/outcome.ts';

/** A call that has ended, as far as its summary tells of it (guides/design/calls.md, "Summary"). */
export type CallToSummarize = {
  language: string;
  /** `null` when it is unknown. */
  durationSec: number | null;
  endReason: EndReason;
  turns: readonly { role: 'assistant' | 'user'; text: string }[];
};

/** By a language model, from the words alone. Rejects when it fails, and when it has nothing to say. */
export type SummarizeByModel = (
  call: Pick<CallToSummarize, 'language' | 'turns'>,
  signal: AbortSignal,
) => Promise<string>;
