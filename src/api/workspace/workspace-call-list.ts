/** Common part of the call lists of a workspace: query parameters and call fields. */
import * as z from 'zod';
import { longestSearch, mostWords, readCallSearch } from '#src/domain/call-search.ts';
import { journalledChartNames } from '#src/domain/chart-name.ts';
import { dayNamed } from '#src/domain/day.ts';
import { invalidField } from '#src/domain/refusal.ts';
import type { Excerpt, StoredCalls } from '#src/calls/stored-calls.ts';
import type { ApiServices } from '../api-services.ts';
import { callListItem, endReason, turnRole } from '../calls/call-schema.ts';
import { callListQuery } from '../calls/list-calls.ts';
import { presentListedFields } from '../calls/present-call.ts';
import type { Decoded } from '../http/codec.ts';
import { dayInQuery, text } from '../fields.ts';

type Page = Parameters<StoredCalls['workspacePage']>[0];

type StateOfChart = NonNullable<Page['state']>;

const stateOfChart = /^(call|conversation|voicemail)\.([a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)*)$/;

const stateInQuery = text(200).regex(stateOfChart, {
  error: 'This is no chart with a state, such as `conversation.listening.silent`.',
});

/** Splits a validated state such as `conversation.listening.silent` into its chart and its path. */
const stateNamed = (named: string | undefined): StateOfChart | undefined => {
  const [, chart, state = ''] = stateOfChart.exec(named ?? '') ?? [];
  const known = journalledChartNames.find((name) => name === chart);
  return known === undefined ? undefined : { chart: known, state };
};

export const workspaceCallFilters = callListQuery.omit({ limit: true, cursor: true }).extend({
  number_id: z.uuid().optional().meta({ description: 'Only calls of this number.' }),
  trunk_id: text(100).optional().meta({ description: 'Only calls over this trunk.' }),
  end_reason: endReason.optional(),
  first_day: dayInQuery
    .optional()
    .meta({ description: 'Calls that started on this day or later, in the time zone of the workspace.' }),
  last_day: dayInQuery
    .optional()
    .meta({ description: 'Calls that started on this day or earlier, in the time zone of the workspace.' }),
  state: stateInQuery.optional().meta({
    description:
      'Calls in progress that are in this state of a chart, or in one inside of it, as of the last second: the name of the chart and the dotted path.',
    example: 'conversation.listening',
  }),
  visited: stateInQuery.optional().meta({
    description: 'Calls that are or were in this state of a chart.',
    example: 'call.active.talking.transferring',
  }),
  q: text(longestSearch)
    .optional()
    .meta({
      description: `At least four digits of the other party’s number; at least the first eight characters of a call’s id; or up to ${mostWords} words of the transcript, the summary, the instruction or a caller’s name, each as a prefix. Words are found after the call is over.`,
      example: '예약 확인',
    }),
  order: z.enum(['newest', 'oldest', 'longest']).default('newest').meta({
    description: 'The order of the calls. `longest`: by `duration_sec`, calls without one last.',
  }),
});

export const listedCall = callListItem
  .extend({
    number: z.string().meta({ description: 'The number that the call belongs to.', example: '07012345678' }),
    duration_sec: z.number().nullable().meta({ description: 'Connected time.', example: 48.2 }),
    turn_latency_p95_ms: z.number().nullable().meta({
      description:
        'Waiting time of the other party for the agent, from the last sound of its words to the first sound of the reply: 95th percentile of the turns. Null without measurements.',
      example: 640,
    }),
    excerpt: z
      .object({
        role: turnRole,
        text: z.string().meta({
          description: 'Part of what was said: the text around the first word that was found.',
          example: '… my booking …',
        }),
      })
      .nullable()
      .meta({
        description:
          'The turn of the transcript in which most words of `q` were found. Null without a search by words, and if they are not in the transcript.',
      }),
  })
  .meta({ id: 'WorkspaceCallListItem' });

/** Returns the query for a call list. Refuses a search that contains no searchable word. */
export const wantedCalls = (
  { directory: { country } }: ApiServices,
  { id: workspaceId, timeZone }: { id: string; timeZone: string },
  filters: Decoded<z.output<typeof workspaceCallFilters>>,
): Omit<Page, 'limit'> => {
  const { numberId, q, firstDay, lastDay, since, until, state, visited, ...others } = filters;
  const search = q === undefined ? undefined : readCallSearch(q, country);
  if (q !== undefined && search === undefined)
    throw invalidField({ path: 'q', message: `Search for one to ${mostWords} words, or for digits.` });
  return {
    ...others,
    scope: { workspaceId, numberId },
    search,
    state: stateNamed(state),
    visited: stateNamed(visited),
    since: latest(since, firstDay === undefined ? undefined : dayNamed(firstDay, timeZone).from),
    until: earliest(until, lastDay === undefined ? undefined : dayNamed(lastDay, timeZone).until),
  };
};

export const presentListedCall = (
  call: Awaited<ReturnType<StoredCalls['workspacePage']>>['calls'][number],
  excerpt: Excerpt | null = null,
): Decoded<z.output<typeof listedCall>> => ({
  ...presentListedFields(call),
  number: call.ownNumber,
  excerpt,
});

const latest = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;

const earliest = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;
