/**
 * The description of the call that goes to an agent endpoint with every request (guides/design/agents.md, "Call
 * context").
 */
import type { Direction } from '#machines/line.ts';

/**
 * The wire form: snake_case, numbers in domestic format. `from` and `to` flip with the direction.
 * `from` of an inbound call is `+…` for a caller from abroad and `anonymous` for one who shows no number; never empty.
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
