/** One FreeSWITCH: the connection to it, and the endpoints on it, one a call, where its sound goes in and out. */
import type Mrf from 'drachtio-fsmrf';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import { createCircuitBreaker, type CoolDown } from '#src/domain/circuit-breaker.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import { releasingWith, type MediaEndpoint } from '../../media/endpoint.ts';
import type { SoundThread } from '../../media/thread/sound-thread.ts';
import type { Resample } from '../../resampler.ts';
import { within, type BackgroundTasks } from '../background-tasks.ts';
import type { ServerAddress } from '../reconnect.ts';
import { createEndpointPool, isUsualOffer, type EndpointPool, type PoolNumbers } from './endpoint-pool.ts';
import { createMediaEndpoint, rtpTimeoutHeader } from './endpoint.ts';
import { keepEventSocket } from './event-socket.ts';
import { createSrtpEndpoint, srtpRequest } from './srtp.ts';

export type MediaServerNumbers = {
  pool: PoolNumbers;
  /** How long it may take to make an endpoint. */
  createMs: number;
  /** A server that fails only after so long has too much to do: it is left alone for a while. */
  busy: { afterMs: number; coolDown: CoolDown };
  /** How long it may take for anything else that it is told. */
  answerMs: number;
  /** How often it is asked whether it is still there. */
  probeMs: number;
  /** A call to which no RTP comes for so long has lost its sound; 0 for never. */
  rtpTimeoutMs: number;
};

export type MediaServerOptions = MediaServerNumbers & {
  /** The address of this host at which FreeSWITCH reaches it. */
  ownAddress: string;
  srf: Srf;
  soundThread: Pick<SoundThread, 'openUnicast'>;
  resample: Resample;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/** Makes an endpoint; `offer` is the caller's. Rejects after a few seconds at the latest. */
const create = async (
  media: Mrf.MediaServer,
  { offer, srtp }: { offer: string | undefined; srtp: TrunkSrtp },
  options: MediaServerOptions & { server: string },
): Promise<MediaEndpoint> => {
  const { rtpTimeoutMs, createMs, clock, backgroundTasks } = options;
  const usual: Mrf.EndpointOptions = offer === undefined ? {} : { remoteSdp: offer };
  const asked = srtp === 'off' ? usual : srtpRequest(offer);
  // Until it is known where its sound comes from, none is expected.
  const headers = { ...asked.headers, ...(offer === undefined ? {} : rtpTimeoutHeader(rtpTimeoutMs)) };
  const creating = media.createEndpoint({ ...asked, headers });
  const destroyLate = (endpoint: Mrf.Endpoint): void =>
    backgroundTasks.add('destroying a late endpoint', () => endpoint.destroy());
  const endpoint = await within(clock, createMs, 'Creating an endpoint', creating, destroyLate);
  return srtp === 'off'
    ? createMediaEndpoint(endpoint, options)
    : createSrtpEndpoint(endpoint, { ...options, offers: offer === undefined });
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

/** The endpoints of calls: those that there are, and those that calls wait for. */
const createCallEndpoints = () => {
  const taken = new Set<MediaEndpoint>();
  let coming = 0;
  return {
    count: (): number => taken.size + coming,
    async add(making: () => Promise<MediaEndpoint>): Promise<MediaEndpoint> {
      coming += 1;
      try {
        const made = await making();
        taken.add(made);
        return releasingWith(made, () => taken.delete(made));
      } finally {
        coming -= 1;
      }
    },
    loseAll(): void {
      for (const endpoint of taken) endpoint.lose();
    },
  };
};

/** Where endpoints are made afresh. One that took long to fail shows that the server has too much to do. */
const createWorkshop = (
  connected: () => Mrf.MediaServer,
  options: MediaServerOptions & { server: string },
) => {
  const { busy, clock } = options;
  const breaker = createCircuitBreaker(clock, busy.coolDown);
  return {
    /** Asked before each that a call waits for: after a failure one call tries, the others are spared the wait. */
    hasTime: breaker.mayTry,
    async createFresh(offer: string | undefined, srtp: TrunkSrtp): Promise<MediaEndpoint> {
      const begunAt = clock.now();
      try {
        const endpoint = await create(connected(), { offer, srtp }, options);
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
  const { clock, logger } = options;
  const name = `${server.host}:${server.port}`;
  const endpoints = createCallEndpoints();
  let isClosing = false;

  const fill = (): void => {
    if (!isClosing && socket.current() !== null) pool.open();
  };

  const socket = keepEventSocket({
    ...options,
    server,
    onConnected: fill,
    // Its calls notice by themselves: each endpoint has an event socket of its own.
    onLost: () => pool.empty(),
    onSilent() {
      logger.error(`FreeSWITCH at ${name} does not answer any more: its calls end`);
      endpoints.loseAll();
    },
  });

  /** Throws while there is none. */
  const connected = (): Mrf.MediaServer => {
    const media = socket.current();
    if (media === null) throw new Error(socket.problem() ?? 'There is no media server');
    return media;
  };

  const { hasTime, createFresh } = createWorkshop(connected, { ...options, server: name });

  const pool = createEndpointPool({
    ...options,
    create: () => createFresh(undefined, 'off'),
    numbers: options.pool,
  });

  return {
    name,
    open: socket.open,
    problem: socket.problem,
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
    async endChannel(uuid: string): Promise<void> {
      await within(clock, options.answerMs, 'Ending a channel', connected().api(`uuid_kill ${uuid}`));
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
    close: socket.close,
  };
};

export type MediaServer = ReturnType<typeof createMediaServer>;
