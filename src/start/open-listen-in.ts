/** Opens listening for admins; each session is recorded in the workspace's audit log. */
import { listenInLimits } from '#config/policy.ts';
import { listenInPolicyOf, noteListeningBegun, noteListeningEnded } from '#src/administration/listen-in.ts';
import {
  createListenInSocket,
  type ListenInSocket,
  type ListenInSocketOptions,
  type Wish,
} from '#src/listen-in/listen-in-socket.ts';
import type { Foundation } from './foundation.ts';

export const openListenIn = (
  { database, sealing, clock, steadyClock, logger }: Foundation,
  follow: ListenInSocketOptions['follow'],
): ListenInSocket => {
  const administratorOf = (wish: Wish) => ({ database, sealing, clock, ...wish });
  return createListenInSocket({
    policyOf: (wish) => listenInPolicyOf(administratorOf(wish), wish.callId),
    async begin(wish, policy) {
      const begunAt = steadyClock.now();
      await noteListeningBegun(administratorOf(wish), wish.callId, policy);
      return () =>
        noteListeningEnded(administratorOf(wish), wish.callId, (steadyClock.now() - begunAt) / 1_000);
    },
    follow,
    limits: listenInLimits,
    logger,
  });
};
