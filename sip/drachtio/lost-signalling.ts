/**
 * Keeps the calls that stand when the connection to drachtio-server is lost. Their dialogs may stand as well, and their
 * sound goes on: they wait a moment for it, or for the relay, to come back. Each is then asked after, without a message
 * to its far end. What the far end asks in a dialog of a connection that is gone drachtio-server refuses and tells
 * nobody; it forgets the dialog when that is a BYE, so that such calls are looked at from time to time.
 */
import type { Clock } from '#src/domain/clock.ts';

/** Between two looks. */
const lookMs = 5_000;

export type StandingLine = {
  /** Of a call that stands; `null` of one that is not answered, or ending. */
  dialogId(): string | null;
  /** That of the person with whom its other party talks; `null` where there is none. */
  secondDialogId(): string | null;
  /** Who is rung for its other party is lost with the connection. */
  loseSecond(): void;
  /** Those with the media server, of both legs; empty where there are none. */
  channelDialogIds(): readonly string[];
  /** Nobody knows any more what becomes of the call. */
  lose(): void;
  /** The far end has hung up without a word to us. */
  endSilently(): void;
  /** The person with whom its other party talks has hung up without a word to us. */
  endSecondSilently(): void;
};

export const createLostSignalling = <Line extends StandingLine>(options: {
  lines: ReadonlySet<Line>;
  /** Rejects when there is no answer. */
  dialogStands: (dialogId: string) => Promise<boolean>;
  comeBackMs: number;
  clock: Clock;
}) => {
  const { lines, dialogStands, comeBackMs, clock } = options;
  /** Their dialogs are of a connection that is gone. */
  const outlasting = new Set<Line>();
  let timer: unknown;
  /** Counts the connections: a look of an earlier one says nothing. */
  let connections = 0;

  const ask = async (line: Line, onGone: (line: Line) => void, asking: number): Promise<void> => {
    const dialogId = line.dialogId();
    if (dialogId === null) return void outlasting.delete(line);
    const secondId = line.secondDialogId();
    let stand: [boolean, boolean];
    try {
      stand = await Promise.all([dialogStands(dialogId), secondId === null || dialogStands(secondId)]);
    } catch {
      // It is asked again, now or over the next connection.
      return;
    }
    const [stands, secondStands] = stand;
    if ((stands && secondStands) || asking !== connections || !outlasting.delete(line)) return;
    if (stands) line.endSecondSilently();
    else onGone(line);
  };

  const look = async (onGone: (line: Line) => void): Promise<void> => {
    const asking = connections;
    await Promise.all([...outlasting].map((line) => ask(line, onGone, asking)));
    if (asking === connections && outlasting.size > 0) lookLater();
  };

  const lookLater = (): void => {
    timer = clock.setTimeout(() => void look((line) => line.endSilently()), lookMs);
  };

  /** The relay tells who acts in a dialog what is said in it, and ends those in which nobody does. */
  const claimChannels = (line: Line): void => {
    // Where one is gone, or nobody answers, the sound of the call tells.
    for (const dialogId of line.channelDialogIds()) dialogStands(dialogId).catch(() => {});
  };

  return {
    lost(): void {
      connections += 1;
      clock.clearTimeout(timer);
      for (const line of lines) {
        line.loseSecond();
        if (line.dialogId() === null) line.lose();
        else outlasting.add(line);
      }
      timer = clock.setTimeout(() => {
        for (const line of outlasting) line.lose();
        outlasting.clear();
      }, comeBackMs);
    },
    connected(): void {
      connections += 1;
      clock.clearTimeout(timer);
      for (const line of outlasting) claimChannels(line);
      void look((line) => line.lose());
    },
    /** A call that another process has left: its dialog is of that one's connection. */
    adopted(line: Line): void {
      const isFirst = outlasting.size === 0;
      outlasting.add(line);
      if (isFirst) lookLater();
    },
    close(): void {
      connections += 1;
      clock.clearTimeout(timer);
      outlasting.clear();
    },
  };
};
