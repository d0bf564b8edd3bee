/**
 * Description of the call that every request to an agent endpoint contains (guides/design/agents.md, "Call context").
 */
import type { Direction } from '#machines/line.ts';

/**
 * Wire format of the call context: snake_case, numbers in domestic format. The roles of `from` and `to` depend on the
 * direction. In an inbound call, `from` is `+…` for a caller from abroad and `anonymous` for a withheld number; it is
 * never empty.
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

/** Returns caller and callee of a stored call, whose row has the workspace's own number and the counterparty. */
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
