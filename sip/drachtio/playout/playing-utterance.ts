/**
 * One utterance on its way to the far end: sent as it is made, then a breath and a mark; it was played when the mark comes
 * back, and not too early.
 */
import type { Logger } from 'pino';
import { joinSamples } from '#src/domain/samples.ts';
import { createAlarm, type LineTime } from '../../line-time.ts';
import { silence } from '../../samples.ts';
import { heardAfter, sayingTime } from '../../voice.ts';
import type { SoundPath } from '../../media/endpoint.ts';
import { pushMs } from './flush.ts';
import { createPlayoutClock } from './playout-clock.ts';
import type { Utterance } from './utterance.ts';

/** mod_audio_fork plays nothing before so much has come in. */
export const leastMs = 160;
/** Silence behind each utterance: a breath between sentences, and what a jitter buffer still holds at the end. */
const breathMs = 120;
const breathAfterMs = 60;
/** A mark that comes back so much too early says that sound lies waiting. */
const earlyMs = 100;
const maxPushes = 10;
/** From sending a sample to hearing it at the far end. */
const latencyMs = 40;
/** A mark that does not come back so long after the sound was played is given up. */
const lostMarkMs = 3_000;

/** An utterance that has left the line. `startedAt` is wall-clock. */
export type Played = { utterance: number; text: string; startedAt: number; whole: boolean };

export type PlayingUtterance = {
  readonly made: Utterance;
  /** Sends what was made meanwhile, and a moment after the last of it the breath. */
  sendOn(): void;
  /** False when the mark is not the one behind this utterance. */
  onMark(name: string): boolean;
  /** Ends it before its time; what was heard of it is known by the clock. */
  cut(): Played;
  /** How loud it was at most lately, in dB below full scale. */
  level(): number;
};

export type PlayingOptions = {
  fork: Pick<SoundPath, 'send' | 'mark'>;
  time: LineTime;
  nextMark: () => string;
  on: {
    sent: (samples: Int16Array) => void;
    played: (played: Played) => void;
  };
  logger: Logger;
};

export const playUtterance = (made: Utterance, options: PlayingOptions): PlayingUtterance => {
  const { fork, time, nextMark, on, logger } = options;
  const { utterance, text } = made;
  const startedAt = time.now();
  const playoutClock = createPlayoutClock(time.now);
  /** `null` until everything was sent. */
  let mark: string | null = null;
  let pushes = 0;
  /** Of the breath, then of a mark that does not come back. */
  const alarm = createAlarm(time);

  const markEnd = (): void => {
    mark = nextMark();
    fork.mark(mark);
  };

  const finish = (): void => {
    alarm.cancel();
    const heard = made.state === 'broken off' ? heardAfter(text, playoutClock.totalMs()) : text;
    on.played({ utterance, text: heard, startedAt, whole: true });
  };

  const breathe = (): void => {
    const ms = Math.max(breathMs, leastMs - playoutClock.totalMs());
    fork.send(silence(ms));
    playoutClock.addSilence(ms);
    markEnd();
    alarm.set(playoutClock.endsAt() - time.now() + lostMarkMs, () => {
      logger.warn({ utterance }, 'FreeSWITCH did not report that an utterance was played');
      finish();
    });
  };

  return {
    made,
    sendOn() {
      const samples = joinSamples(made.pieces.splice(0));
      if (samples.length > 0) {
        fork.send(samples);
        playoutClock.add(samples);
        on.sent(samples);
      }
      if (made.state !== 'coming') alarm.set(breathAfterMs, breathe);
    },
    onMark(name) {
      if (name !== mark) return false;
      const isEarly = time.now() < playoutClock.endsAt() - earlyMs;
      if (!isEarly || pushes === maxPushes) finish();
      else {
        pushes += 1;
        logger.debug({ utterance }, 'sound lay waiting in FreeSWITCH and is pushed on');
        fork.send(silence(pushMs));
        markEnd();
      }
      return true;
    },
    cut() {
      alarm.cancel();
      made.abort();
      // The text has its rhythm, the voice its pace: the share of the sound is taken as the share of the text's time.
      // How long a voice gets that is still being made, the text must tell.
      const total = playoutClock.totalMs();
      const expected = made.state === 'whole' ? total : Math.max(total, sayingTime(text));
      const share = playoutClock.soundedMs(time.now() - latencyMs) / expected;
      const heard = share >= 1 ? text : heardAfter(text, sayingTime(text) * share);
      return { utterance, text: heard, startedAt, whole: heard === text };
    },
    level: () => playoutClock.levelAt(time.now()),
  };
};
