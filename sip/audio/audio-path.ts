/**
 * Path of the agent's audio in one call to the other party. A carrier provides a ring buffer, from which the media
 * thread sends a frame every 20 ms. The ring holds a second or two of audio; more audio is written when room becomes
 * free. The carrier may replace the ring during the call, even by a ring with another sample rate. Unplayed samples
 * then move to the next ring.
 *
 * Positions are samples at the rate of the call. The number of played samples is exact, because the ring is read at the
 * time of sending.
 */
import type { Cancel, LineTime } from './line-time.ts';
import { createRateChange, type RateChange, type Resample } from './resampler.ts';
import type { SampleRing } from './sample-ring.ts';
import { samplesPerMs, type SampleRate } from './samples.ts';

/** Interface of the path for the call. */
export type AudioPath = {
  /** Appends samples to the samples that were sent before. */
  send(samples: Int16Array): void;
  /** Calls back once all samples sent before have been played. If any of them was taken back, there is no callback. */
  whenPlayed(callback: () => void): void;
  /** Returns the number of samples that were sent and not played yet. */
  waiting(): number;
  /** Takes back the unplayed samples, and returns their number. */
  takeBack(): number;
  close(): void;
};

type Ring = Pick<SampleRing, 'write' | 'waiting' | 'takeBack'>;

/** Interface of the path for the carrier. While there is no ring, samples wait. */
export type CarriedAudioPath = AudioPath & {
  /** Plays unplayed and future samples into this ring. */
  connect(ring: Ring, rate: SampleRate): void;
  /** Removes the ring. Samples that the ring has not played wait for the next ring. */
  disconnect(): void;
};

/** The current ring and its resampler. */
type Output = {
  ring: Ring;
  rate: SampleRate;
  change: RateChange;
  /** Samples at the ring's rate that did not fit into the ring. */
  rest: Int16Array;
};

/** Period of sent frames in milliseconds. The last frame is sent within one period, and is audible within another. */
const beatMs = 20;
/** Time in milliseconds after which half of a full ring is free again, at the highest rate. */
const refillMs = 500;

const nothing = new Int16Array();

/** Creates a path. Without `resample`, every ring must have the rate of the call. */
export const createAudioPath = (
  callRate: SampleRate,
  time: Pick<LineTime, 'after'>,
  resample?: Resample,
): CarriedAudioPath => {
  /** Audio that may not have been played yet. The first sample has the position `piecesFrom`. */
  let pieces: Int16Array[] = [];
  let piecesFrom = 0;
  let sentTo = 0;
  /** Position up to which samples were written to the ring. */
  let givenTo = 0;
  let marks: { at: number; onPlayed: () => void }[] = [];
  let output: Output | null = null;
  let timer: { cancel: Cancel; isRefill: boolean } | null = null;
  let isClosed = false;

  const changeTo = (rate: SampleRate): RateChange => {
    if (rate !== callRate && resample === undefined)
      throw new Error(`This call has ${callRate} samples per second, not ${rate}`);
    return createRateChange(resample ?? ((samples) => samples), callRate, rate);
  };

  const inCall = (samples: number, rate: SampleRate): number => Math.round((samples * callRate) / rate);

  const playedTo = (): number =>
    output === null ? givenTo : givenTo - inCall(output.ring.waiting + output.rest.length, output.rate);

  const forgetPlayed = (): void => {
    const played = playedTo();
    for (let first = pieces[0]; first !== undefined; first = pieces[0]) {
      if (piecesFrom + first.length > played) return;
      piecesFrom += first.length;
      pieces.shift();
    }
  };

  /** Returns the samples from this position to the end of their piece. */
  const pieceAt = (position: number): Int16Array => {
    let from = piecesFrom;
    for (const piece of pieces) {
      if (position < from + piece.length) return piece.subarray(position - from);
      from += piece.length;
    }
    return nothing;
  };

  const fill = (to: Output): void => {
    for (;;) {
      to.rest = to.rest.subarray(to.ring.write(to.rest));
      if (to.rest.length > 0 || givenTo >= sentTo) return;
      const piece = pieceAt(givenTo);
      givenTo += piece.length;
      to.rest = to.change.take(piece);
    }
  };

  const cancelTimer = (): void => {
    timer?.cancel();
    timer = null;
  };

  const wakeAfter = (milliseconds: number, isRefill: boolean): void => {
    if (timer !== null && (timer.isRefill || !isRefill)) return;
    cancelTimer();
    const cancel = time.after(milliseconds, () => {
      timer = null;
      advance();
    });
    timer = { cancel, isRefill };
  };

  /** Fills the ring, and calls back for audio that was played. */
  const advance = (): void => {
    if (output !== null) fill(output);
    const played = playedTo();
    const reached = marks.findIndex(({ at }) => at > played);
    for (const { onPlayed } of marks.splice(0, reached === -1 ? marks.length : reached)) onPlayed();
    forgetPlayed();
    if (output === null) return;
    if (output.rest.length > 0 || givenTo < sentTo) wakeAfter(refillMs, true);
    else if (marks[0] !== undefined)
      wakeAfter((marks[0].at - playedTo()) / samplesPerMs(callRate) + beatMs, false);
  };

  /** Empties the ring. Afterwards, `givenTo` is the position up to which audio was played. */
  const takeFromRing = (): void => {
    cancelTimer();
    if (output === null) return;
    givenTo -= inCall(output.ring.takeBack() + output.rest.length, output.rate);
    output = { ...output, change: changeTo(output.rate), rest: nothing };
  };

  const takeBack = (): number => {
    takeFromRing();
    const unplayed = sentTo - givenTo;
    pieces = [];
    marks = [];
    piecesFrom = sentTo = givenTo;
    return unplayed;
  };

  return {
    send(samples) {
      if (isClosed || samples.length === 0) return;
      pieces.push(samples);
      sentTo += samples.length;
      advance();
    },
    whenPlayed(onPlayed) {
      if (isClosed) return;
      marks.push({ at: sentTo, onPlayed });
      advance();
    },
    waiting: () => sentTo - playedTo(),
    takeBack,
    close() {
      takeBack();
      output = null;
      isClosed = true;
    },
    connect(ring, rate) {
      takeFromRing();
      output = { ring, rate, change: changeTo(rate), rest: nothing };
      advance();
    },
    disconnect() {
      takeFromRing();
      output = null;
      advance();
    },
  };
};
