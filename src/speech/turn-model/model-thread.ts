/** Worker thread of the model, which answers one question after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { logMel } from './log-mel.ts';
import type { FromModelThread, ModelFiles, ToModelThread } from './model-thread-messages.ts';
import { modelAudio } from './model-audio.ts';
import { loadModel, type AskModel } from './runtime.ts';

const tell = (message: FromModelThread): void => parentPort?.postMessage(message);

const listen = (ask: AskModel): void => {
  const answer = async ({ question, samples, sampleRate }: ToModelThread): Promise<void> => {
    let probability: number | null = null;
    try {
      probability = await ask(logMel(modelAudio(samples, sampleRate)));
    } finally {
      tell({ type: 'answer', question, probability });
    }
  };
  parentPort?.on('message', (message: ToModelThread) => void answer(message).catch(() => undefined));
};

const { runtime, path }: ModelFiles = workerData;
try {
  listen(await loadModel(runtime, path));
  tell({ type: 'ready' });
} catch (error) {
  tell({ type: 'unfit', problem: error instanceof Error ? error.message : String(error) });
}
