/** Combines the records of the same turns from the calls' journals and from the agent. All times are milliseconds. */
import { z } from 'zod';
import type { BareDatabase } from './bare-database.ts';

const spokenTurns = z.array(
  z.object({
    callId: z.string(),
    role: z.enum(['assistant', 'user']),
    /** First and last moment at the line, wall clock. */
    startedAt: z.number(),
    endedAt: z.number(),
    text: z.string(),
    /** Time of the call's answer and end. */
    callFrom: z.number(),
    callUntil: z.number(),
  }),
);

const agentTurns = z.array(
  z.object({ callId: z.string(), message: z.string(), arrivedAt: z.number(), repliedAt: z.number() }),
);

type SpokenTurn = z.infer<typeof spokenTurns>[number];
type AgentTurn = z.infer<typeof agentTurns>[number];

/** The turns of so many answered calls, in order within each call. Calls in progress count until now. */
export const readSpokenTurns = async (
  database: BareDatabase,
  { calls }: { calls: number } = { calls: 100_000 },
): Promise<SpokenTurn[]> => {
  const milliseconds = (column: string): string => `extract(epoch from ${column})::float8 * 1000`;
  return spokenTurns.parse(
    await database.execute(
      `select call.id as "callId", turn.role, turn.text, ${milliseconds('fact.at')} as "startedAt",
         (fact.data->>'endedAt')::float8 as "endedAt",
         ${milliseconds('call.answered_at')} as "callFrom", ${milliseconds('coalesce(call.ended_at, now())')} as "callUntil"
       from (select id, answered_at, ended_at from call where answered_at is not null order by id limit $1) call
         join call_fact fact on fact.call_id = call.id
         join call_turn turn on turn.call_id = call.id and turn.sequence = (fact.data->>'turn')::int
       where fact.type = 'turn.spoken' order by call.id, fact.sequence`,
      [calls],
    ),
  );
};

export const fetchAgentTurns = async (url: string): Promise<AgentTurn[]> =>
  agentTurns.parse(await (await fetch(url)).json());

export type TurnTimes = {
  /** From the end of the other party's turn at the line to the request's arrival at the agent. */
  toAgentMs: number;
  /** From the agent's reply to its first audio at the line. */
  toLineMs: number;
  /** Duration of the other party's turn at the line. */
  spokenMs: number;
  /** End of the turn, in milliseconds since the epoch. */
  endedAt: number;
};

/**
 * Returns the turns that ended while all calls were in progress. If the two records do not match, throws or skips the
 * turn, depending on `broken`.
 */
export const pairTurns = (
  spoken: readonly SpokenTurn[],
  asked: readonly AgentTurn[],
  broken: 'thrown' | 'left out' = 'thrown',
): TurnTimes[] => {
  const from = Math.max(...spoken.map(({ callFrom }) => callFrom));
  const until = Math.min(...spoken.map(({ callUntil }) => callUntil));
  const requestsOf = Map.groupBy(asked, ({ callId }) => callId);
  return [...Map.groupBy(spoken, ({ callId }) => callId)].flatMap(([callId, turns]) => {
    // The first request is the kickoff, which follows no turn.
    const requests = (requestsOf.get(callId) ?? []).slice(1);
    const heard = turns.filter(({ role }) => role === 'user');
    const said = turns.filter(({ role }) => role === 'assistant').slice(1);
    return heard.flatMap((turn, index) => {
      const request = requests[index];
      const reply = said[index];
      const isWhole = request !== undefined && reply !== undefined && request.message === turn.text;
      if (!isWhole && broken === 'left out') return [];
      if (!isWhole) throw new Error(`Call ${callId} lacks a turn, or has its turns out of order`);
      if (turn.endedAt < from || reply.startedAt > until) return [];
      return {
        toAgentMs: request.arrivedAt - turn.endedAt,
        toLineMs: reply.startedAt - request.repliedAt,
        spokenMs: turn.endedAt - turn.startedAt,
        endedAt: turn.endedAt,
      };
    });
  });
};
