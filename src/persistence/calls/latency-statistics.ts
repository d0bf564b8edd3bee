/**
 * Statistics of the waits for replies over calls, a number or a workspace, in one statement each. The calls of a number or
 * a workspace are found by an index and limited in number; their turns are read by the primary key of the journal.
 */
import { shareOf, type LatencySummary, type Percentiles } from '#src/domain/latency-summary.ts';
import { inBatches } from '../database/in-batches.ts';
import { sqlText } from '../database/sql-text.ts';
import type { Statements } from '../database/statements.ts';

type Row<Sample> = {
  /** Calls that are summarized together. */
  sample: Sample;
  /** Kind of agent; `all` for the turns of all agents. */
  scope: string;
  turns: number;
  calls: number;
  /** Percentiles, as named in `Percentiles`. */
  waits: number[];
  endpointings: number[];
  tokens: number[];
  sentences: number[];
  audios: number[];
  /** Average parts of the turns in the middle. */
  endpointing: number;
  gateway: number;
  agent: number;
  voice: number;
};

/** Windows of time, as samples. */
type Period = 'current' | 'before';

/**
 * Returns the statement for the calls of a query with the columns `call_id` and `sample`. The parts of a typical wait
 * are averaged over the fifth of the turns around the median, because medians of the parts do not add up to a wait.
 */
const statisticsOf = (calls: string): string => `
  with measured as (
    select
      chosen.sample,
      chosen.call_id,
      coalesce(latency.of ->> 'agent', 'unknown') as agent,
      (latency.of ->> 'endpointingMs')::float8 as endpointing,
      coalesce((latency.of ->> 'queuedMs')::float8, 0) as queued,
      (latency.of ->> 'firstTokenMs')::float8 as token,
      (latency.of ->> 'firstSentenceMs')::float8 as sentence,
      (latency.of ->> 'firstAudioMs')::float8 as audio
    from (${calls}) as chosen
    join call_fact on call_fact.call_id = chosen.call_id and call_fact.type = 'turn.spoken'
    cross join lateral (select call_fact.data -> 'latency' as of) as latency
    where latency.of ->> 'endpointingMs' is not null
      and latency.of ->> 'firstSentenceMs' is not null
      and latency.of ->> 'firstAudioMs' is not null
  ),
  placed as (
    select
      sample, scope, call_id, endpointing, queued, token, sentence, audio,
      endpointing + queued + audio as wait,
      row_number() over (partition by sample, scope order by endpointing + queued + audio) as place,
      count(*) over (partition by sample, scope) as turns
    from measured
    cross join lateral (values ('all'), (agent)) as scopes (scope)
  )
  select
    sample,
    scope,
    count(*)::int as turns,
    count(distinct call_id)::int as calls,
    percentile_disc(array[0.5, 0.9, 0.99]) within group (order by wait) as waits,
    percentile_disc(array[0.5, 0.9, 0.99]) within group (order by endpointing) as endpointings,
    percentile_disc(array[0.5, 0.9, 0.99]) within group (order by coalesce(token, sentence)) as tokens,
    percentile_disc(array[0.5, 0.9, 0.99]) within group (order by sentence) as sentences,
    percentile_disc(array[0.5, 0.9, 0.99]) within group (order by audio) as audios,
    avg(endpointing) filter (where place between ceil(turns * 0.4) and ceil(turns * 0.6)) as endpointing,
    avg(queued) filter (where place between ceil(turns * 0.4) and ceil(turns * 0.6)) as gateway,
    avg(sentence) filter (where place between ceil(turns * 0.4) and ceil(turns * 0.6)) as agent,
    avg(audio - sentence) filter (where place between ceil(turns * 0.4) and ceil(turns * 0.6)) as voice
  from placed
  group by sample, scope
  order by sample, turns desc, scope
`;

type Windows = { before: Date; from: Date; until: Date; mostCalls: number };

/** Returns the newest answered calls of two windows; `$1` is the owner. */
const newestOf = (column: 'workspace_id' | 'number_id'): string => `
  (
    select id as call_id, 'current' as sample from call
    where ${column} = $1 and started_at >= $3 and started_at < $4 and answered_at is not null
    order by started_at desc, id desc limit $5
  )
  union all
  (
    select id as call_id, 'before' as sample from call
    where ${column} = $1 and started_at >= $2 and started_at < $3 and answered_at is not null
    order by started_at desc, id desc limit $5
  )
`;

const parameters = ['before', 'from', 'until', 'mostCalls'] as const;

const ofNumber = sqlText<Windows & { numberId: string }, Row<Period>>(statisticsOf(newestOf('number_id')), [
  'numberId',
  ...parameters,
]);

const ofWorkspace = sqlText<Windows & { workspaceId: string }, Row<Period>>(
  statisticsOf(newestOf('workspace_id')),
  ['workspaceId', ...parameters],
);

/** Each call is a sample of its own, named by its id. */
const ofCalls = sqlText<{ callIds: readonly string[] }, Row<string>>(
  statisticsOf('select id as call_id, id::text as sample from unnest($1::uuid[]) as id'),
  ['callIds'],
);

const percentilesOf = ([p50 = 0, p90 = 0, p99 = 0]: readonly number[]): Percentiles => ({
  p50: Math.round(p50),
  p90: Math.round(p90),
  p99: Math.round(p99),
});

const summaryOf = (row: Row<unknown>): LatencySummary => {
  const waitMs = percentilesOf(row.waits);
  return {
    turns: row.turns,
    calls: row.calls,
    waitMs,
    endpointingMs: percentilesOf(row.endpointings),
    firstTokenMs: percentilesOf(row.tokens),
    firstSentenceMs: percentilesOf(row.sentences),
    firstAudioMs: percentilesOf(row.audios),
    share: shareOf(waitMs.p50, {
      endpointingMs: row.endpointing,
      gatewayMs: row.gateway,
      agentMs: row.agent,
      voiceMs: Math.max(0, row.voice),
    }),
  };
};

const whole = ({ scope }: Pick<Row<unknown>, 'scope'>): boolean => scope === 'all';

/**
 * Creates the function that resolves to the summary of a call; null without a measured turn. Concurrent reads share one
 * statement, as in `createCallReading`.
 */
export const createLatencyReading = (
  db: Pick<Statements, 'execute'>,
): ((callId: string) => Promise<LatencySummary | null>) =>
  inBatches(async (callIds: readonly string[]) => {
    // A call that is listed twice would have its turns counted twice.
    const distinct = new Set(callIds.map((callId) => callId.toLowerCase()));
    const rows = await ofCalls(db, { callIds: [...distinct] });
    const latencies = new Map(rows.filter(whole).map((row) => [row.sample, summaryOf(row)]));
    return (callId) => latencies.get(callId.toLowerCase()) ?? null;
  });

/** Summaries of a window and of the one before it; null without a measured turn. */
export type LatencyOfWindows = {
  current: LatencySummary | null;
  before: LatencySummary | null;
  /** Summaries of the window by kind of agent, the most frequent first. */
  agents: { agent: string; latency: LatencySummary }[];
};

/** Resolves to the summaries of a number, or of all numbers of a workspace. */
export const latencyOfWindows = async (
  db: Statements,
  { numberId, workspaceId, ...windows }: Windows & { workspaceId: string; numberId: string | null },
): Promise<LatencyOfWindows> => {
  const rows =
    numberId === null
      ? await ofWorkspace(db, { ...windows, workspaceId })
      : await ofNumber(db, { ...windows, numberId });
  const of = (period: Period): LatencySummary | null => {
    const row = rows.find((one) => whole(one) && one.sample === period);
    return row === undefined ? null : summaryOf(row);
  };
  return {
    current: of('current'),
    before: of('before'),
    agents: rows
      .filter((row) => row.sample === 'current' && !whole(row))
      .map((row) => ({ agent: row.scope, latency: summaryOf(row) })),
  };
};
