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

export const agentContext = ({
  id,
  ...call
}: {
  id: string;
  direction: Direction;
  from: string;
  to: string;
  language: string;
}): AgentContext => ({ call_id: id, ...call });

/** Caller and callee of a call as it is stored: by the workspace's own number and its counterparty. */
export const partiesOf = ({
  direction,
  ownNumber,
  counterparty,
}: {
  direction: Direction;
  ownNumber: string;
  counterparty: string;
}): { from: string; to: string } =>
  direction === 'outbound' ? { from: ownNumber, to: counterparty } : { from: counterparty, to: ownNumber };
