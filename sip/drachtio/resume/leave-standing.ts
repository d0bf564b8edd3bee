import type { CallMedia } from '#sip/audio/call-media.ts';
import type { BackgroundTasks } from '../../background-tasks.ts';
import { holdRequests } from '../dialog/held-requests.ts';
import type { Connection } from '../leg.ts';

/** Hands a far end over to the process that takes over the call: requests of the far end are held for that process. */
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
