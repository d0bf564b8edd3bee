/** One or several media servers: each call goes to the least loaded one. */
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import { NoMediaCapacity, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import type { BridgeTaps, TapEvents } from './bridge-taps.ts';
import type { ServerLoad } from './connection.ts';
import {
  createMediaServer,
  type MediaServer,
  type MediaServerOptions,
  type TakeOverTerms,
} from './media-server.ts';
import type { ServerAddress } from '../reconnect.ts';

export type MediaServerState = {
  /** Name of the server: `host:port` as configured. */
  name: string;
  isUsable: boolean;
  calls: number;
  /** Load of the server; `null` before the first heartbeat, or without a connection. */
  load: ServerLoad | null;
};

/** Two channels of one media server that can be bridged there. */
export type Bridge = {
  /** Opens the bridge. Rejects on failure; the audio of both legs is then at this process again. */
  open(): Promise<void>;
  /** Also brings the audio of both parties to this process, until the taps are closed. */
  tap(events: TapEvents): BridgeTaps;
  /** Takes the first channel out of the bridge, so that its audio is at this process again. */
  leave(): Promise<void>;
};

const isUsable = (server: MediaServer): boolean => server.problem() === null;

/** Returns why a call cannot be given to a server, as a plain sentence. */
const obstacle = (server: MediaServer): string | null => server.problem() ?? server.refusal();

const hasRoom = (server: MediaServer): boolean => obstacle(server) === null;

/** Sorts by fewest calls, then by most ready endpoints. */
const byLoad = (one: MediaServer, other: MediaServer): number =>
  one.calls() - other.calls() || other.ready() - one.ready();

/** Whether the offer itself was refused (RFC 3261 section 21.4.26), instead of the call for lack of resources. */
const isOfferRefused = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 488;

const sentences = (servers: readonly MediaServer[]): string =>
  servers.flatMap((server) => obstacle(server) ?? []).join(' ');

const noServers = 'This gateway has no FreeSWITCH (GW_FREESWITCH=none).';

export const createMediaServers = (addresses: readonly ServerAddress[], options: MediaServerOptions) => {
  const servers = addresses.map((address) => createMediaServer(address, options));
  const areThere = servers.length > 0;

  return {
    async open(): Promise<void> {
      await Promise.all(servers.map((server) => server.open()));
    },
    /** Whether the gateway has media servers, available or not. */
    areThere,
    /** Returns why no server can be used, as plain sentences; `null` if one can be used. */
    problem: (): string | null => {
      if (servers.some(isUsable)) return null;
      return areThere ? sentences(servers) : noServers;
    },
    /** Returns why no server accepts a new call, as plain sentences; `null` if one does. */
    refusal(): string | null {
      if (servers.some(hasRoom)) return null;
      return areThere ? sentences(servers) : noServers;
    },
    /** Returns the names of servers that accept no new calls; `null` if all accept calls. */
    warning: (): string | null => (servers.every(hasRoom) ? null : sentences(servers)),
    states: (): MediaServerState[] =>
      servers.map((server) => ({
        name: server.name,
        isUsable: isUsable(server),
        calls: server.calls(),
        load: server.load(),
      })),
    /**
     * Creates an endpoint that answers the caller's offer, or that makes an offer if there is none. When one server
     * fails, the next one is tried. A single server is tried twice, because it then chooses other ports than the
     * occupied ones. The server named `preferred` is tried first. Rejects with `NoMediaCapacity`, unless the offer was
     * refused.
     */
    async createEndpoint(
      remoteSdp?: string,
      srtp: TrunkSrtp = 'off',
      preferred: string | null = null,
    ): Promise<MediaEndpoint> {
      let failure: unknown = new Error(sentences(servers));
      const isOther = ({ name }: MediaServer): number => Number(name !== preferred);
      const usable = servers
        .filter(hasRoom)
        .toSorted((one, other) => isOther(one) - isOther(other) || byLoad(one, other));
      for (const server of usable.length === 1 ? [...usable, ...usable] : usable) {
        try {
          return await server.createEndpoint(remoteSdp, srtp);
        } catch (error) {
          options.logger.warn({ media_server: server.name, err: error }, 'an endpoint could not be created');
          failure = error;
        }
      }
      const Failure = isOfferRefused(failure) ? Error : NoMediaCapacity;
      throw new Failure('No media server has room for the call', { cause: failure });
    },
    /**
     * Takes over the channel of a dead process. Rejects if the channel or its server does not exist. `keepsBridge`: an
     * existing bridge of the channel continues, and the audio moves to this process when the endpoint is attached.
     * `formerSends`: the process that had the channel still sends its audio.
     */
    async takeOverEndpoint(
      channel: MediaChannel,
      { srtp = 'off', keepsBridge = false, formerSends = false }: Partial<TakeOverTerms> = {},
    ): Promise<MediaEndpoint> {
      const server = servers.find(({ name }) => name === channel.server);
      if (server === undefined) throw new Error('The media server of the channel is unknown to this gateway');
      return server.takeOverEndpoint(channel, { srtp, keepsBridge, formerSends });
    },
    /**
     * Returns the bridge for these two endpoints; `null` if they are not on one media server or must not be bridged.
     */
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
    /**
     * Must be called after a loss of the connection to drachtio-server, which also loses the dialogs of ready
     * endpoints.
     */
    signallingLost: (): void => servers.forEach((server) => server.signallingLost()),
    /** Must be called when drachtio-server is connected again. */
    signallingBack: (): void => servers.forEach((server) => server.signallingBack()),
    /** Destroys the endpoints created in advance. Must be called before `close`. */
    empty: (): void => servers.forEach((server) => server.empty()),
    close: (): void => servers.forEach((server) => server.close()),
  };
};

export type MediaServers = ReturnType<typeof createMediaServers>;
