/**
 * What a gateway tells another one of a call that it holds, one line of JSON each. A fact is told without what it says:
 * that stands in the database, so that none can be missed or come twice.
 */
import { z } from 'zod';

const chartState = z.object({
  call: z.string(),
  conversation: z.string().nullable(),
  voicemail: z.string().nullable(),
});

const callNews = z.discriminatedUnion('news', [
  z.object({ news: z.literal('state'), state: chartState }),
  z.object({ news: z.literal('fact') }),
  /** The connection lives. */
  z.object({ news: z.literal('beat') }),
]);

/** Where the charts of a call are, by the names of their states. */
export type ToldState = z.infer<typeof chartState>;

export type CallNews = z.infer<typeof callNews>;

/** Longer than any news; whoever sends more is no gateway of ours. */
const longestLine = 2_000;

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

export const watchedCallsPath = '/internal/calls/';
