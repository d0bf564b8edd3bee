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
  /** Says "Hello, who is there?" when it has answered. */
  | 'talking'
  /** Says "Please wait a moment." over the agent's voice, once. */
  | 'interrupting'
  /** Murmurs a backchannel over the agent's voice, once. */
  | 'murmuring'
  /** Presses 1, 2 and #. */
  | 'dialling'
  /** Presses 1, 2 and # when the agent has pressed them. */
  | 'echoing'
  /** Says "Please leave a message after the tone." when it has answered, beeps and listens. */
  | 'machine'
  /** Hangs up two seconds after it has answered. */
  | 'leaving';

export type LineDriver = {
  open: OpenLine;
  /** The number that reaches such a far end; `null` when this driver has none. */
  numberOf(farEnd: FarEndKind): string | null;
  /** Lets time go by until the condition holds; at most so many milliseconds on the line, then rejects. */
  until(condition: () => boolean, atMostMs?: number): Promise<void>;
  /** Lets so many milliseconds on the line go by. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
};

/** One that notes in which languages the agent has spoken on its line. */
export type NotingDriver = LineDriver & {
  /** In order, when the line is over (BCP 47). */
  spokenIn(): Promise<readonly string[]>;
};
