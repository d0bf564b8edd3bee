/** The connection to FreeSWITCH, and the endpoints on it: one a call, where its sound goes in and out. */
import Mrf from 'drachtio-fsmrf';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { keepConnected } from './keep-connected.ts';
import { within } from './loose-ends.ts';
import { createMediaEndpoint, type MediaEndpoint } from './media-endpoint.ts';
import { probeMediaServer } from './probe-media-server.ts';
import type { ServerAddress } from './signalling.ts';

const profile = 'drachtio_mrf';
/** Narrow-band only: the way back of the audio fork must have the rate of the codec. */
const codecs = ['PCMU', 'PCMA'];
const createMs = 5_000;

export const createMediaServer = (options: {
  server: ServerAddress;
  /** The address of this host at which FreeSWITCH reaches it. */
  ownAddress: string;
  srf: Srf;
  clock: Clock;
  logger: Logger;
}) => {
  const { server, srf, clock, logger } = options;
  const mrf = new Mrf(srf);

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
          resolve(media);
        }
        isSettled = true;
      });
    });
  };

  const disconnect = (media: Mrf.MediaServer): void => {
    const { retryTimer } = media.conn.reconnectVars;
    if (retryTimer !== null) clearTimeout(retryTimer);
    media.disconnect();
  };

  const kept = keepConnected<Mrf.MediaServer>({
    to: `FreeSWITCH at ${server.host}:${server.port}`,
    connect,
    disconnect,
    // Its calls notice by themselves: each endpoint has an event socket of its own.
    onLost: () => {},
    clock,
    logger,
  });

  return {
    open: kept.open,
    problem: kept.problem,
    close: kept.close,
    /** With the caller's offer, or without one to make an offer. Rejects after a few seconds at the latest. */
    async createEndpoint(remoteSdp?: string): Promise<MediaEndpoint> {
      const media = kept.current();
      if (media === null) throw new Error(kept.problem() ?? 'There is no media server');
      const creating = media.createEndpoint(remoteSdp === undefined ? {} : { remoteSdp, codecs });
      const destroyLate = (endpoint: Mrf.Endpoint): void => {
        endpoint
          .destroy()
          .catch((error: unknown) => logger.debug({ err: error }, 'a late endpoint was gone already'));
      };
      return createMediaEndpoint(
        await within(clock, createMs, 'Creating an endpoint', creating, destroyLate),
      );
    },
  };
};

export type MediaServer = ReturnType<typeof createMediaServer>;
