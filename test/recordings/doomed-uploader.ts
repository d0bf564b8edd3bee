/** Records a tone of a call into a folder and uploads it in pieces, until it is killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { z } from 'zod';
import { systemClock } from '#src/clocks.ts';
import { createPartUploads } from '#src/recordings/part-uploads.ts';
import { partName } from '#src/recordings/raw-part.ts';
import { createRecorder } from '#src/recordings/recorder.ts';
import { createRecordingFolder } from '#src/recordings/recording-folder.ts';
import { createS3Store } from '#src/recordings/s3-store.ts';
import { partNumbers } from './part-numbers.ts';
import { tone } from './tone.ts';

const { folder, callId, node, account } = z
  .object({
    folder: z.string(),
    callId: z.string(),
    node: z.string(),
    account: z.object({
      endpoint: z.string(),
      region: z.string(),
      bucket: z.string(),
      accessKey: z.string(),
      secretKey: z.string(),
    }),
  })
  .parse(JSON.parse(process.argv[2] ?? ''));
const uploads = createPartUploads({
  store: createS3Store(account, { connectMs: 60_000, stallMs: 60_000, partBytes: 5_000_000 }),
  prefix: 'kept/',
  numbers: partNumbers,
  clock: systemClock,
  logger: pino({ level: 'silent' }),
});
const { parts } = createRecordingFolder(folder);
const part = { callId, fromMs: 0, node };
const path = parts.pathOf(partName({ ...part, hasEnd: false, isCut: false }));
const recorder = createRecorder(
  async () => uploads.follow(part, path, await parts.create(part)),
  () => {},
);
// The next part begins at 20 seconds.
for (let second = 0; ; second += 1) {
  if (second < 15) recorder.write(tone(1, 440), tone(1, 880));
  await sleep(20);
}
