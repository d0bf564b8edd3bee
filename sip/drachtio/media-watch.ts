/**
 * Checks the audio of a call periodically. Missing audio is reported while the call lasts; the statistics for the
 * record are available when the call is over.
 */
import type { LineReport, OneWayAudio } from '#machines/line.ts';
import type { MediaStatistics } from '#machines/media-statistics.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createAlarm, type LineTime } from '#sip/audio/line-time.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { within } from '../background-tasks.ts';

/** Interval of the checks in milliseconds, the same as that of RTCP reports (RFC 3550 section 6.2). */
const lookMs = 5_000;
/**
 * Times without packets after which audio counts as missing. The time is shorter for a far end that was never heard,
 * because a far end that was heard may use silence suppression.
 */
const missedAfterMs = { neverHeard: 5_000, heard: 10_000 };
/** Minimum duration of a call that is judged, because in a shorter call the first packet may still be in transit. */
const tellingCallMs = 2_000;
/** Timeout of the media server, after which the end of the call is reported without statistics. */
const measureMs = 1_000;

export type MediaWatch = {
  /** Notes a hold, because a far end that holds the call need not send audio. */
  held(isHeld: boolean): void;
  /** Ends the watch. Resolves with the statistics of the whole call, or with the last known ones. Never rejects. */
  finish(): Promise<MediaStatistics | null>;
};

type Means = {
  time: LineTime;
  clock: Clock;
  report: (report: LineReport) => void;
};

/** Judges missing audio from one check to the next. */
const createJudge = ({ time, report }: Pick<Means, 'time' | 'report'>) => {
  const begunAt = time.now();
  const told = new Set<OneWayAudio>();
  let received = 0;
  let since = begunAt;
  let hold: 'never' | 'now' | 'before' = 'never';

  const tell = (missing: OneWayAudio): void => {
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
    look({ received: { packets }, isHeardThere, isSentThere }: MediaStatistics): void {
      if (packets !== null) take(packets);
      if (hold === 'now') return;
      // No audio is missing if the far end intentionally sends none, as in a speech pause or when it only listens.
      if (isSentThere === false) since = time.now();
      const patienceMs = received === 0 ? missedAfterMs.neverHeard : missedAfterMs.heard;
      if (packets !== null && time.since(since) >= patienceMs) tell('nothing_received');
      if (isHeardThere === false) tell('nothing_delivered');
    },
    /** Judges the audio of the whole call. */
    conclude({ received: { packets }, isSentThere }: MediaStatistics): void {
      const isMissing = packets === 0 && isSentThere !== false && hold === 'never';
      if (isMissing && time.since(begunAt) >= tellingCallMs) tell('nothing_received');
    },
  };
};

export const watchMedia = (endpoint: Pick<MediaEndpoint, 'statistics'>, means: Means): MediaWatch => {
  const { time, clock } = means;
  const judge = createJudge(means);
  let last: MediaStatistics | null = null;
  let isOver = false;

  const measure = async (): Promise<MediaStatistics | null> => {
    try {
      last = (await within(clock, measureMs, 'Measuring the sound', endpoint.statistics())) ?? last;
    } catch {
      // The carrier of the audio is gone, which another module reports.
    }
    return last;
  };

  const look = async (): Promise<void> => {
    const statistics = await measure();
    if (isOver) return;
    if (statistics !== null) judge.look(statistics);
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
      const statistics = await measure();
      if (statistics !== null) judge.conclude(statistics);
      return statistics;
    },
  };
};
