/** The operator's language model, if configured. */
import { languageModelLimits, replyLimits } from '#config/policy.ts';
import type { LanguageModel } from '#src/agents/language-model/ask-model.ts';
import { createSummarizeByModel } from '#src/agents/language-model/summarize-by-model.ts';
import type { SummarizeByModel } from '#src/domain/call-summary.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';
import type { Foundation } from './foundation.ts';

export type StartedLanguageModel = {
  /** `null`: the built-in agent works without a model. */
  model: LanguageModel | null;
  summarize: SummarizeByModel | null;
};

/** `onFailure` is called for each failed request. */
export const startLanguageModel = (
  { config, clock, started }: Pick<Foundation, 'config' | 'clock' | 'started'>,
  onFailure: NonNullable<LanguageModel['failed']>,
): StartedLanguageModel => {
  if (config.languageModel === null) return { model: null, summarize: null };
  const { connectMs, connections, firstTokenMs } = languageModelLimits;
  const client = createEndpointClient({
    // The operator chose the server, so private addresses are allowed.
    rules: { allowedHosts: [], allowLoopback: true, anywhere: true },
    connectMs,
    maxBodyBytes: replyLimits.streamBytes,
    connectionsPerHost: connections,
  });
  started.defer(() => client.close());
  const model: LanguageModel = {
    ...config.languageModel,
    client,
    clock,
    limits: replyLimits,
    firstTokenMs,
    failed: onFailure,
  };
  return { model, summarize: createSummarizeByModel(model) };
};
