/**
 * Messages between the model's thread and the main thread. Both sides belong to this program, so the messages are not
 * validated.
 */
export type ModelFiles = {
  /** Package or module of ONNX Runtime. */
  runtime: string;
  /** Path of the model file. */
  path: string;
};

export type ToModelThread = { question: number; samples: Int16Array; sampleRate: number };

export type FromModelThread =
  | { type: 'ready' }
  /** The thread cannot start. `problem` is a sentence for the operator. */
  | { type: 'unfit'; problem: string }
  /** Answer to a question; `null` if the model gave none. */
  | { type: 'answer'; question: number; probability: number | null };
