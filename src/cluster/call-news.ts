/**
 * News of a call from its owner to another gateway, one line of JSON each. News of a fact does not contain the fact
 * itself, which is in the database, so that no fact is lost or duplicated.
 */
import { z } from 'zod';
import type { FleetCounts } from '#src/domain/fleet-counts.ts';
import { listenInStates } from '#src/domain/listen-in.ts';

const chartState = z.object({
  call: z.string(),
  conversation: z.string().nullable(),
  voicemail: z.string().nullable(),
  'line-life': z.string().optional(),
  'outbound-leg': z.string().optional(),
  'inbound-leg': z.string().optional(),
  'second-leg': z.string().optional(),
  /** Missing in news of an older gateway, like `hearing`. */
  saying: z.string().nullable().default(null),
  hearing: z.string().nullable().default(null),
});

/** A message of Stately's inspection protocol, masked by the gateway that owns the call. */
const inspectionMessage = z.looseObject({ type: z.string(), rootId: z.string(), sessionId: z.string() });

export type InspectionMessage = z.infer<typeof inspectionMessage>;

const stateCounts = z.record(z.string(), z.number());

const fleetCounts = z.object({
  calls: z.number(),
  states: z.object({ call: stateCounts, conversation: stateCounts, voicemail: stateCounts }),
}) satisfies z.ZodType<FleetCounts>;

const callNews = z.discriminatedUnion('news', [
  z.object({ news: z.literal('state'), state: chartState }),
  z.object({ news: z.literal('fact') }),
  z.object({ news: z.literal('inspection'), message: inspectionMessage }),
  /** Numbers of the gateway's calls by state, whenever they have changed. */
  z.object({ news: z.literal('fleet'), counts: fleetCounts }),
  /** Current audio for a listener. */
  z.object({ news: z.literal('listen-in'), state: z.enum(listenInStates) }),
  /** Base64 of two channels in the format of the domain's `listen-in.ts`. */
  z.object({ news: z.literal('sound'), samples: z.string() }),
  /** Last message to a reader of all charts that has read too slowly. */
  z.object({ news: z.literal('too-slow') }),
  /** Keep-alive. */
  z.object({ news: z.literal('beat') }),
]);

/** States of a call's charts by name, and the current words of both sides. */
export type ToldState = z.infer<typeof chartState>;

export type CallNews = z.infer<typeof callNews>;

/**
 * `progress`: chart states, and the presence of new facts. `charts`: actor events for the inspector. `sound`: audio for
 * listening in; `announced-sound` contains no audio before the announcement to the other party.
 */
export const newsKinds = ['progress', 'charts', 'sound', 'announced-sound'] as const;
export type NewsKind = (typeof newsKinds)[number];

/**
 * Emits news of one kind for a call that this gateway owns, starting with the call's current state; returns `undefined`
 * for other calls. `onOver` is called when this gateway no longer owns the call. The returned function unsubscribes.
 */
export type TellNews = (
  callId: string,
  tell: (news: CallNews) => void,
  onOver: () => void,
) => (() => void) | undefined;

/** Sources of news for the calls that this gateway owns. */
export type HeldNews = Readonly<Record<NewsKind, TellNews>>;

/**
 * Maximum length of a line, longer than the longest valid one (a chart with its definition). A peer that sends a longer
 * line is not one of our gateways.
 */
const longestLine = 1_000_000;

export const lineOf = (news: CallNews): string => `${JSON.stringify(news)}\n`;

/** Returns the line of counts that are given as JSON, which all readers share. */
export const fleetLineOf = (json: string): string => `{"news":"fleet","counts":${json}}\n`;

/** Reads news line by line. Throws on an invalid line, so that the reader drops the connection. */
export async function* readCallNews(body: AsyncIterable<Uint8Array>): AsyncGenerator<CallNews> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longestLine) throw new Error('A line of another gateway is too long');
    for (const line of lines) yield callNews.parse(JSON.parse(line));
  }
}

const callsPath = '/internal/calls/';

const watchedPath =
  /^\/internal\/calls\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:\/(charts|sound|announced-sound))?$/;

const workspacesPath = '/internal/workspaces/';

const chartsPath =
  /^\/internal\/workspaces\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\/charts(\?definitions=0)?$/;

const fleetPath = /^\/internal\/workspaces\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\/fleet$/;

export const fleetPathOf = (workspaceId: string): string => `${workspacesPath}${workspaceId}/fleet`;

/** Returns the workspace whose calls are counted; undefined for another path. */
export const askedFleetOf = (path: string): string | undefined => fleetPath.exec(path)?.[1];

/** Charts of all calls of a workspace that the queried gateway holds. */
export type WantedCharts = { workspaceId: string; hasDefinitions: boolean };

export const chartsPathOf = ({ workspaceId, hasDefinitions }: WantedCharts): string =>
  `${workspacesPath}${workspaceId}/charts${hasDefinitions ? '' : '?definitions=0'}`;

/** Undefined for a path that does not name a workspace. */
export const askedChartsOf = (path: string): WantedCharts | undefined => {
  const [, workspaceId, without] = chartsPath.exec(path) ?? [];
  return workspaceId === undefined ? undefined : { workspaceId, hasDefinitions: without === undefined };
};

export const isNewsPath = (path: string): boolean =>
  path.startsWith(callsPath) || path.startsWith(workspacesPath);

export const newsPathOf = (callId: string, kind: NewsKind): string =>
  `${callsPath}${callId}${kind === 'progress' ? '' : `/${kind}`}`;

/** Parses the path of a request; undefined for a path that does not name a call. */
export const askedNewsOf = (path: string): { callId: string; kind: NewsKind } | undefined => {
  const [, callId, named] = watchedPath.exec(path) ?? [];
  const kind = named === undefined ? 'progress' : newsKinds.find((one) => one === named);
  return callId === undefined || kind === undefined ? undefined : { callId, kind };
};
