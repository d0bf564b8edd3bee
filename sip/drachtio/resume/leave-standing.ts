/**
 * Leaves far ends to another process, which takes over their calls. Requests of the far end are held for that process.
 * Audio continues as silence until the other process carries it: its first packet follows the last one of this process.
 */
import type { AudioUntil } from '#machines/line.ts';
import type { CallMedia } from '#sip/audio/call-media.ts';
import type { Clock } from '#src/domain/clock.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import type { BackgroundTasks } from '../../background-tasks.ts';
import type { SignallingConnection } from '../connection/connection.ts';
import { holdRequests } from '../dialog/held-requests.ts';
import type { Connection } from '../leg.ts';

/** Longest time for which audio continues if no other process takes it over. */
const longestMs = 20_000;

export type LeaveStanding = (
  connection: {
    dialog: object;
    trackedLeg: Pick<Connection['trackedLeg'], 'standing' | 'left'>;
    endpoint: Pick<Connection['endpoint'], 'leave'>;
  },
  media: Pick<CallMedia, 'leave'>,
  audioUntil: AudioUntil,
) => void;

export const createLeaving = ({
  dialogMoved,
  clock,
  backgroundTasks,
}: Pick<SignallingConnection, 'dialogMoved'> & { clock: Clock; backgroundTasks: BackgroundTasks }) => {
  const exit = Promise.withResolvers<void>();

  /** Resolves when the audio of a dialog no longer has to be sent; FreeSWITCH notifies its endpoint itself. */
  const audioEnds = async (dialogId: string | undefined, audioUntil: AudioUntil): Promise<void> => {
    if (audioUntil === 'exit') return exit.promise;
    if (dialogId === undefined) return undefined;
    await doneWithin(clock, longestMs, dialogMoved(dialogId));
    return undefined;
  };

  const leave: LeaveStanding = (connection, media, audioUntil) => {
    const { dialog, trackedLeg, endpoint } = connection;
    const dialogId = trackedLeg.standing()?.leg.dialogId;
    media.leave();
    holdRequests(dialog, true);
    trackedLeg.left();
    const ended = audioUntil === 'now' ? undefined : audioEnds(dialogId, audioUntil);
    backgroundTasks.add('leaving an endpoint', () => endpoint.leave(ended));
  };

  return {
    leave,
    /** Ends the audio that continues until this process ends. */
    close: (): void => exit.resolve(),
  };
};
