/**
 * Description of the call that every request to an agent endpoint contains (guides/design/agents.md, "Call context").
 */
import type { Direction } from '#machines/line.ts';

/**
 * Wire format: snake_case, numbers in domestic format. `from` and `to` depend on the direction. `from` of an inbound
 * call is `+…` for a caller from abroad and `anonymous` for a withheld number; never empty.
 */
export type AgentContext = Readonly<{
  call_id: string;
  direction: Direction;
  from: string;
  to: string;
  language: string;
}>;

export const agentContext = (call: {
  id: string;
  direction: Direction;
  ownNumber: string;
  counterparty: string;
  language: string;
}): AgentContext => ({
  call_id: call.id,
  direction: call.direction,
  from: call.direction === 'outbound' ? call.ownNumber : call.counterparty,
  to: call.direction === 'outbound' ? call.counterparty : call.ownNumber,
  language: call.language,
});
