/** The media servers, one or several: each call goes to the one that has the fewest. */
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import { NoPlace, type MediaEndpoint } from '../../media/media-endpoint.ts';
import type { BridgeTaps, TapEvents } from './bridge-taps.ts';
import { createMediaServer, type MediaServer, type MediaServerOptions } from './media-server.ts';
import type { ServerAddress } from '../reconnect.ts';

export type MediaServerState = {
  /** `host:port`, as it was configured. */
  name: string;
  isUsable: boolean;
  calls: number;
};

/** Two channels of one media server, and how their parties are joined there. */
export type Bridge = {
  /** Rejects where it does not come about; the audio of both is at this process again then. */
  open(): Promise<void>;
  /** What both say comes to this process, too, until that is closed. */
  tap(events: TapEvents): BridgeTaps;
  /** The first one leaves the bridge: its audio is at this process again. */
  leave(): Promise<void>;
};

const isUsable = (server: MediaServer): boolean => server.problem() === null;

/** The fewest calls first, then the most endpoints that are ready. */
const byLoad = (one: MediaServer, other: MediaServer): number =>
  one.calls() - other.calls() || other.ready() - one.ready();

/** It was refused as such (RFC 3261 section 21.4.26), and not for want of room. */
const isOfferRefused = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 488;

const sentences = (servers: readonly MediaServer[]): string =>
  servers.flatMap((server) => server.problem() ?? []).join(' ');

export const createMediaServers = (addresses: readonly ServerAddress[], options: MediaServerOptions) => {
  const servers = addresses.map((address) => createMediaServer(address, options));
  const areThere = servers.length > 0;

  return {
    async open(): Promise<void> {
      await Promise.all(servers.map((server) => server.open()));
    },
    /** Whether the gateway has any, usable or not. */
    areThere,
    /** Why none can be used, as plain sentences; `null` when one can. */
    problem: (): string | null => {
      if (servers.some(isUsable)) return null;
      return areThere ? sentences(servers) : 'This gateway has no FreeSWITCH (GW_FREESWITCH=none).';
    },
    /** Those that cannot be used while others can; `null` when all can. */
    warning: (): string | null => (servers.every(isUsable) ? null : sentences(servers)),
    states: (): MediaServerState[] =>
      servers.map((server) => ({ name: server.name, isUsable: isUsable(server), calls: server.calls() })),
    /**
     * With the caller's offer, or without one to make an offer. When one server fails, the next one is asked; the only one is
     * asked twice, for the ports that it found taken are others then. The server named `preferred` is asked before the others.
     * Rejects with `NoPlace`, unless the offer was refused.
     */
    async createEndpoint(
      remoteSdp?: string,
      srtp: TrunkSrtp = 'off',
      preferred: string | null = null,
    ): Promise<MediaEndpoint> {
      let failure: unknown = new Error(sentences(servers));
      const isOther = ({ name }: MediaServer): number => Number(name !== preferred);
      const usable = servers
        .filter(isUsable)
        .toSorted((one, other) => isOther(one) - isOther(other) || byLoad(one, other));
      for (const server of usable.length === 1 ? [...usable, ...usable] : usable) {
        try {
          return await server.createEndpoint(remoteSdp, srtp);
        } catch (error) {
          options.logger.warn({ media_server: server.name, err: error }, 'an endpoint could not be created');
          failure = error;
        }
      }
      const Failure = isOfferRefused(failure) ? Error : NoPlace;
      throw new Failure('No media server has a place for the call', { cause: failure });
    },
    /**
     * Goes on with the channel of a process that is gone. Rejects where that channel, or its server, is not there. `keepsBridge`: a
     * bridge that it is in goes on, and its audio comes here when its endpoint is attached.
     */
    async adoptEndpoint(
      channel: MediaChannel,
      srtp: TrunkSrtp = 'off',
      keepsBridge = false,
    ): Promise<MediaEndpoint> {
      const server = servers.find(({ name }) => name === channel.server);
      if (server === undefined) throw new Error('The media server of the channel is not known here');
      return server.adoptEndpoint(channel, srtp, keepsBridge);
    },
    /** The bridge that these two can be joined by; `null` where they are not on one media server, or not to be bridged. */
    bridgeOf(first: MediaEndpoint, second: MediaEndpoint): Bridge | null {
      const [own, other] = [first.bridgeSide(), second.bridgeSide()];
      const server = servers.find(({ name }) => name === own?.server);
      if (own === null || other === null || server === undefined || other.server !== server.name) return null;
      return {
        open: () => server.bridge(own, other),
        tap: (events) => server.tapBridge(own, events),
        leave: () => own.attach(),
      };
    },
    async endChannel({ server, uuid }: MediaChannel): Promise<void> {
      await servers.find(({ name }) => name === server)?.endChannel(uuid);
    },
    /** The connection to drachtio-server was lost, and with it the dialogs of endpoints that wait. */
    renew: (): void => servers.forEach((server) => server.renew()),
    /** Before `close`: what was made beforehand is destroyed. */
    empty: (): void => servers.forEach((server) => server.empty()),
    close: (): void => servers.forEach((server) => server.close()),
  };
};

export type MediaServers = ReturnType<typeof createMediaServers>;
