/** Watches the numbers of a workspace's calls by state. */
import type { RequestOptions } from './send.ts';
import { serverSentEvents } from './server-sent-events.ts';
import { TrunklineUnreachable } from './unreachable.ts';

/** Numbers of the calls in progress. */
export type FleetCounts = {
  calls: number;
  /** Number of gateways that the numbers are from. */
  gateways: number;
  /** Numbers by the innermost state of each chart, as a dotted path. */
  states: Record<'call' | 'conversation' | 'voicemail', Record<string, number>>;
};

export type FleetWatchOptions = RequestOptions & {
  /** Silence in milliseconds after which the stream counts as broken; 40000 by default. */
  silenceMs?: number | undefined;
};

/** Yields the numbers until the stream breaks, which is thrown. */
export async function* watchFleet(
  open: () => Promise<Response>,
  { silenceMs }: FleetWatchOptions = {},
): AsyncGenerator<FleetCounts, void, undefined> {
  const { body } = await open();
  for await (const { event, data } of body === null ? [] : serverSentEvents(body, silenceMs))
    if (event === 'counts') yield JSON.parse(data);
  throw new TrunklineUnreachable('The stream ended.');
}
