/** Recordings without audio: encoding costs more processor time than the rest of a simulated call. */
import { encodeParts } from '#src/recordings/encode-parts.ts';
import type { createEncoding } from '#src/recordings/encoding.ts';

const encoded = new TextEncoder().encode('OggS: the audio of a call');

const countingEncoder = async () => ({ encode: () => new Uint8Array(), finish: () => encoded });

export const openQuickEncoding: typeof createEncoding = () => ({
  encode: (job) => encodeParts(job, countingEncoder),
  async close(work) {
    await work;
  },
});
