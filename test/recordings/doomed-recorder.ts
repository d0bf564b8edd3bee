/** Records a tone into a file, faster than real time, until it is killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createEncoders } from '#src/recordings/encoder.ts';
import { createRecorder } from '#src/recordings/recorder.ts';
import { openRecordingFile } from '#src/recordings/recording-file.ts';
import { tone } from './tone.ts';

const [path = ''] = process.argv.slice(2);
const newEncoder = createEncoders(path.endsWith('.mp3') ? 'mp3' : 'ogg');
const recorder = createRecorder(
  () => openRecordingFile(path, newEncoder),
  () => {},
);
for (;;) {
  recorder.write(tone(1, 440), tone(1, 880));
  await sleep(20);
}
