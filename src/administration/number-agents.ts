/** Agent bindings of a number and authentication of its callers. Secrets are sealed and bound to the number's id. */
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import { mostAgentHeaders, type AgentHeaderChanges, type AgentHeaders } from '#src/domain/agent-headers.ts';
import { invalidField, type Refusal } from '#src/domain/refusal.ts';
import { newEndpointSecret } from '#src/events/endpoint-secret.ts';
import {
  agentBindingsOf,
  bindingSecrets,
  putAgentBinding,
  type AgentBindingRecord,
} from '#src/persistence/numbers/agent-bindings.ts';
import { putInboundAuth, type InboundAuthMethod } from '#src/persistence/numbers/numbers.ts';
import { openHeaders } from '#src/persistence/numbers/sealed-headers.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import { changesBetween, note, type Administrator, type Changes } from './administrator.ts';
import { auditedUrl } from './audited-url.ts';
import { numberNotFound, numberOf } from './administer-numbers.ts';

/** In each member, undefined keeps the stored value and null removes it. */
export type AgentSecrets = {
  /** Token for the outbound agent endpoint only. An empty token is stored as no token. */
  token?: string | null | undefined;
  /** Header names are in lower case. */
  headers?: AgentHeaderChanges | null | undefined;
};

const sealedChanges = (
  sealing: Sealing,
  headers: AgentHeaderChanges | null | undefined,
  about: string,
): AgentHeaderChanges | null | undefined =>
  headers &&
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value === null ? null : sealing.seal(value, about),
    ]),
  );

const auditedFields = [
  'agent',
  'agentType',
  'chatUrl',
  'assistantId',
  'agentId',
  'controls',
  'model',
  'tools',
  'tokenConfigured',
  'headers',
] as const;

/** Returns a binding as it is audited: its URL without the query, and the names of its headers. */
const audited = (binding: AgentBindingRecord) => ({
  ...binding,
  chatUrl: binding.chatUrl && auditedUrl(binding.chatUrl),
  headers: Object.keys(binding.headers),
});

/** Returns the instructions as they are audited: their length, because the text may be private. */
const auditedPrompt = (prompt: string | null) => prompt && { characters: Array.from(prompt).length };

const promptChange = (before: AgentBindingRecord, after: AgentBindingRecord): Changes =>
  before.prompt === after.prompt
    ? {}
    : { prompt: { from: auditedPrompt(before.prompt), to: auditedPrompt(after.prompt) } };

/**
 * Replaces the binding of one direction. Throws a Refusal: `number_not_found`, or `invalid_request` for a binding with
 * too many headers.
 */
export const connectAgent = async (
  administrator: Administrator,
  numberId: string,
  binding: AgentBinding,
  { token, headers }: AgentSecrets,
): Promise<AgentBindingRecord> => {
  const { database, sealing } = administrator;
  const { id } = await numberOf(administrator, numberId);
  const before = (await agentBindingsOf(database, id))[binding.direction];
  const stored = await putAgentBinding(database, id, binding, {
    tokenSealed: token === null || token === '' ? null : token && sealing.seal(token, id),
    headersSealed: sealedChanges(sealing, headers, id),
  });
  if (stored === undefined) throw tooManyHeaders();
  await note(administrator, {
    action: 'agent.changed',
    subject: `number:${id}`,
    detail: {
      direction: binding.direction,
      changes: {
        ...changesBetween(auditedFields, audited(before), audited(stored)),
        ...promptChange(before, stored),
      },
    },
  });
  return stored;
};

export const tooManyHeaders = (): Refusal =>
  invalidField({
    path: 'headers',
    message: `An agent has up to ${mostAgentHeaders} headers, those that are stored included.`,
  });

/**
 * Returns the stored token and headers of an agent if they may be sent to this URL. Stored secrets can never be read
 * back (guides/design/agents.md, "Bearer token"), so they are sent only to the server that they were stored for.
 */
export const secretsFor = async (
  { database, sealing }: Pick<Administrator, 'database' | 'sealing'>,
  numberId: string,
  { direction, chatUrl }: { direction: AgentBinding['direction']; chatUrl: string },
): Promise<{ token: string | null; headers: AgentHeaders }> => {
  const stored = await bindingSecrets(database, numberId, direction);
  if (stored === undefined || URL.parse(stored.chatUrl ?? '')?.origin !== new URL(chatUrl).origin)
    return { token: null, headers: {} };
  const { tokenSealed, headersSealed } = stored;
  return {
    token: tokenSealed && sealing.open(tokenSealed, numberId),
    headers: openHeaders(sealing, headersSealed, numberId),
  };
};

export type InboundAuth = { method: 'none' } | { method: 'handshake'; url: string };

/**
 * Changes how inbound agents are authenticated. `secret` signs the handshake: a new secret is returned once and never
 * again. Throws a Refusal (`number_not_found`).
 */
export const changeInboundAuth = async (
  administrator: Administrator,
  numberId: string,
  auth: InboundAuth,
): Promise<{ method: InboundAuthMethod; url: string | null; secret?: string }> => {
  const { database, sealing, workspaceId } = administrator;
  const { id, inboundAuthMethod, inboundAuthUrl } = await numberOf(administrator, numberId);
  const isNew = auth.method === 'handshake' && inboundAuthMethod !== 'handshake';
  const secret = isNew ? newEndpointSecret() : undefined;
  const stored = await putInboundAuth(
    database,
    { numberId: id, workspaceId },
    auth.method === 'none' ? auth : { ...auth, secretSealed: secret && sealing.seal(secret, id) },
  );
  if (stored === undefined) throw numberNotFound();
  const { inboundAuthMethod: method, inboundAuthUrl: url } = stored;
  await note(administrator, {
    action: 'inbound_auth.changed',
    subject: `number:${id}`,
    detail: {
      changes: changesBetween(
        ['method', 'url'],
        { method: inboundAuthMethod, url: inboundAuthUrl && auditedUrl(inboundAuthUrl) },
        { method, url: url && auditedUrl(url) },
      ),
    },
  });
  return { method, url, ...(secret === undefined ? {} : { secret }) };
};
