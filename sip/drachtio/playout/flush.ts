/** How FreeSWITCH is made to forget all sound that was sent to it; until that is done nothing new may be sent. */
import type { Cancel, LineTime } from '../../line-time.ts';
import type { SoundPath } from '../../media/endpoint.ts';
import { silence } from '../../samples.ts';

/** The least that pushes on what lies waiting. */
export const pushMs = 80;
/** A mark that does not come back within this is given up. */
const lostMarkMs = 1_000;

export type Flush = {
  isUnderWay(): boolean;
  begin(fork: Pick<SoundPath, 'send' | 'mark' | 'kill'>): void;
  onMark(name: string): void;
  /** Waits for nothing any more. */
  stop(): void;
};

export const createFlush = (options: {
  time: LineTime;
  nextMark: () => string;
  onDone: () => void;
}): Flush => {
  const { time, nextMark, onDone } = options;
  /** `again`: the second `kill` is still to come. */
  let waiting: { mark: string; again: (() => void) | null; cancelTimer: Cancel } | null = null;

  const done = (): void => {
    waiting?.cancelTimer();
    waiting = null;
    onDone();
  };

  const kill = (fork: Pick<SoundPath, 'mark' | 'kill'>, again: (() => void) | null): void => {
    waiting?.cancelTimer();
    const mark = nextMark();
    waiting = { mark, again, cancelTimer: time.after(lostMarkMs, done) };
    fork.mark(mark);
    fork.kill();
  };

  return {
    isUnderWay: () => waiting !== null,
    begin(fork) {
      kill(fork, () => {
        // Not before the first: a mark that is still out there must not get sound behind it.
        fork.send(silence(pushMs));
        kill(fork, null);
      });
    },
    onMark(name) {
      if (name === waiting?.mark) (waiting.again ?? done)();
    },
    stop: () => waiting?.cancelTimer(),
  };
};
