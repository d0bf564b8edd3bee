/**
 * Looks now and then how the sound of a call goes. Where it goes one way alone, that is told while it happens; when the
 * call is over, what its record says of the sound is known.
 */
import type { LineReport, OneWaySound } from '#machines/line.ts';
import type { SoundFigures } from '#machines/sound-figures.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createAlarm, type LineTime } from '../line-time.ts';
import type { MediaEndpoint } from '../media/media-endpoint.ts';
import { within } from './background-tasks.ts';

/** Between two looks: as often as telephones report (RFC 3550 section 6.2). */
const lookMs = 5_000;
/** Who was never heard is missed soon. Who was heard may be one of those that send nothing while nobody speaks. */
const missedAfterMs = { neverHeard: 5_000, heard: 10_000 };
/** Of a shorter call nothing can be said: the first packet may have been on its way. */
const tellingCallMs = 2_000;
/** A media server that takes longer is not waited for: the end of the call is told without figures. */
const measureMs = 1_000;

export type SoundWatch = {
  /** Nothing is expected from who holds the call. */
  held(isHeld: boolean): void;
  /** Ends the watch. Resolves with the figures of the whole call, or the last that were known; never rejects. */
  finish(): Promise<SoundFigures | null>;
};

type Means = {
  time: LineTime;
  clock: Clock;
  report: (report: LineReport) => void;
};

/** Judges what is missed, from one look to the next. */
const createJudge = ({ time, report }: Pick<Means, 'time' | 'report'>) => {
  const begunAt = time.now();
  const told = new Set<OneWaySound>();
  let received = 0;
  let since = begunAt;
  let hold: 'never' | 'now' | 'before' = 'never';

  const tell = (missing: OneWaySound): void => {
    if (told.has(missing)) return;
    told.add(missing);
    report({ type: 'line.one_way', missing });
  };

  const take = (packets: number): void => {
    if (packets === received && hold !== 'now') return;
    received = packets;
    since = time.now();
  };

  return {
    held(isHeld: boolean): void {
      if (isHeld) hold = 'now';
      else if (hold === 'now') hold = 'before';
      since = time.now();
    },
    look({ received: { packets }, isHeardThere, isSentThere }: SoundFigures): void {
      if (packets !== null) take(packets);
      if (hold === 'now') return;
      // Nothing is missing of who sends nothing: in a pause of speech, or because it only listens.
      if (isSentThere === false) since = time.now();
      const patienceMs = received === 0 ? missedAfterMs.neverHeard : missedAfterMs.heard;
      if (packets !== null && time.since(since) >= patienceMs) tell('nothing_received');
      if (isHeardThere === false) tell('nothing_delivered');
    },
    /** Of the whole call. */
    conclude({ received: { packets }, isSentThere }: SoundFigures): void {
      const isMissing = packets === 0 && isSentThere !== false && hold === 'never';
      if (isMissing && time.since(begunAt) >= tellingCallMs) tell('nothing_received');
    },
  };
};

export const watchSound = (endpoint: Pick<MediaEndpoint, 'figures'>, means: Means): SoundWatch => {
  const { time, clock } = means;
  const judge = createJudge(means);
  let last: SoundFigures | null = null;
  let isOver = false;

  const measure = async (): Promise<SoundFigures | null> => {
    try {
      last = (await within(clock, measureMs, 'Measuring the sound', endpoint.figures())) ?? last;
    } catch {
      // Whoever carries the sound is gone, and tells so by itself.
    }
    return last;
  };

  const look = async (): Promise<void> => {
    const figures = await measure();
    if (isOver) return;
    if (figures !== null) judge.look(figures);
    lookLater();
  };

  const alarm = createAlarm(time);
  const lookLater = (): void => alarm.set(lookMs, () => void look());
  lookLater();

  return {
    held: judge.held,
    async finish() {
      isOver = true;
      alarm.cancel();
      const figures = await measure();
      if (figures !== null) judge.conclude(figures);
      return figures;
    },
  };
};
