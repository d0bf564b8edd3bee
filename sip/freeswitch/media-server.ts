/** One FreeSWITCH: its connection and its endpoints. Each call has an endpoint, which carries the call's audio. */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import { createCircuitBreaker, type CoolDown } from '#src/domain/circuit-breaker.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Fence } from '#src/domain/fence.ts';
import { createPlaces } from '#src/domain/places.ts';
import type { MediaChannel } from '#src/domain/sip-leg.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import type { BridgeSide, MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import type { MediaThread } from '../media-thread/media-thread.ts';
import type { Resample } from '#sip/audio/resampler.ts';
import { within, type BackgroundTasks } from '../background-tasks.ts';
import type { ServerAddress } from '../reconnect.ts';
import { takeOverChannel, type InTurn } from './take-over-channel.ts';
import { bridgeChannels } from './bridge.ts';
import { openBridgeTaps, type BridgeTaps, type TapEvents } from './bridge-taps.ts';
import { createCallEndpoints } from './call-endpoints.ts';
import { inviteChannel, sendBye, type Channel } from './channel.ts';
import { createFreeSwitch, type FreeSwitch } from './freeswitch.ts';
import { createEndpointPool, isUsualOffer, type EndpointPool, type PoolNumbers } from './endpoint-pool.ts';
import { createMediaEndpoint, rtpTimeoutHeader, type EndpointOptions } from './freeswitch-endpoint.ts';
import { createServerLoad } from './server-load.ts';
import { createSrtpEndpoint, srtpRequest } from './srtp-endpoint.ts';

export type MediaServerNumbers = {
  pool: PoolNumbers;
  /** Timeout of creating an endpoint. */
  createMs: number;
  /** Limit of a slow failure: a failure after this time means that the server is overloaded, and starts a cool-down. */
  busy: { afterMs: number; coolDown: CoolDown };
  /** Timeout of other commands. */
  answerMs: number;
  /** Interval of heartbeat and keep-alive. The server's calls are lost after two consecutive failures. */
  probeMs: number;
  /** Time without RTP after which a call has lost its audio; 0 for never. */
  rtpTimeoutMs: number;
  /** Percentage of idle CPU below which a server accepts no new calls; by default there is no minimum. */
  minIdleCpu?: number;
  /** See `FreeSwitchOptions`. */
  shortestParkSec?: number;
  /**
   * Time without audio after which FreeSWITCH, which sends every 20 ms, may have ended the unicast. 0 disables the
   * check.
   */
  silenceMs: number;
};

export type MediaServerOptions = MediaServerNumbers & {
  /** Address of this host at which FreeSWITCH reaches this process. */
  ownAddress: string;
  srf: Srf;
  mediaThread: Pick<MediaThread, 'openUnicast' | 'open'>;
  resample: Resample;
  fence: Fence;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

export type TakeOverTerms = { srtp: TrunkSrtp; keepsBridge: boolean; formerSends: boolean };

/**
 * Maximum number of channels that are between two processes at a time. Each is silent meanwhile, and the more of them
 * share a processor, the longer each takes; the next ones wait with the audio of their former process.
 */
const mostChannelsBetween = 4;

/** A channel whose former process is dead is silent already. */
const atOnce: InTurn = (move) => move();

/** Dependencies of creating endpoints. */
type FactoryOptions = MediaServerOptions & EndpointOptions & FreeSwitch['control'];

/**
 * Creates an endpoint for the caller's offer, or one that makes an offer. Rejects after a few seconds at the latest.
 */
const create = async (
  { offer, srtp }: { offer: string | undefined; srtp: TrunkSrtp },
  options: FactoryOptions,
): Promise<MediaEndpoint> => {
  const { rtpTimeoutMs, createMs, clock, commands, backgroundTasks } = options;
  const asked = srtp === 'off' ? { offer, headers: {} } : srtpRequest(offer);
  // Without the caller's offer no media timeout is set, because the source of audio is still unknown.
  const headers = { ...asked.headers, ...(offer === undefined ? {} : rtpTimeoutHeader(rtpTimeoutMs)) };
  const { uuid, channel } = inviteChannel(
    { ...asked, headers },
    { ...options, sipAddress: options.sipAddress() },
  );
  const endLate = (late: Channel): void => backgroundTasks.add('ending a late channel', () => sendBye(late));
  let made: Channel;
  try {
    made = await within(clock, createMs, 'Creating an endpoint', channel, endLate);
  } catch (error) {
    // The channel is ended, because it may have been created although its response was lost.
    backgroundTasks.add('ending a channel whose creation failed', () => commands.api(`uuid_kill ${uuid}`));
    throw error;
  }
  return srtp === 'off'
    ? createMediaEndpoint(made, options)
    : createSrtpEndpoint(made, { ...options, offers: offer === undefined });
};

/** Takes an endpoint that was created in advance; `null` if none is ready or the offer is unsuitable. */
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
    logger.debug({ err: error }, 'an endpoint of the pool rejected an offer');
    backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());
    return null;
  }
};

/**
 * Factory of fresh endpoints. A slow failure shows that the server is overloaded, unless signalling was lost meanwhile.
 */
const createEndpointFactory = (options: FactoryOptions) => {
  const { busy, clock } = options;
  const breaker = createCircuitBreaker(clock, busy.coolDown);
  /** Number of times that creations in progress were excused. */
  let excuses = 0;
  return {
    /**
     * Whether the server may create an endpoint for a call. After a failure one call tries, and the others skip the
     * wait.
     */
    hasTime: breaker.mayTry,
    async createFresh(offer: string | undefined, srtp: TrunkSrtp): Promise<MediaEndpoint> {
      const begun = { at: clock.now(), excuses };
      try {
        const endpoint = await create({ offer, srtp }, options);
        breaker.worked();
        return endpoint;
      } catch (error) {
        const isSlow = clock.now() - begun.at >= busy.afterMs;
        if (isSlow && begun.excuses === excuses) breaker.failed();
        throw error;
      }
    },
    /** Failures of creations that are in progress no longer count: signalling was lost, and the server is not to blame. */
    excuseCreationsInProgress(): void {
      excuses += 1;
    },
  };
};

export const createMediaServer = (server: ServerAddress, options: MediaServerOptions) => {
  const { backgroundTasks, logger } = options;
  const name = `${server.host}:${server.port}`;
  const endpoints = createCallEndpoints();
  const inPlace = createPlaces(mostChannelsBetween);
  /** Whether endpoints are created in advance: paused without signalling, over once the gateway stops. */
  let filling: 'on' | 'paused' | 'over' = 'on';

  const fill = (): void => {
    if (filling === 'on' && freeSwitch.problem() === null) pool.open();
  };

  const loseAll = (why: string): void => {
    if (endpoints.count() > 0)
      logger.error(`FreeSWITCH at ${name} ${why}: its calls move to another one or end`);
    endpoints.loseAll();
  };

  const freeSwitch = createFreeSwitch(server, {
    ...options,
    onConnected() {
      fill();
      // The channels are checked, because the server may have been restarted.
      backgroundTasks.add('checking the channels of calls', () => endpoints.loseThose(freeSwitch.hasChannel));
    },
    onHeartbeat: (heartbeat) => load.heartbeat(heartbeat),
    onLost() {
      load.forget();
      pool.empty();
    },
    onGone: () => loseAll('is gone'),
    onSilent: () => loseAll('no longer answers'),
  });

  const { hasTime, createFresh, excuseCreationsInProgress } = createEndpointFactory({
    ...options,
    ...freeSwitch.control,
    server: name,
  });

  const pool = createEndpointPool({
    ...options,
    create: () => createFresh(undefined, 'off'),
    numbers: options.pool,
  });

  const load = createServerLoad({
    minIdleCpu: options.minIdleCpu ?? 0,
    ownSessions: () => endpoints.count() + pool.size(),
    readySessions: pool.size,
    onChange(refusal) {
      if (refusal === null) logger.info(`FreeSWITCH at ${name} takes new calls again`);
      else logger.warn(`FreeSWITCH at ${name} takes no new calls: ${refusal}`);
    },
  });

  return {
    name,
    open: freeSwitch.open,
    problem: freeSwitch.problem,
    /**
     * Returns why the server accepts no new calls although it is connected, as a plain sentence; `null` if it accepts
     * calls.
     */
    refusal(): string | null {
      const refusal = load.refusal();
      return refusal && `FreeSWITCH at ${name} takes no new calls: ${refusal}`;
    },
    /** Returns the latest heartbeat of the server, if there is one. */
    load: load.current,
    /** Returns the number of current calls. */
    calls: endpoints.count,
    /** Returns the number of endpoints that are ready for a call. */
    ready: pool.size,
    /**
     * Creates an endpoint that answers the caller's offer, or that makes an offer if there is none. Rejects after a few
     * seconds at the latest, and immediately while other calls have just failed after that wait.
     */
    createEndpoint: (offer?: string, srtp: TrunkSrtp = 'off'): Promise<MediaEndpoint> =>
      endpoints.add(async () => {
        const ready = srtp === 'off' ? await takeReady(pool, offer, options) : null;
        if (ready !== null) return ready;
        if (!hasTime()) throw new Error(`FreeSWITCH at ${name} is overloaded`);
        return createFresh(offer, srtp);
      }),
    /** Ends a channel that an earlier process left. A missing channel is ignored. */
    endChannel: freeSwitch.endChannel,
    /** See `createMediaServers`. */
    takeOverEndpoint: (
      left: MediaChannel,
      { srtp, keepsBridge, formerSends }: TakeOverTerms,
    ): Promise<MediaEndpoint> =>
      endpoints.add(async () => {
        const endpointOptions = { ...options, ...freeSwitch.control, server: name };
        const inTurn = formerSends ? inPlace : atOnce;
        const { channel, unicast } = await takeOverChannel(left, keepsBridge, { ...endpointOptions, inTurn });
        return srtp === 'off'
          ? createMediaEndpoint(channel, endpointOptions, unicast)
          : createSrtpEndpoint(channel, { ...endpointOptions, offers: false }, unicast);
      }),
    /** Bridges two endpoints. Rejects if the bridge fails; the audio of both legs is then at this process again. */
    bridge: (first: BridgeSide, second: BridgeSide): Promise<void> =>
      bridgeChannels(first, second, { ...options, ...freeSwitch.control }),
    /** Brings the audio of a bridge's parties to this process until the taps are closed. */
    tapBridge: (first: BridgeSide, events: TapEvents): BridgeTaps => {
      const { ownAddress: address, mediaThread: thread, clock } = options;
      return openBridgeTaps(first.uuid, events, {
        ...options,
        ...freeSwitch.control,
        direct: { thread, address, clock, rtpTimeoutMs: 0 },
        createChannel: (offer) => createFresh(offer, 'off'),
      });
    },
    /** Discards endpoints created in advance, whose dialogs are lost, and creates none until `signallingBack`. */
    signallingLost(): void {
      if (filling === 'on') filling = 'paused';
      excuseCreationsInProgress();
      pool.empty();
    },
    signallingBack(): void {
      if (filling === 'paused') filling = 'on';
      fill();
    },
    /** Destroys the endpoints created in advance and stops creating more. The connection must still exist. */
    empty(): void {
      filling = 'over';
      pool.empty();
    },
    close: freeSwitch.close,
  };
};

export type MediaServer = ReturnType<typeof createMediaServer>;
