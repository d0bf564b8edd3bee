/** Which agent speaks for a number, for each direction. What is not stored is the built-in agent. */
import type { Direction } from '#machines/line.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { Database } from './database.ts';

/** As it is read: the token is never given out, only whether there is one. */
export type AgentBindingRecord = AgentBinding & { tokenConfigured: boolean };

export const builtInBinding = (direction: Direction): AgentBinding => ({
  direction,
  agent: 'builtin',
  agentType: null,
  chatUrl: null,
  assistantId: null,
  agentId: null,
});

const columns = `
  direction, agent, agent_type as "agentType", chat_url as "chatUrl", assistant_id as "assistantId",
  agent_id as "agentId", token_sealed is not null as "tokenConfigured"`;

/** Both directions of a number. */
export const agentBindingsOf = async (
  db: Database,
  numberId: string,
): Promise<{ inbound: AgentBindingRecord; outbound: AgentBindingRecord }> => {
  const rows = await db.execute<AgentBindingRecord>(
    `select ${columns} from agent_binding where number_id = $1`,
    [numberId],
  );
  const of = (direction: Direction): AgentBindingRecord =>
    rows.find((row) => row.direction === direction) ?? {
      ...builtInBinding(direction),
      tokenConfigured: false,
    };
  return { inbound: of('inbound'), outbound: of('outbound') };
};

/** The token of the outbound agent, sealed about the number's id, and the URL it is kept for. */
export const outboundToken = async (
  db: Database,
  numberId: string,
): Promise<{ tokenSealed: string; chatUrl: string | null } | undefined> => {
  const [row] = await db.execute<{ tokenSealed: string; chatUrl: string | null }>(
    `select token_sealed as "tokenSealed", chat_url as "chatUrl" from agent_binding
     where number_id = $1 and direction = 'outbound' and token_sealed is not null`,
    [numberId],
  );
  return row;
};

/**
 * Replaces the binding of one direction. `tokenSealed`, sealed about the number's id: undefined keeps the stored token,
 * null removes it.
 */
export const putAgentBinding = async (
  db: Database,
  numberId: string,
  binding: AgentBinding,
  tokenSealed?: string | null,
): Promise<AgentBindingRecord> => {
  const [row] = await db.execute<AgentBindingRecord>(
    `insert into agent_binding (number_id, direction, agent, agent_type, chat_url, assistant_id, agent_id, token_sealed)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (number_id, direction) do update
     set agent = excluded.agent, agent_type = excluded.agent_type, chat_url = excluded.chat_url,
       assistant_id = excluded.assistant_id, agent_id = excluded.agent_id,
       token_sealed = case when $9 then agent_binding.token_sealed else excluded.token_sealed end
     returning ${columns}`,
    [
      numberId,
      binding.direction,
      binding.agent,
      binding.agentType,
      binding.chatUrl,
      binding.assistantId,
      binding.agentId,
      tokenSealed ?? null,
      tokenSealed === undefined,
    ],
  );
  if (row === undefined) throw new Error('An agent binding was not stored');
  return row;
};
