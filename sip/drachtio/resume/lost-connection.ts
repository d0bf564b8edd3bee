/**
 * Keeps established calls when the connection to drachtio-server is lost. Their dialogs may still exist, and their
 * audio continues, so they wait a moment for drachtio-server or the relay to return. Each dialog is then queried
 * without a message to its far end. drachtio-server refuses the far end's requests in a dialog of a lost connection
 * without reporting them, and forgets the dialog after a BYE. Such calls are therefore checked periodically. A dialog that
 * drachtio-server knew over the current connection and does not know any more was ended by its far end. A dialog that it
 * never knew, for example after a restart, may still exist at the far end.
 *
 * If the connection does not return, the calls are offered to other gateways, and the remaining ones end.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { DialogState } from './revive.ts';

/** Interval of the checks. */
const lookMs = 5_000;

export type StandingLine = {
  /** Dialog of an established call; `null` before the answer and while the call ends. */
  dialogId(): string | null;
  /** Dialog of the person with whom the other party talks; `null` if there is none. */
  secondDialogId(): string | null;
  /** Drops a person who is being called for a transfer. */
  loseSecond(): void;
  /** Dialogs with the media server, of both legs; may be empty. */
  channelDialogIds(): readonly string[];
  /** Ends the call as lost, because its state is unknown. */
  lose(): void;
  /** The far end has hung up without this process receiving its BYE. */
  endSilently(): void;
  /** The person with whom the other party talks has hung up without this process receiving the BYE. */
  endSecondSilently(): void;
  /** Releases the call without a message to its far end, because another gateway has taken it over. */
  taken(): void;
};

export const createLostSignalling = <Line extends StandingLine>(options: {
  lines: () => Iterable<Line>;
  /** Queries the state of a dialog. Rejects without a response. */
  queryDialog: (dialogId: string) => Promise<DialogState>;
  comeBackMs: number;
  /**
   * Releases calls to other gateways, if there are any. Resolves when the released calls are no longer among `lines`.
   * Must not release any after `isLost` has returned false.
   */
  offer: (cutOff: readonly Line[], isLost: () => boolean) => Promise<void>;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}) => {
  const { lines, queryDialog, comeBackMs, offer, clock, logger } = options;
  /** Lines whose dialogs belong to a lost connection. `known`: drachtio-server knew the dialog over the current one. */
  const outlasting = new Map<Line, 'unasked' | 'known'>();
  let timer: unknown;
  /** Number of the connection; results of checks over an earlier connection are ignored. */
  let connections = 0;

  const ask = async (line: Line, asking: number): Promise<void> => {
    const dialogId = line.dialogId();
    if (dialogId === null) return void outlasting.delete(line);
    const secondId = line.secondDialogId();
    let states: DialogState[];
    try {
      states = await Promise.all([dialogId, ...(secondId === null ? [] : [secondId])].map(queryDialog));
    } catch {
      // A failed query is repeated by the next check or the next connection.
      return;
    }
    if (asking !== connections) return;
    const before = outlasting.get(line);
    if (before === undefined) return;
    if (states.every((state) => state === 'established')) return void outlasting.set(line, 'known');
    outlasting.delete(line);
    if (states.includes('taken')) line.taken();
    else if (states[0] === 'established') line.endSecondSilently();
    else if (before === 'known') line.endSilently();
    else line.lose();
  };

  const look = async (): Promise<void> => {
    const asking = connections;
    await Promise.all([...outlasting.keys()].map((line) => ask(line, asking)));
    if (asking === connections && outlasting.size > 0) lookLater();
  };

  const lookLater = (): void => {
    timer = clock.setTimeout(() => void look(), lookMs);
  };

  /**
   * Makes the relay deliver the in-dialog requests of these channels to this process, unless another gateway has taken
   * them over; the relay ends dialogs that no client serves.
   */
  const claimChannels = (line: Line): void => {
    // Ignores failures: a missing channel is detected by the loss of audio.
    for (const dialogId of line.channelDialogIds()) queryDialog(dialogId).catch(() => {});
  };

  /** Gives up the calls of a connection that has not returned. */
  const giveUp = async (): Promise<void> => {
    const lost = connections;
    const isLost = (): boolean => connections === lost;
    try {
      if (outlasting.size > 0) await offer([...outlasting.keys()], isLost);
    } catch (error) {
      logger.warn({ err: error }, 'calls without a connection could not be released to another gateway');
    }
    if (!isLost()) return;
    const remaining = new Set(lines());
    for (const line of outlasting.keys()) if (remaining.has(line)) line.lose();
    outlasting.clear();
  };

  return {
    lost(): void {
      connections += 1;
      clock.clearTimeout(timer);
      for (const line of lines()) {
        line.loseSecond();
        if (line.dialogId() === null) line.lose();
        else outlasting.set(line, 'unasked');
      }
      timer = clock.setTimeout(() => void giveUp(), comeBackMs);
    },
    connected(): void {
      connections += 1;
      clock.clearTimeout(timer);
      for (const line of outlasting.keys()) {
        outlasting.set(line, 'unasked');
        claimChannels(line);
      }
      void look();
    },
    /**
     * Handles a call that was taken over: its dialog belongs to the connection of the earlier process, and was known at
     * the take-over.
     */
    adopted(line: Line): void {
      const isFirst = outlasting.size === 0;
      outlasting.set(line, 'known');
      if (isFirst) lookLater();
    },
    close(): void {
      connections += 1;
      clock.clearTimeout(timer);
      outlasting.clear();
    },
  };
};
