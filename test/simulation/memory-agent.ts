/**
 * A customer's agent server that remembers its calls, as a workflow of n8n does: it receives only the new turn of a
 * session, says something else each time, and ends the call after a few turns.
 */
import { z } from 'zod';
import { kickoffFor } from '#src/domain/kickoff.ts';
import type { FarServer } from './far-servers.ts';
import type { World } from './world.ts';

export const memoryAgentUrl = 'https://agent.test/talk';

/** Body of `PUT /api/v1/admin/numbers/{id}/agents/outbound`. */
export const memoryAgentBinding = {
  agent: 'endpoint',
  agent_type: 'n8n',
  chat_url: memoryAgentUrl,
  controls: 'inline',
};

const replies = [
  '안녕하세요. 예약 때문에 전화드렸습니다.',
  '몇 시가 편하신가요?',
  '세 시로 예약해 드릴게요.',
];
const farewell = { output: '감사합니다. 안녕히 계세요.', controls: [{ hangup: {} }] };

const turn = z.looseObject({ sessionId: z.string(), chatInput: z.string() });

export type MemoryAgent = {
  server: FarServer;
  /** Turns of each call that the server received, in order. */
  heard: ReadonlyMap<string, readonly string[]>;
};

/** `onAsked` is called when the server receives a turn of this call. */
export const createMemoryAgent = (onAsked: (callId: string) => void): MemoryAgent => {
  const heard = new Map<string, string[]>();
  return {
    heard,
    server({ body }) {
      const { sessionId, chatInput } = turn.parse(JSON.parse(body));
      onAsked(sessionId);
      const turns = heard.get(sessionId) ?? [];
      heard.set(sessionId, [...turns, chatInput]);
      const output = replies[turns.length];
      const answer = output === undefined ? farewell : { output };
      return { status: 200, contentType: 'application/json', pieces: [JSON.stringify(answer)] };
    },
  };
};

const spoken = `select call_id::text, text from call_turn where role = 'user'`;

const instructed = z.object({ id: z.string(), instruction: z.string().nullable() });

const countsOf = (texts: readonly string[]): Map<string, number> =>
  new Map([...Map.groupBy(texts, (text) => text)].map(([text, same]) => [text, same.length]));

/**
 * Checks that a server with a memory never receives the same words twice. The journal lacks words that their gateway had
 * heard, and not stored, when it died. The kickoff may be repeated: no words of the other party are lost then.
 */
export const checkMemory = (world: World, { heard }: MemoryAgent): void => {
  const turns = world.postgres.rows(spoken);
  const instructions = new Map(
    z
      .array(instructed)
      .parse(world.postgres.rows('select id::text, instruction from call'))
      .map(({ id, instruction }) => [id, instruction]),
  );
  for (const [callId, received] of heard) {
    const own = turns.flatMap(({ call_id: of, text }) => (of === callId ? [String(text)] : []));
    const stored = countsOf(own);
    const spokenHere = countsOf(world.farEnds.heard.get(callId) ?? []);
    const kickoff = kickoffFor(instructions.get(callId) ?? null);
    for (const [text, times] of countsOf(received.filter((one) => one !== kickoff)))
      if (times > (Math.max(stored.get(text) ?? 0, spokenHere.get(text) ?? 0) || times))
        world.violate(`an agent with a memory received the same words twice: "${text}" of ${callId}`);
  }
};
