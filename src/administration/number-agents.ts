/** Which agents speak for a number, and how its callers are let in. Their secrets are sealed about the number's id. */
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import { newEndpointSecret } from '#src/events/endpoint-secret.ts';
import { outboundToken, putAgentBinding, type AgentBindingRecord } from '#src/persistence/agent-bindings.ts';
import { putInboundAuth, type InboundAuthMethod } from '#src/persistence/numbers.ts';
import { note, type Administrator } from './administrator.ts';
import { numberNotFound, numberOf } from './administer-numbers.ts';

/**
 * Replaces the binding of one direction. `token` goes to the outbound agent endpoint; undefined keeps the stored one,
 * null and an empty one remove it. Throws a Refusal (`number_not_found`).
 */
export const connectAgent = async (
  administrator: Administrator,
  numberId: string,
  binding: AgentBinding,
  token: string | null | undefined,
): Promise<AgentBindingRecord> => {
  const { database, sealing } = administrator;
  const { id } = await numberOf(administrator, numberId);
  const sealed = token === null || token === '' ? null : token && sealing.seal(token, id);
  const stored = await putAgentBinding(database, id, binding, sealed);
  await note(administrator, {
    action: 'agent.changed',
    subject: `number:${id}`,
    detail: {
      direction: binding.direction,
      agent: stored.agent,
      agent_type: stored.agentType,
      token_configured: stored.tokenConfigured,
    },
  });
  return stored;
};

/**
 * The stored token of the outbound agent, where it may be sent to this URL: it can never be read back
 * (guides/design/agents.md, "Bearer token"), so it goes to no other server than the one that it was stored for.
 */
export const tokenFor = async (
  { database, sealing }: Pick<Administrator, 'database' | 'sealing'>,
  numberId: string,
  chatUrl: string,
): Promise<string | null> => {
  const stored = await outboundToken(database, numberId);
  if (stored === undefined || URL.parse(stored.chatUrl ?? '')?.origin !== new URL(chatUrl).origin)
    return null;
  return sealing.open(stored.tokenSealed, numberId);
};

export type InboundAuth = { method: 'none' } | { method: 'handshake'; url: string };

/**
 * Changes the way in which callers are let in. `secret` signs the handshake; it is given out where it was newly made,
 * and never again. Throws a Refusal (`number_not_found`).
 */
export const changeInboundAuth = async (
  administrator: Administrator,
  numberId: string,
  auth: InboundAuth,
): Promise<{ method: InboundAuthMethod; url: string | null; secret?: string }> => {
  const { database, sealing, workspaceId } = administrator;
  const { id, inboundAuthMethod } = await numberOf(administrator, numberId);
  const isNew = auth.method === 'handshake' && inboundAuthMethod !== 'handshake';
  const secret = isNew ? newEndpointSecret() : undefined;
  const stored = await putInboundAuth(
    database,
    { numberId: id, workspaceId },
    auth.method === 'none' ? auth : { ...auth, secretSealed: secret && sealing.seal(secret, id) },
  );
  if (stored === undefined) throw numberNotFound();
  await note(administrator, {
    action: 'inbound_auth.changed',
    subject: `number:${id}`,
    detail: { method: auth.method },
  });
  const { inboundAuthMethod: method, inboundAuthUrl: url } = stored;
  return { method, url, ...(secret === undefined ? {} : { secret }) };
};
