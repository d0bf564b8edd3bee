/** Advice for an agent endpoint without a reply, or with one that is unsuitable for a call. */
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { TriedTurn } from '#src/domain/agent-trial.ts';
import { connectionTrouble, protectionTrouble, requestAdvice } from '#src/outgoing/request-advice.ts';
import { builtInAdvice, generalAdvice } from './advice/any-kind.ts';
import { adviceByType, objectionByType } from './advice/kinds.ts';
import { otherTypeAdvice } from './advice/other-type.ts';
import { symptomsOf } from './advice/symptoms.ts';

export const adviceFor = (
  turn: Omit<TriedTurn, 'advice'>,
  call: Pick<AgentCall, 'binding' | 'bearerToken' | 'headers'>,
): string | null => {
  const { agent, agentType: type } = call.binding;
  const isFine = turn.failure === null && turn.spoken.length + turn.controls.length > 0;
  const symptoms = symptomsOf(turn, call);
  if (agent === 'builtin') return isFine ? null : (builtInAdvice(symptoms) ?? null);
  if (type === null) return null;
  if (isFine) return objectionByType[type]?.(symptoms) ?? null;
  const trouble = connectionTrouble(symptoms) ?? protectionTrouble(symptoms);
  if (trouble !== undefined) return requestAdvice(trouble, symptoms).words;
  return otherTypeAdvice(symptoms) ?? adviceByType[type](symptoms) ?? generalAdvice(symptoms) ?? null;
};
