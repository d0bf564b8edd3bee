/**
 * News of a call from the gateway that holds it to another, a line of JSON each. A fact is told without what it says:
 * that stands in the database, so that none can be missed or come twice.
 */
import { z } from 'zod';
import { listenInStates } from '#src/domain/listen-in.ts';

const chartState = z.object({
  call: z.string(),
  conversation: z.string().nullable(),
  voicemail: z.string().nullable(),
  /** An older gateway does not tell. */
  saying: z.string().nullable().default(null),
});

/** A message of the inspection protocol of Stately, masked by the gateway that holds the call. */
const inspectionMessage = z.looseObject({ type: z.string(), rootId: z.string(), sessionId: z.string() });

const callNews = z.discriminatedUnion('news', [
  z.object({ news: z.literal('state'), state: chartState }),
  z.object({ news: z.literal('fact') }),
  z.object({ news: z.literal('inspection'), message: inspectionMessage }),
  /** What somebody who listens in hears just now. */
  z.object({ news: z.literal('listen-in'), state: z.enum(listenInStates) }),
  /** Base64 of two channels, as `listen-in.ts` of the domain has them. */
  z.object({ news: z.literal('sound'), samples: z.string() }),
  /** The connection lives. */
  z.object({ news: z.literal('beat') }),
]);

/** Where the charts of a call are, by the names of their states, and what its agent is saying. */
export type ToldState = z.infer<typeof chartState>;

export type CallNews = z.infer<typeof callNews>;

/**
 * `progress`: its states, and that there are facts. `charts`: what its actors do, for the inspector. `sound`: for who
 * listens in; of `announced-sound` nothing comes before the other party was told.
 */
export const newsKinds = ['progress', 'charts', 'sound', 'announced-sound'] as const;
export type NewsKind = (typeof newsKinds)[number];

/**
 * Tells the news of one kind of a call that is held here, from where it stands; `undefined` for one that is not. `onOver`
 * is called when it is held here no longer. The returned function ends it.
 */
export type TellNews = (
  callId: string,
  tell: (news: CallNews) => void,
  onOver: () => void,
) => (() => void) | undefined;

/** Of the calls that this gateway holds. */
export type HeldNews = Readonly<Record<NewsKind, TellNews>>;

/** Longer than any news, which a chart with its definition is the longest of; whoever sends more is no gateway of ours. */
const longestLine = 1_000_000;

export const lineOf = (news: CallNews): string => `${JSON.stringify(news)}\n`;

/** Throws at what is no news, so that whoever reads it takes the connection for a bad one. */
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

export const isNewsPath = (path: string): boolean => path.startsWith(callsPath);

export const newsPathOf = (callId: string, kind: NewsKind): string =>
  `${callsPath}${callId}${kind === 'progress' ? '' : `/${kind}`}`;

/** Undefined for a path that is none of a call. */
export const askedNewsOf = (path: string): { callId: string; kind: NewsKind } | undefined => {
  const [, callId, named] = watchedPath.exec(path) ?? [];
  const kind = named === undefined ? 'progress' : newsKinds.find((one) => one === named);
  return callId === undefined || kind === undefined ? undefined : { callId, kind };
};
