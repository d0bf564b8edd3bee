/** Records a tone of a call into a folder, faster than real time, until it is killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRecorder } from '#src/recordings/recorder.ts';
import { createRecordingFolder } from '#src/recordings/recording-folder.ts';
import { tone } from './tone.ts';

const [folder = '', callId = '', node = ''] = process.argv.slice(2);
const recorder = createRecorder(
  () => createRecordingFolder(folder).parts.create({ callId, fromMs: 0, node }),
  () => {},
);
// The next part begins later, however late the process is killed.
for (let second = 0; ; second += 1) {
  if (second < 30) recorder.write(tone(1, 440), tone(1, 880));
  await sleep(20);
}
