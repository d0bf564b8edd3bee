/** Records ten minutes of a tone into a folder whose disk may be too small for them, and prints the outcome. */
import pino from 'pino';
import { createRecorders } from '#src/recordings/recorders.ts';
import { createRecordingFolder } from '#src/recordings/recording-folder.ts';
import { tone } from './tone.ts';

const [folder = '', callId = ''] = process.argv.slice(2);
let isOver = false;
const recorders = createRecorders({
  createPart: createRecordingFolder(folder).parts.create,
  async make(made) {
    isOver = true;
    process.stdout.write(`${JSON.stringify({ made })}\n`);
  },
  node: 'test',
  logger: pino({ base: null }, process.stderr),
});
const recorder = recorders.begin(callId);
for (let second = 0; second < 600 && !isOver; second += 1) {
  recorder.write(tone(1, 440), tone(1, 880));
  await recorder.drained();
}
recorder.finish();
await recorders.close();
