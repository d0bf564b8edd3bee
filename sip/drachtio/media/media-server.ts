/** One FreeSWITCH: the connection to it, and the endpoints on it, one a call, where its sound goes in and out. */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import { createCircuitBreaker, type CoolDown } from '#src/domain/circuit-breaker.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import type { BridgeSide, MediaEndpoint } from '../../media/media-endpoint.ts';
import type { SoundThread } from '../../media/thread/sound-thread.ts';
import type { Resample } from '../../resampler.ts';
import { within, type BackgroundTasks } from '../background-tasks.ts';
import type { ServerAddress } from '../reconnect.ts';
import { adoptChannel } from './adopt-channel.ts';
import { bridgeChannels } from './bridge.ts';
import { openBridgeTaps, type BridgeTaps, type TapEvents } from './bridge-taps.ts';
import { createCallEndpoints } from './call-endpoints.ts';
import { inviteChannel, sayBye, type Channel } from './channel.ts';
import { createChannels } from './channels.ts';
import { createEndpointPool, isUsualOffer, type EndpointPool, type PoolNumbers } from './endpoint-pool.ts';
import { createMediaEndpoint, rtpTimeoutHeader, type FreeSwitchOptions } from './freeswitch-endpoint.ts';
import { createSrtpEndpoint, srtpRequest } from './srtp-endpoint.ts';

export type MediaServerNumbers = {
  pool: PoolNumbers;
  /** How long it may take to make an endpoint. */
  createMs: number;
  /** A server that fails only after so long has too much to do: it is left alone for a while. */
  busy: { afterMs: number; coolDown: CoolDown };
  /** How long it may take for anything else that it is told. */
  answerMs: number;
  /** How often it is asked whether it is still there, and told that we are; its calls are lost after it was silent twice. */
  probeMs: number;
  /** A call to which no RTP comes for so long has lost its sound; 0 for never. */
  rtpTimeoutMs: number;
  /** FreeSWITCH sends every 20 ms; when nothing has come for so long, it may have ended the unicast. 0: never looked at. */
  silenceMs: number;
};

export type MediaServerOptions = MediaServerNumbers & {
  /** The address of this host at which FreeSWITCH reaches it. */
  ownAddress: string;
  srf: Srf;
  soundThread: Pick<SoundThread, 'openUnicast' | 'open'>;
  resample: Resample;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/** The means by which endpoints are made. */
type Making = MediaServerOptions & FreeSwitchOptions & ReturnType<typeof createChannels>['means'];

/** Makes an endpoint; `offer` is the caller's. Rejects after a few seconds at the latest. */
const create = async (
  { offer, srtp }: { offer: string | undefined; srtp: TrunkSrtp },
  options: Making,
): Promise<MediaEndpoint> => {
  const { rtpTimeoutMs, createMs, clock, commands, backgroundTasks } = options;
  const asked = srtp === 'off' ? { offer, headers: {} } : srtpRequest(offer);
  // Until it is known where its sound comes from, none is expected.
  const headers = { ...asked.headers, ...(offer === undefined ? {} : rtpTimeoutHeader(rtpTimeoutMs)) };
  const { uuid, channel } = inviteChannel(
    { ...asked, headers },
    { ...options, sipAddress: options.sipAddress() },
  );
  const endLate = (late: Channel): void => backgroundTasks.add('ending a late channel', () => sayBye(late));
  let made: Channel;
  try {
    made = await within(clock, createMs, 'Creating an endpoint', channel, endLate);
  } catch (error) {
    // Its answer may be on a way that nobody goes any more.
    backgroundTasks.add('ending a channel that did not come about', () => commands.api(`uuid_kill ${uuid}`));
    throw error;
  }
  return srtp === 'off'
    ? createMediaEndpoint(made, options)
    : createSrtpEndpoint(made, { ...options, offers: offer === undefined });
};

/** One that was made beforehand; `null` when none is ready or the offer is not for it. */
const takeReady = async (
  pool: EndpointPool,
  offer: string | undefined,
  { answerMs, clock, backgroundTasks, logger }: MediaServerOptions,
): Promise<MediaEndpoint | null> => {
  if (offer !== undefined && !isUsualOffer(offer)) return null;
  const endpoint = pool.take();
  if (endpoint === null || offer === undefined) return endpoint;
  try {
    const modifying = endpoint.modify(offer);
    return { ...endpoint, localSdp: await within(clock, answerMs, 'Modifying an endpoint', modifying) };
  } catch (error) {
    logger.debug({ err: error }, 'an endpoint that was kept ready does not take an offer');
    backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());
    return null;
  }
};

/** Where endpoints are made afresh. One that took long to fail shows that the server has too much to do. */
const createWorkshop = (options: Making) => {
  const { busy, clock } = options;
  const breaker = createCircuitBreaker(clock, busy.coolDown);
  return {
    /** Asked before each that a call waits for: after a failure one call tries, the others are spared the wait. */
    hasTime: breaker.mayTry,
    async createFresh(offer: string | undefined, srtp: TrunkSrtp): Promise<MediaEndpoint> {
      const begunAt = clock.now();
      try {
        const endpoint = await create({ offer, srtp }, options);
        breaker.worked();
        return endpoint;
      } catch (error) {
        if (clock.now() - begunAt >= busy.afterMs) breaker.failed();
        throw error;
      }
    },
  };
};

export const createMediaServer = (server: ServerAddress, options: MediaServerOptions) => {
  const { backgroundTasks, logger } = options;
  const name = `${server.host}:${server.port}`;
  const endpoints = createCallEndpoints();
  let isClosing = false;

  const fill = (): void => {
    if (!isClosing && channels.problem() === null) pool.open();
  };

  const loseAll = (why: string): void => {
    if (endpoints.count() > 0) logger.error(`FreeSWITCH at ${name} ${why}: its calls end`);
    endpoints.loseAll();
  };

  const channels = createChannels(server, {
    ...options,
    onConnected() {
      fill();
      // It may be another one than before.
      backgroundTasks.add('looking for the channels of calls', () => endpoints.loseThose(channels.isThere));
    },
    onLost: () => pool.empty(),
    onGone: () => loseAll('is gone'),
    onSilent: () => loseAll('does not answer any more'),
  });

  const { hasTime, createFresh } = createWorkshop({ ...options, ...channels.means, server: name });

  const pool = createEndpointPool({
    ...options,
    create: () => createFresh(undefined, 'off'),
    numbers: options.pool,
  });

  return {
    name,
    open: channels.open,
    problem: channels.problem,
    /** Calls on it now. */
    calls: endpoints.count,
    /** Endpoints that wait for a call. */
    ready: pool.size,
    /**
     * With the caller's offer, or without one to make an offer. Rejects after a few seconds at the latest, and at once while
     * others have just waited that long for nothing.
     */
    createEndpoint: (offer?: string, srtp: TrunkSrtp = 'off'): Promise<MediaEndpoint> =>
      endpoints.add(async () => {
        const ready = srtp === 'off' ? await takeReady(pool, offer, options) : null;
        if (ready !== null) return ready;
        if (!hasTime()) throw new Error(`FreeSWITCH at ${name} has too much to do`);
        return createFresh(offer, srtp);
      }),
    /** Ends a channel that an earlier process has left behind; one that is gone already is none. */
    endChannel: channels.end,
    /** See `createMediaServers`. */
    adoptEndpoint: (left: MediaChannel, srtp: TrunkSrtp, keepsBridge: boolean): Promise<MediaEndpoint> =>
      endpoints.add(async () => {
        const means = { ...options, ...channels.means, server: name };
        const channel = await adoptChannel(left, keepsBridge, means);
        return srtp === 'off'
          ? createMediaEndpoint(channel, means)
          : createSrtpEndpoint(channel, { ...means, offers: false });
      }),
    /** Rejects where the bridge does not come about; the audio of both is at this process again then. */
    bridge: (first: BridgeSide, second: BridgeSide): Promise<void> =>
      bridgeChannels(first, second, { ...options, ...channels.means }),
    /** Brings what the parties of a bridge say to this process until that is closed. */
    tapBridge: (first: BridgeSide, events: TapEvents): BridgeTaps => {
      const { ownAddress: address, soundThread: thread, clock } = options;
      return openBridgeTaps(first.uuid, events, {
        ...options,
        ...channels.means,
        direct: { thread, address, clock, rtpTimeoutMs: 0 },
        createChannel: (offer) => createFresh(offer, 'off'),
      });
    },
    /** The dialogs with it are gone: what was made beforehand is of no use any more. */
    renew(): void {
      pool.empty();
      fill();
    },
    /** Makes nothing beforehand any more and destroys what was, for which the connection must still stand. */
    empty(): void {
      isClosing = true;
      pool.empty();
    },
    close: channels.close,
  };
};

export type MediaServer = ReturnType<typeof createMediaServer>;
