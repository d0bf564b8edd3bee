/**
 * The messages between the thread of the model and the rest. Both are this program: what comes is not checked again.
 */
export type ModelPlace = {
  /** Which package or module is the runtime. */
  runtime: string;
  /** Of the model's file. */
  path: string;
};

export type ToModelThread = { question: number; samples: Int16Array; sampleRate: number };

export type FromModelThread =
  | { type: 'ready' }
  /** It cannot begin; the sentence is for the operator. */
  | { type: 'unfit'; problem: string }
  /** `null`: it could not say. */
  | { type: 'answer'; question: number; probability: number | null };
