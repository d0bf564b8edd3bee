/** One FreeSWITCH: its connection and its endpoints, one for each call, which carry the call's audio. */
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
  /** Timeout of creating an endpoint. */
  createMs: number;
  /** A failure after this time means that the server is overloaded; it gets a cool-down. */
  busy: { afterMs: number; coolDown: CoolDown };
  /** Timeout of other commands. */
  answerMs: number;
  /** Interval of heartbeat and keep-alive; the server's calls are lost after two consecutive failures. */
  probeMs: number;
  /** Time without RTP after which a call has lost its audio; 0 for never. */
  rtpTimeoutMs: number;
  /** FreeSWITCH sends every 20 ms; after this time without audio it may have ended the unicast. 0: never checked. */
  silenceMs: number;
};

export type MediaServerOptions = MediaServerNumbers & {
  /** Address of this host at which FreeSWITCH reaches it. */
  ownAddress: string;
  srf: Srf;
  soundThread: Pick<SoundThread, 'openUnicast' | 'open'>;
  resample: Resample;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/** Dependencies of creating endpoints. */
type Making = MediaServerOptions & FreeSwitchOptions & ReturnType<typeof createChannels>['means'];

/** Creates an endpoint; `offer` is the caller's. Rejects after a few seconds at the latest. */
const create = async (
  { offer, srtp }: { offer: string | undefined; srtp: TrunkSrtp },
  options: Making,
): Promise<MediaEndpoint> => {
  const { rtpTimeoutMs, createMs, clock, commands, backgroundTasks } = options;
  const asked = srtp === 'off' ? { offer, headers: {} } : srtpRequest(offer);
  // Without the caller's offer, the source of audio is still unknown and no timeout applies.
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
    // A channel may have been created although its answer was lost.
    backgroundTasks.add('ending a channel that did not come about', () => commands.api(`uuid_kill ${uuid}`));
    throw error;
  }
  return srtp === 'off'
    ? createMediaEndpoint(made, options)
    : createSrtpEndpoint(made, { ...options, offers: offer === undefined });
};

/** Takes an endpoint created in advance; `null` if none is ready or the offer is unsuitable. */
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

/** Factory of fresh endpoints. A slow failure shows that the server is overloaded. */
const createWorkshop = (options: Making) => {
  const { busy, clock } = options;
  const breaker = createCircuitBreaker(clock, busy.coolDown);
  return {
    /** Checked before each creation for a call: after a failure one call tries, and the others skip the wait. */
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
      // The server may be another process than before.
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
    /** Number of current calls. */
    calls: endpoints.count,
    /** Number of endpoints ready for a call. */
    ready: pool.size,
    /**
     * With the caller's offer, or without one to make an offer. Rejects after a few seconds at the latest, and
     * immediately while other calls have just failed after that wait.
     */
    createEndpoint: (offer?: string, srtp: TrunkSrtp = 'off'): Promise<MediaEndpoint> =>
      endpoints.add(async () => {
        const ready = srtp === 'off' ? await takeReady(pool, offer, options) : null;
        if (ready !== null) return ready;
        if (!hasTime()) throw new Error(`FreeSWITCH at ${name} has too much to do`);
        return createFresh(offer, srtp);
      }),
    /** Ends a channel left by an earlier process; a missing channel is ignored. */
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
    /** Rejects if the bridge fails; the audio of both legs is then at this process again. */
    bridge: (first: BridgeSide, second: BridgeSide): Promise<void> =>
      bridgeChannels(first, second, { ...options, ...channels.means }),
    /** Brings the audio of a bridge's parties to this process until the taps are closed. */
    tapBridge: (first: BridgeSide, events: TapEvents): BridgeTaps => {
      const { ownAddress: address, soundThread: thread, clock } = options;
      return openBridgeTaps(first.uuid, events, {
        ...options,
        ...channels.means,
        direct: { thread, address, clock, rtpTimeoutMs: 0 },
        createChannel: (offer) => createFresh(offer, 'off'),
      });
    },
    /** Discards endpoints created in advance, because their dialogs are lost. */
    renew(): void {
      pool.empty();
      fill();
    },
    /** Destroys the endpoints created in advance and stops creating more; requires that the connection still exists. */
    empty(): void {
      isClosing = true;
      pool.empty();
    },
    close: channels.close,
  };
};

export type MediaServer = ReturnType<typeof createMediaServer>;
