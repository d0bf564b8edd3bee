/** Worker thread that encodes recordings, one after the other (`encoding.ts`). */
import { parentPort } from 'node:worker_threads';
import { encodeParts, type Encoded, type EncodingJob } from './encode-parts.ts';
import { createEncoders } from './encoder.ts';

export type FromEncodingThread = { type: 'encoded'; encoded: Encoded } | { type: 'failed'; error: unknown };

const encoders = { ogg: createEncoders('ogg'), mp3: createEncoders('mp3') };

const encode = async (job: EncodingJob): Promise<FromEncodingThread> => {
  try {
    return { type: 'encoded', encoded: await encodeParts(job, encoders[job.format]) };
  } catch (error) {
    return { type: 'failed', error };
  }
};

const port = parentPort;
if (port === null) throw new Error('This module runs in a worker thread');
port.on('message', (job: EncodingJob) => {
  void encode(job).then((message) => port.postMessage(message));
});
