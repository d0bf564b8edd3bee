/** The event socket of one FreeSWITCH, which drachtio-fsmrf speaks, made again whenever it is lost. */
import Mrf from 'drachtio-fsmrf';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { startHeartbeat } from '../heartbeat.ts';
import { keepConnected, type Kept, type ServerAddress } from '../reconnect.ts';
import { probeMediaServer } from './probe.ts';

const profile = 'drachtio_mrf';

/**
 * What drachtio-fsmrf signals with. It hangs up an endpoint to which FreeSWITCH does not come, and looks no further: when
 * drachtio-server has gone as well, that rejection would end the process.
 */
const createMediaDialogs = (srf: Srf, backgroundTasks: BackgroundTasks): Mrf.Signalling => ({
  async createUAC(uri: string, options: Srf.CreateUACOptions): Promise<Srf.Dialog> {
    const dialog = await srf.createUAC(uri, options);
    const destroy = dialog.destroy.bind(dialog);
    return Object.assign(dialog, {
      destroy(...args: Parameters<Srf.Dialog['destroy']>) {
        // Without a callback it is a promise, which the types of drachtio-srf do not know.
        const destroying: unknown = destroy(...args);
        if (destroying instanceof Promise) backgroundTasks.add('BYE to a media server', () => destroying);
        return destroying;
      },
    });
  },
});

const disconnect = (media: Mrf.MediaServer): void => {
  const { retryTimer } = media.conn.reconnectVars;
  if (retryTimer !== null) clearTimeout(retryTimer);
  media.disconnect();
};

/** Rejects with a plain sentence. `onLost`: the connection that came about has ended. */
const connect = (
  mrf: Mrf,
  { host, port, secret }: ServerAddress,
  ownAddress: string,
  onLost: () => void,
): Promise<Mrf.MediaServer> =>
  new Promise((resolve, reject) => {
    let isSettled = false;
    const settings = { address: host, port, secret, listenAddress: ownAddress, listenPort: 0, profile };
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

export const keepEventSocket = (options: {
  server: ServerAddress;
  /** The address of this host at which FreeSWITCH reaches it. */
  ownAddress: string;
  /** How often it is asked whether it is still there. */
  probeMs: number;
  onConnected: () => void;
  onLost: () => void;
  /** It does not answer any more; it is then lost. */
  onSilent: () => void;
  srf: Srf;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
}): Kept<Mrf.MediaServer> => {
  const { server, clock, logger } = options;
  const mrf = new Mrf(createMediaDialogs(options.srf, options.backgroundTasks));
  const probe = (): Promise<void> => probeMediaServer(server, profile);
  let stopHeartbeat: () => void = () => {};

  return keepConnected<Mrf.MediaServer>({
    to: `FreeSWITCH at ${server.host}:${server.port}`,
    async connect(onLost) {
      await probe();
      const media = await connect(mrf, server, options.ownAddress, onLost);
      const onSilent = (): void => {
        options.onSilent();
        onLost();
      };
      stopHeartbeat = startHeartbeat({ probe, everyMs: options.probeMs, clock, onSilent });
      return media;
    },
    disconnect(media) {
      stopHeartbeat();
      disconnect(media);
    },
    onConnected: options.onConnected,
    onLost: options.onLost,
    clock,
    logger,
  });
};
