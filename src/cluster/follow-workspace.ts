/**
 * Follows the calls of a workspace at all other gateways, one connection to each, which serves its own calls
 * (`call-news-handler.ts`): their charts, for the inspector, and their numbers by state. A call that moves is shown by
 * its next holder.
 */
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import type { FleetCounts } from '#src/domain/fleet-counts.ts';
import {
  chartsPathOf,
  fleetPathOf,
  readCallNews,
  type CallNews,
  type InspectionMessage,
  type WantedCharts,
} from './call-news.ts';
import type { FollowNumbers } from './follow-calls.ts';
import { proofOf, type NodeKeys } from './node-proof.ts';
import type { ConnectToGateway, OtherGateways } from './other-gateways.ts';

/** A connection with one gateway for the charts of its calls. */
export type ChartsConnection = {
  /** Must not throw. */
  show(message: InspectionMessage): void;
  /** Resolves when further messages can be shown. */
  hasRoom(): Promise<void>;
  /** The connection has ended. `isTooSlow`: the other gateway ended it, because it was read too slowly. */
  over(isTooSlow: boolean): void;
};

/** A connection with one gateway for the numbers of its calls by state. */
export type FleetConnection = {
  /** Must not throw. */
  show(counts: FleetCounts): void;
  over(): void;
};

export type WorkspaceFollowing = {
  /** `open` is called for each connection. The returned function ends all of them. */
  followCharts(wanted: WantedCharts, open: () => ChartsConnection): () => void;
  followFleet(workspaceId: string, open: () => FleetConnection): () => void;
  close(): Promise<void>;
};

/** The other gateway does not serve this, or is older. */
const notServed = 404;

type Reader = { take(news: CallNews): Promise<void>; over(): void };

const readAll = async (body: AsyncIterable<Uint8Array>, { take, over }: Reader): Promise<void> => {
  try {
    for await (const news of readCallNews(body)) await take(news);
  } finally {
    over();
  }
};

const chartsReader = ({ show, hasRoom, over }: ChartsConnection): Reader => {
  let isTooSlow = false;
  return {
    async take(news) {
      if (news.news === 'too-slow') isTooSlow = true;
      if (news.news !== 'inspection') return;
      show(news.message);
      await hasRoom();
    },
    over: () => over(isTooSlow),
  };
};

const fleetReader = ({ show, over }: FleetConnection): Reader => ({
  async take(news) {
    if (news.news === 'fleet') show(news.counts);
  },
  over,
});

export const createWorkspaceFollowing = (options: {
  gateways: Pick<OtherGateways, 'connect'>;
  keys: NodeKeys;
  numbers: Pick<FollowNumbers, 'connectMs' | 'stallMs'>;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  logger: Logger;
}): WorkspaceFollowing => {
  const { gateways, keys, numbers, now, logger } = options;
  const { connectMs, stallMs } = numbers;
  const agent = new Agent({
    connect: { timeout: connectMs },
    headersTimeout: stallMs,
    bodyTimeout: stallMs,
  });

  const connectTo =
    (path: string, open: () => Reader): ConnectToGateway =>
    async ({ name, address }, stopped) => {
      try {
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
          logger.debug(
            { err: error, from_node: name },
            'the calls of another gateway cannot be read right now',
          );
        return 'ended';
      }
    };

  return {
    followCharts: (wanted, open) =>
      gateways.connect(connectTo(chartsPathOf(wanted), () => chartsReader(open()))),
    followFleet: (workspaceId, open) =>
      gateways.connect(connectTo(fleetPathOf(workspaceId), () => fleetReader(open()))),
    close: () => agent.destroy(),
  };
};
