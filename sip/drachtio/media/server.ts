/** One FreeSWITCH: the connection to it, and the endpoints on it, one a call, where its sound goes in and out. */
import Mrf from 'drachtio-fsmrf';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { TrunkSrtp } from '#src/domain/trunk.ts';
import { createEndpointPool, isUsualOffer, type PoolNumbers } from './endpoint-pool.ts';
import { keepConnected } from '../reconnect.ts';
import { within, type BackgroundTasks } from '../background-tasks.ts';
import { createMediaDialogs } from './media-dialogs.ts';
import { createMediaEndpoint, releasingWith, rtpTimeoutHeader, type MediaEndpoint } from './endpoint.ts';
import { probeMediaServer } from './probe.ts';
import type { ServerAddress } from '../reconnect.ts';
import { createSrtpEndpoint, srtpRequest } from './srtp.ts';
import { startHeartbeat } from '../heartbeat.ts';

const profile = 'drachtio_mrf';
/** Narrow-band only: the way back of the audio fork must have the rate of the codec. */
const codecs = ['PCMU', 'PCMA'];
const createMs = 5_000;
const modifyMs = 3_000;

export type MediaServerNumbers = {
  pool: PoolNumbers;
  /** How often it is asked whether it is still there. */
  probeMs: number;
  /** A call to which no RTP comes for so long has lost its sound; 0 for never. */
  rtpTimeoutMs: number;
};

export type MediaServerOptions = MediaServerNumbers & {
  /** The address of this host at which FreeSWITCH reaches it. */
  ownAddress: string;
  srf: Srf;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

export const createMediaServer = (server: ServerAddress, options: MediaServerOptions) => {
  const { srf, rtpTimeoutMs, clock, backgroundTasks, logger } = options;
  const mrf = new Mrf(createMediaDialogs(srf, backgroundTasks));
  const name = `${server.host}:${server.port}`;
  /** Endpoints of calls. */
  const taken = new Set<MediaEndpoint>();
  /** Calls that wait for their endpoint. */
  let coming = 0;
  let stopHeartbeat: () => void = () => {};
  let isClosing = false;

  const connect = async (onLost: () => void): Promise<Mrf.MediaServer> => {
    await probeMediaServer(server, profile);
    return new Promise((resolve, reject) => {
      let isSettled = false;
      const settings = {
        address: server.host,
        port: server.port,
        secret: server.secret,
        listenAddress: options.ownAddress,
        listenPort: 0,
        profile,
      };
      mrf.connect(settings, (error, media) => {
        if (media === undefined) reject(error ?? new Error('it gave no reason.'));
        // It calls back again when a connection comes about after an error.
        else if (isSettled) disconnect(media);
        else {
          // Its own listener reconnects, and writes to the console.
          media.conn.removeAllListeners('esl::end');
          media.conn.on('esl::end', onLost);
          stopHeartbeat = startHeartbeat({
            probe: () => probeMediaServer(server, profile),
            everyMs: options.probeMs,
            clock,
            onSilent() {
              logger.error(`FreeSWITCH at ${name} does not answer any more: its calls end`);
              for (const endpoint of taken) endpoint.lose();
              onLost();
            },
          });
          resolve(media);
        }
        isSettled = true;
      });
    });
  };

  const disconnect = (media: Mrf.MediaServer): void => {
    stopHeartbeat();
    const { retryTimer } = media.conn.reconnectVars;
    if (retryTimer !== null) clearTimeout(retryTimer);
    media.disconnect();
  };

  const kept = keepConnected<Mrf.MediaServer>({
    to: `FreeSWITCH at ${name}`,
    connect,
    disconnect,
    onConnected: () => fill(),
    // Its calls notice by themselves: each endpoint has an event socket of its own.
    onLost: () => pool.empty(),
    clock,
    logger,
  });

  const create = async (remoteSdp?: string, srtp: TrunkSrtp = 'off'): Promise<MediaEndpoint> => {
    const media = kept.current();
    if (media === null) throw new Error(kept.problem() ?? 'There is no media server');
    const usual: Mrf.EndpointOptions = remoteSdp === undefined ? {} : { remoteSdp, codecs };
    const asked = srtp === 'off' ? usual : srtpRequest(remoteSdp);
    // Until it is known where its sound comes from, none is expected.
    const headers = { ...asked.headers, ...(remoteSdp === undefined ? {} : rtpTimeoutHeader(rtpTimeoutMs)) };
    const creating = media.createEndpoint({ ...asked, headers });
    const destroyLate = (endpoint: Mrf.Endpoint): void =>
      backgroundTasks.add('destroying a late endpoint', () => endpoint.destroy());
    const endpoint = await within(clock, createMs, 'Creating an endpoint', creating, destroyLate);
    return srtp === 'off'
      ? createMediaEndpoint(endpoint, { server: name, rtpTimeoutMs })
      : createSrtpEndpoint(endpoint, { server: name, offers: remoteSdp === undefined, clock, rtpTimeoutMs });
  };

  const pool = createEndpointPool({
    create: () => create(),
    numbers: options.pool,
    clock,
    backgroundTasks,
    logger,
  });

  const fill = (): void => {
    if (!isClosing && kept.current() !== null) pool.open();
  };

  /** One that was made beforehand; `null` when none is ready or the offer is not for it. */
  const takeReady = async (remoteSdp: string | undefined): Promise<MediaEndpoint | null> => {
    if (remoteSdp !== undefined && !isUsualOffer(remoteSdp)) return null;
    const endpoint = pool.take();
    if (endpoint === null || remoteSdp === undefined) return endpoint;
    try {
      const modifying = endpoint.modify(remoteSdp);
      return { ...endpoint, localSdp: await within(clock, modifyMs, 'Modifying an endpoint', modifying) };
    } catch (error) {
      logger.debug({ err: error }, 'an endpoint that was kept ready does not take an offer');
      backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());
      return null;
    }
  };

  return {
    name,
    open: kept.open,
    problem: kept.problem,
    /** Calls on it now. */
    calls: (): number => taken.size + coming,
    /** Endpoints that wait for a call. */
    ready: pool.size,
    /** With the caller's offer, or without one to make an offer. Rejects after a few seconds at the latest. */
    async createEndpoint(remoteSdp?: string, srtp: TrunkSrtp = 'off'): Promise<MediaEndpoint> {
      coming += 1;
      try {
        const ready = srtp === 'off' ? await takeReady(remoteSdp) : null;
        const made = ready ?? (await create(remoteSdp, srtp));
        const endpoint = releasingWith(made, () => taken.delete(made));
        taken.add(made);
        return endpoint;
      } finally {
        coming -= 1;
      }
    },
    /** Ends a channel that an earlier process has left behind; one that is gone already is none. */
    async endChannel(uuid: string): Promise<void> {
      const media = kept.current();
      if (media === null) throw new Error(kept.problem() ?? 'There is no media server');
      await within(clock, modifyMs, 'Ending a channel', media.api(`uuid_kill ${uuid}`));
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
    close: kept.close,
  };
};

export type MediaServer = ReturnType<typeof createMediaServer>;
