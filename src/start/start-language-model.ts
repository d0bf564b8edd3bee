/** The operator's language model, where there is one. */
import type { LanguageModelConfig } from '#config/config.ts';
import type { LanguageModel } from '#src/agents/language-model/ask-model.ts';
import {
  createSummarizeByModel,
  type SummarizeByModel,
} from '#src/agents/language-model/summarize-by-model.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';

export type StartedLanguageModel = {
  /** `null`: the built-in agent works without one. */
  model: LanguageModel | null;
  summarize: SummarizeByModel | null;
  /** Closes every connection. */
  close(): Promise<void>;
};

export const startLanguageModel = (
  config: LanguageModelConfig | null,
  options: {
    clock: Clock;
    limits: LanguageModel['limits'];
    connectMs: number;
    connections: number;
    firstTokenMs: number;
    failed: NonNullable<LanguageModel['failed']>;
  },
): StartedLanguageModel => {
  if (config === null) return { model: null, summarize: null, close: () => Promise.resolve() };
  const { clock, limits, connectMs, connections, firstTokenMs, failed } = options;
  const client = createEndpointClient({
    // The operator's own choice, which may be a server of the house.
    rules: { allowedHosts: [], allowLoopback: true, anywhere: true },
    connectMs,
    maxBodyBytes: limits.streamBytes,
    connectionsPerHost: connections,
  });
  const model: LanguageModel = { ...config, client, clock, limits, firstTokenMs, failed };
  return { model, summarize: createSummarizeByModel(model), close: () => client.close() };
};
