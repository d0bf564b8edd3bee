/** The channels of one FreeSWITCH that bear the name of this gateway, and the event socket by which they are driven. */
import { randomUUID } from 'node:crypto';
import type { ServerAddress } from '../reconnect.ts';
import { createChannelKeys } from './event-socket/channel-keys.ts';
import { createKeeping } from './event-socket/keeping.ts';
import { keepEventSocket, type KeptEventSocketOptions } from './event-socket/kept-event-socket.ts';

export const createChannels = (
  server: ServerAddress,
  options: Omit<KeptEventSocketOptions, 'server' | 'keeping' | 'onEvent'>,
) => {
  const keys = createChannelKeys();
  const gateway = randomUUID();
  const keeping = createKeeping(gateway, options.probeMs);
  const socket = keepEventSocket({ ...options, server, keeping, onEvent: keys.take });
  const { commands, connected } = socket;

  return {
    open: socket.open,
    problem: socket.problem,
    close: socket.close,
    /** What is needed to make one, and to drive it. */
    means: {
      /** The name that its channels bear. */
      gateway,
      keeping,
      keys,
      commands,
      /** Where FreeSWITCH is; throws while it is not connected. */
      serverAddress: (): string => connected().socket.remoteAddress,
      /** Where it takes INVITEs; throws while it is not connected. */
      sipAddress: (): string => connected().sipAddress,
    },
    /** Rejects while that cannot be known. */
    isThere: async (uuid: string): Promise<boolean> =>
      (await commands.api(`uuid_exists ${uuid}`)).trim() === 'true',
    /** Ends a channel that an earlier process has left behind; one that is gone already is none. */
    async end(uuid: string): Promise<void> {
      await commands.api(`uuid_kill ${uuid}`);
    },
  };
};
