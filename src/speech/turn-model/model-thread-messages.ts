/** Messages between the model's thread and the main thread. Both sides are this program, so they are not validated. */
export type ModelFiles = {
  /** Package or module of the runtime. */
  runtime: string;
  /** Path of the model's file. */
  path: string;
};

export type ToModelThread = { question: number; samples: Int16Array; sampleRate: number };

export type FromModelThread =
  | { type: 'ready' }
  /** The thread cannot start; the sentence is for the operator. */
  | { type: 'unfit'; problem: string }
  /** `null`: no answer. */
  | { type: 'answer'; question: number; probability: number | null };
