import type { Logger } from 'pino';
import type { AgentType } from '#src/domain/agent-binding.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { Agent } from './agent.ts';
import type { EndpointWorld } from './ask-endpoint.ts';
import type { HangUp, PressKeys } from '#src/domain/own-call.ts';
import { builtInAgent } from './built-in.ts';
import { langgraphAgent } from './langgraph.ts';
import { languageModelAgent } from './language-model.ts';
import type { LanguageModel } from './language-model/ask-model.ts';
import { mastraAgent } from './mastra.ts';
import { n8nAgent } from './n8n.ts';
import { openAiCompatibleAgent } from './openai-compatible.ts';
import { webhookAgent } from './webhook.ts';

/** Adapter of one wire format (guides/design/agents.md); `url` is the binding's chat URL. */
type EndpointAgent = (world: EndpointWorld, url: string, call: AgentCall) => Agent;

const endpointAgents: Readonly<Record<AgentType, EndpointAgent>> = {
  webhook: webhookAgent,
  openai_compatible: openAiCompatibleAgent,
  n8n: n8nAgent,
  langgraph: langgraphAgent,
  mastra: mastraAgent,
};

export type CreateAgent = (call: AgentCall) => Agent;

export type AgentWorld = EndpointWorld & {
  hangUp: HangUp;
  /** Function that sends DTMF digits; `null` if DTMF digits cannot be sent. */
  pressKeys: PressKeys | null;
  /** Language model of the built-in agent; `null` if the built-in agent works without one. */
  languageModel: LanguageModel | null;
  logger: Logger;
};

/** Creates the agent of a call from its binding, which must be able to take calls (`canTakeCalls`). */
export const createAgents =
  ({ hangUp, pressKeys, languageModel, logger, ...world }: AgentWorld): CreateAgent =>
  (call) => {
    const { agent, agentType, chatUrl, assistantId, agentId, model, controls } = call.binding;
    const created = (): Agent => {
      if (agent === 'builtin') {
        return languageModel === null
          ? builtInAgent(call, { hangUp, logger })
          : languageModelAgent(languageModel, call, { hangUp, pressKeys, logger });
      }
      if (agentType === null || chatUrl === null) throw new Error('A call was begun with half a binding');
      return endpointAgents[agentType](world, chatUrl, call);
    };
    const kind = agent === 'builtin' ? agent : agentType;
    return {
      ...created(),
      ...(kind === null ? {} : { kind }),
      server: JSON.stringify([kind, chatUrl, assistantId, agentId, model]),
      writesControls: controls === 'inline',
      getsSecretKeys: agent === 'endpoint',
    };
  };
