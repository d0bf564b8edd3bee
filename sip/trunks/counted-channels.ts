/**
 * Channels that the legs of this gateway's calls have in the database. Several permits may stand for one channel: after
 * a take-over the leg may get an endpoint before the former one is destroyed, and a second transfer of a call may begin
 * before the channel of the first one is released. The channel is released with the last of its permits.
 */
import type { TrunkChannel } from '#src/domain/trunk.ts';

/** One use of a channel, from before it is taken until it is no longer needed. */
export type ChannelUse = {
  /** Runs the statement that takes the channel, after an earlier release of the same channel is complete. */
  take<Result>(statement: () => Promise<Result>): Promise<Result>;
  /** Called when the statement took the channel, or may have taken it. */
  taken(): void;
  /** Ends this use. Releases the channel if this was its last use. Rejects if the database does not confirm it. */
  end(): Promise<void>;
};

type Counted = { uses: number; isTaken: boolean; release: Promise<void> | null };

export const createCountedChannels = (
  giveBack: (channel: TrunkChannel) => Promise<void>,
): { use(channel: TrunkChannel): ChannelUse } => {
  const channels = new Map<string, Counted>();
  return {
    use(channel) {
      const key = JSON.stringify([channel.trunkId, channel.callId, channel.leg]);
      const counted = channels.get(key) ?? { uses: 0, isTaken: false, release: null };
      channels.set(key, counted);
      counted.uses += 1;

      const release = async (): Promise<void> => {
        counted.isTaken = false;
        const releasing = giveBack(channel);
        counted.release = releasing;
        try {
          await releasing;
        } finally {
          counted.release = null;
        }
      };

      return {
        take(statement) {
          const { release: earlier } = counted;
          return earlier === null ? statement() : earlier.then(statement, statement);
        },
        taken() {
          counted.isTaken = true;
        },
        async end() {
          counted.uses -= 1;
          try {
            if (counted.uses === 0 && counted.isTaken) await release();
          } finally {
            if (counted.uses === 0) channels.delete(key);
          }
        },
      };
    },
  };
};
