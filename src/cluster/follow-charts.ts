/**
 * Charts of the calls of a workspace at all other gateways, for the inspector: one connection to each gateway, which
 * serves its own calls (`call-news-handler.ts`). A call that moves is shown by its next holder.
 */
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import { chartsPathOf, readCallNews, type InspectionMessage, type WantedCharts } from './call-news.ts';
import type { FollowNumbers } from './follow-calls.ts';
import { proofOf, type NodeKeys } from './node-proof.ts';
import type { ConnectToGateway, OtherGateways } from './other-gateways.ts';

/** A connection with one gateway. */
export type ChartsConnection = {
  /** Must not throw. */
  show(message: InspectionMessage): void;
  /** Resolves when further messages can be shown. */
  hasRoom(): Promise<void>;
  /** The connection has ended. `isTooSlow`: the other gateway ended it, because it was read too slowly. */
  over(isTooSlow: boolean): void;
};

export type ChartsFollowing = {
  /** `open` is called for each connection. The returned function ends all of them. */
  follow(wanted: WantedCharts, open: () => ChartsConnection): () => void;
  close(): Promise<void>;
};

/** The other gateway has no inspector, or is older. */
const notServed = 404;

const readAll = async (
  body: AsyncIterable<Uint8Array>,
  { show, hasRoom, over }: ChartsConnection,
): Promise<void> => {
  let isTooSlow = false;
  try {
    for await (const news of readCallNews(body)) {
      if (news.news === 'too-slow') isTooSlow = true;
      if (news.news !== 'inspection') continue;
      show(news.message);
      await hasRoom();
    }
  } finally {
    over(isTooSlow);
  }
};

export const createChartsFollowing = (options: {
  gateways: Pick<OtherGateways, 'connect'>;
  keys: NodeKeys;
  numbers: Pick<FollowNumbers, 'connectMs' | 'stallMs'>;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  logger: Logger;
}): ChartsFollowing => {
  const { gateways, keys, numbers, now, logger } = options;
  const { connectMs, stallMs } = numbers;
  const agent = new Agent({
    connect: { timeout: connectMs },
    headersTimeout: stallMs,
    bodyTimeout: stallMs,
  });

  const connectTo =
    (wanted: WantedCharts, open: () => ChartsConnection): ConnectToGateway =>
    async ({ name, address }, stopped) => {
      try {
        const path = chartsPathOf(wanted);
        const { statusCode, body } = await request(new URL(path, address), {
          headers: { authorization: proofOf({ method: 'GET', path, range: undefined }, keys, now()) },
          dispatcher: agent,
          signal: stopped,
        });
        if (statusCode === 200) await readAll(body, open());
        else await body.dump();
        return statusCode === notServed ? 'refused' : 'ended';
      } catch (error) {
        if (!stopped.aborted)
          logger.debug({ err: error, from_node: name }, 'charts of another gateway cannot be read right now');
        return 'ended';
      }
    };

  return {
    follow: (wanted, open) => gateways.connect(connectTo(wanted, open)),
    close: () => agent.destroy(),
  };
};
