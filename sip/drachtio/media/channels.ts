/** Channels of one FreeSWITCH that carry this gateway's name, and the event socket that controls them. */
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
    /** Requirements for creating and controlling a channel. */
    means: {
      /** Gateway name stored in its channels. */
      gateway,
      keeping,
      keys,
      commands,
      /** Address of FreeSWITCH; throws without a connection. */
      serverAddress: (): string => connected().socket.remoteAddress,
      /** Address for INVITEs; throws without a connection. */
      sipAddress: (): string => connected().sipAddress,
    },
    /** Rejects while the state is unknown. */
    isThere: async (uuid: string): Promise<boolean> =>
      (await commands.api(`uuid_exists ${uuid}`)).trim() === 'true',
    /** Ends a channel left by an earlier process; a missing channel is ignored. */
    async end(uuid: string): Promise<void> {
      await commands.api(`uuid_kill ${uuid}`);
    },
  };
};
