/** Every request of the console, in one place. */
import type { AgentType } from '#src/domain/agent-binding.ts';
import type { EventType } from '#src/domain/event-types.ts';
import { readEvents, type StreamEvent } from './api/event-stream.ts';
import { Problem } from './api/problem.ts';
import { ask, send } from './api/request.ts';
import type {
  AgentBinding,
  AgentTrial,
  AuditEntry,
  Call,
  CallEvent,
  CallListItem,
  Delivery,
  Direction,
  PhoneNumber,
  ReplayStep,
  Trunk,
  TrunkCheckStep,
  TrunkSettings,
  Turn,
  Webhook,
} from './api/records.ts';

const admin = '/api/v1/admin';

type Query = Record<string, string | number | null | undefined>;

/** What is empty is left out. */
const withQuery = (path: string, query: Query): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
};

/** Fails with `unauthorized` when it is no token of this gateway. */
export const checkToken = async (token: string): Promise<void> => {
  await send('GET', `${admin}/calls?limit=1`, { key: token });
};

export type CallFilters = { status?: string; direction?: string; number_id?: string };

export const listCalls = (query: CallFilters & { cursor?: string | null; limit?: number }) =>
  ask<{ calls: CallListItem[]; next_cursor: string | null }>('GET', withQuery(`${admin}/calls`, query));

export const getCall = (id: string) => ask<Call>('GET', `${admin}/calls/${id}`);

export const getTranscript = async (id: string): Promise<Turn[]> =>
  (await ask<{ transcript: Turn[] }>('GET', `${admin}/calls/${id}/transcript`)).transcript;

export const getCallEvents = async (id: string): Promise<CallEvent[]> =>
  (await ask<{ events: CallEvent[] }>('GET', `${admin}/calls/${id}/events`)).events;

/** The call once more, through its charts. */
export const getReplay = async (id: string): Promise<ReplayStep[]> =>
  (await ask<{ steps: ReplayStep[] }>('GET', `${admin}/calls/${id}/replay`)).steps;

/** Whether this gateway was started with the inspector. */
export const hasInspector = async (): Promise<boolean> => {
  try {
    await send('GET', '/inspect');
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
};

/** What happens in a call, as it happens, until its end or until the stream breaks. */
export async function* watchCall(id: string, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const headers = { Accept: 'text/event-stream' };
  const { body } = await send('GET', `${admin}/calls/${id}/events`, { headers, signal });
  if (body !== null) yield* readEvents(body);
}

/** The picture of a chart; its states carry `data-state`. */
export const getChart = async (name: 'call' | 'conversation'): Promise<string> =>
  (await send('GET', `${admin}/charts/${name}`)).text();

export const getRecording = async (id: string): Promise<ArrayBuffer> =>
  (await send('GET', `${admin}/calls/${id}/recording`)).arrayBuffer();

/** The client API, with the key of the number. */
export const placeCall = (
  key: string,
  call: { to: string; instruction: string | null; max_duration_sec?: number },
  idempotencyKey: string,
) =>
  ask<{ call_id: string }>('POST', '/api/v1/calls', {
    key,
    body: call,
    headers: { 'Idempotency-Key': idempotencyKey },
  });

export const hangUp = (key: string, id: string, immediate: boolean) =>
  ask<{ status: string }>('POST', `/api/v1/calls/${id}/hangup`, { key, body: { immediate } });

export const cancelCall = (key: string, id: string) =>
  ask<unknown>('POST', `/api/v1/calls/${id}/cancel`, { key });

export const listNumbers = async (): Promise<PhoneNumber[]> =>
  (await ask<{ numbers: PhoneNumber[] }>('GET', `${admin}/numbers`)).numbers;

export const getNumber = (id: string) => ask<PhoneNumber>('GET', `${admin}/numbers/${id}`);

export const createNumber = (body: { number: string; language: string }) =>
  ask<PhoneNumber>('POST', `${admin}/numbers`, { body });

export type NumberPatch = Partial<
  Omit<PhoneNumber, 'id' | 'number' | 'agents' | 'inbound_auth' | 'key' | 'created_at'>
>;

export const updateNumber = (id: string, body: NumberPatch) =>
  ask<PhoneNumber>('PATCH', `${admin}/numbers/${id}`, { body });

export type AgentRequest = Omit<AgentBinding, 'token_configured'> & { token?: string | null };

export const putAgent = (id: string, direction: Direction, body: AgentRequest) =>
  ask<AgentBinding>('PUT', `${admin}/numbers/${id}/agents/${direction}`, { body });

export const putInboundAuth = (id: string, body: { method: string; url: string | null }) =>
  ask<PhoneNumber['inbound_auth'] & { secret?: string }>('PUT', `${admin}/numbers/${id}/inbound-auth`, {
    body,
  });

/** Each reveal is in the audit log. */
export const revealKey = async (id: string): Promise<string> =>
  (await ask<{ key: string }>('GET', `${admin}/numbers/${id}/key`)).key;

export const issueKey = async (id: string): Promise<string> =>
  (await ask<{ key: string }>('POST', `${admin}/numbers/${id}/key`)).key;

export type TrialRequest = {
  agent_type: AgentType;
  chat_url: string;
  assistant_id: string | null;
  agent_id: string | null;
  token?: string | null;
  number_id: string | null;
  direction: Direction;
  instruction: string | null;
  say: string[];
};

export const tryAgent = (body: TrialRequest) => ask<AgentTrial>('POST', `${admin}/agents/try`, { body });

export const listWebhooks = async (): Promise<Webhook[]> =>
  (await ask<{ webhooks: Webhook[] }>('GET', `${admin}/webhooks`)).webhooks;

export const getWebhook = (id: string) => ask<Webhook>('GET', `${admin}/webhooks/${id}`);

export const createWebhook = (body: { url: string; events: EventType[] | null; number_id: string | null }) =>
  ask<Webhook & { secret: string }>('POST', `${admin}/webhooks`, { body });

export const updateWebhook = (id: string, body: { state: 'active' | 'paused' }) =>
  ask<Webhook>('PATCH', `${admin}/webhooks/${id}`, { body });

export const deleteWebhook = (id: string) => ask<undefined>('DELETE', `${admin}/webhooks/${id}`);

export const rotateSecret = (id: string) =>
  ask<Webhook & { secret: string }>('POST', `${admin}/webhooks/${id}/rotate`);

export const testWebhook = (id: string) =>
  ask<{ http_status: number | null; error: string | null; duration_ms: number }>(
    'POST',
    `${admin}/webhooks/${id}/test`,
  );

export const listDeliveries = (id: string, query: { state?: string; cursor?: string | null }) =>
  ask<{ deliveries: Delivery[]; next_cursor: string | null }>(
    'GET',
    withQuery(`${admin}/webhooks/${id}/deliveries`, { ...query, limit: 20 }),
  );

export const replayDelivery = (id: string) => ask<Delivery>('POST', `${admin}/deliveries/${id}/replay`);

export const listTrunks = async (): Promise<Trunk[]> =>
  (await ask<{ trunks: Trunk[] }>('GET', `${admin}/trunks`)).trunks;

export const getTrunk = (id: string) => ask<Trunk>('GET', `${admin}/trunks/${id}`);

export type TrunkRequest = Partial<TrunkSettings> & { password?: string | null };

export const createTrunk = (body: TrunkRequest) => ask<Trunk>('POST', `${admin}/trunks`, { body });

export const updateTrunk = (id: string, body: TrunkRequest) =>
  ask<Trunk>('PATCH', `${admin}/trunks/${id}`, { body });

export const deleteTrunk = (id: string) => ask<undefined>('DELETE', `${admin}/trunks/${id}`);

export const checkTrunk = async (id: string, to: string): Promise<TrunkCheckStep[]> =>
  (await ask<{ steps: TrunkCheckStep[] }>('POST', `${admin}/trunks/${id}/check`, { body: to ? { to } : {} }))
    .steps;

export const listAudit = (cursor: string | null) =>
  ask<{ entries: AuditEntry[]; next_cursor: string | null }>('GET', withQuery(`${admin}/audit`, { cursor }));
