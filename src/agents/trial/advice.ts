/** Advice for an agent endpoint without a reply, or with one that is unsuitable for a call. */
import type { AgentType } from '#src/domain/agent-binding.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { connectionAdvice } from '#src/outgoing/advice/failed-connection.ts';
import { firstAdvice } from '#src/outgoing/advice/failed-request.ts';
import { protectionAdvice } from '#src/outgoing/advice/http-status.ts';
import { builtInAdvice } from './advice/built-in.ts';
import { generalAdvice } from './advice/general.ts';
import { langgraphAdvice } from './advice/langgraph.ts';
import { mastraAdvice, oldMastraAdvice } from './advice/mastra.ts';
import { n8nAdvice } from './advice/n8n.ts';
import { openaiCompatibleAdvice } from './advice/openai-compatible.ts';
import { otherTypeAdvice } from './advice/other-type.ts';
import { troubleOf, wordsOf, type Adviser } from './advice/trouble.ts';
import { webhookAdvice } from './advice/webhook.ts';
import type { TriedTurn } from '#src/domain/agent-trial.ts';

/** For a failed or silent turn. */
const advisers: Readonly<Record<AgentType, Adviser>> = {
  webhook: webhookAdvice,
  openai_compatible: openaiCompatibleAdvice,
  n8n: n8nAdvice,
  langgraph: langgraphAdvice,
  mastra: mastraAdvice,
};

/** For a turn that was spoken but is still wrong. */
const objections: Readonly<Partial<Record<AgentType, Adviser>>> = { mastra: oldMastraAdvice };

export const adviceFor = (
  turn: Omit<TriedTurn, 'advice'>,
  call: Pick<AgentCall, 'binding' | 'bearerToken' | 'headers'>,
): string | null => {
  const { agent, agentType: type } = call.binding;
  const isFine = turn.failure === null && turn.spoken.length + turn.controls.length > 0;
  if (agent === 'builtin') return isFine ? null : (builtInAdvice(troubleOf(turn, call)) ?? null);
  if (type === null) return null;
  const adviser = isFine
    ? objections[type]
    : firstAdvice(
        wordsOf(connectionAdvice),
        wordsOf(protectionAdvice),
        otherTypeAdvice,
        advisers[type],
        generalAdvice,
      );
  return adviser?.(troubleOf(turn, call)) ?? null;
};
