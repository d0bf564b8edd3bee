import type { OpenLine } from '#machines/line.ts';

/** The far ends that a line may have. */
export type FarEndKind =
  /** Rings for a moment, answers and stays silent. */
  | 'silent'
  /** Rings and is never answered. */
  | 'unattended'
  | 'busy'
  | 'declining'
  | 'unreachable'
  /** Speaks "Hello, who is there?" when it has answered. */
  | 'talking'
  /** Speaks "Please wait a moment." over the agent's voice, once. */
  | 'interrupting'
  /** Murmurs a backchannel over the agent's voice, once. */
  | 'murmuring'
  /** Presses 1, 2 and #. */
  | 'dialling'
  /** A far end that presses 1, 2 and # after the agent has pressed these keys. */
  | 'echoing'
  /** Speaks "Please leave a message after the tone." when it has answered, beeps and listens. */
  | 'machine'
  /** Hangs up two seconds after it has answered. */
  | 'leaving';

export type LineDriver = {
  open: OpenLine;
  /** The number that reaches such a far end; `null` if this driver has none. */
  numberOf(farEnd: FarEndKind): string | null;
  /** Advances the line's clock until the condition holds; rejects after this many milliseconds. */
  until(condition: () => boolean, atMostMs?: number): Promise<void>;
  /** Advances the line's clock by this many milliseconds. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
};

/** A voice that records its languages on this line. */
export type NotingDriver = LineDriver & {
  /** Languages of the utterances in order, at the end of the line (BCP 47). */
  spokenIn(): Promise<readonly string[]>;
};
