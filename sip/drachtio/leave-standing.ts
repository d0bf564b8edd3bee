import type { CallMedia } from '../call-media.ts';
import type { BackgroundTasks } from './background-tasks.ts';
import { holdRequests, type Connection } from './signalling/attempt.ts';

/** Leaves a far end to whoever goes on with the call: what it asks from now on is for that one. */
export const leaveStanding = (
  connection: Connection,
  media: Pick<CallMedia, 'leave'>,
  { backgroundTasks }: { backgroundTasks: BackgroundTasks },
): void => {
  media.leave();
  holdRequests(connection.dialog, true);
  connection.trackedLeg.left();
  backgroundTasks.add('leaving an endpoint', () => connection.endpoint.leave());
};
