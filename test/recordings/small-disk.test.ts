/** A disk that becomes full while a call is recorded: no file of the process may grow further. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';
import { secondsOf } from './pieces.ts';

const run = promisify(execFile);
const recorder = fileURLToPath(new URL('small-disk-recorder.ts', import.meta.url));

const kept = z.object({
  kept: z.object({ file: z.string(), durationSec: z.number(), bytes: z.number(), truncated: z.boolean() }),
});

/** Records where no file may be larger than so many blocks of 512 bytes. */
const recordWithin = async (folder: string, callId: string, format: 'ogg' | 'mp3', blocks: number) => {
  const script = `ulimit -f ${blocks}; exec "$0" "$@"`;
  const command = ['-c', script, process.execPath, recorder, folder, callId, format];
  const { stdout, stderr } = await run('sh', command);
  return { told: stdout.trimEnd().split('\n'), logged: stderr };
};

const emptyFolder = async (onEnd: (remove: () => Promise<void>) => void): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-recordings-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

for (const format of ['ogg', 'mp3'] as const) {
  test(`of a call that the disk has no room for, what was written is kept: ${format}`, async (t) => {
    const folder = await emptyFolder(t.teardown.bind(t));
    const callId = randomUUID();
    const { told, logged } = await recordWithin(folder, callId, format, 200);
    t.is(told.length, 1);
    const { kept: recording } = kept.parse(JSON.parse(told[0] ?? ''));
    t.true(recording.truncated);
    t.regex(recording.file, new RegExp(`${callId}.truncated.${format}$`));
    const bytes = await readFile(join(folder, recording.file));
    t.is(bytes.length, recording.bytes);
    t.true(bytes.length > 50_000 && bytes.length <= 200 * 512);
    t.true(Math.abs((await secondsOf(format, bytes)) - recording.durationSec) < 0.15);
    t.true(recording.durationSec > 5);
    t.regex(logged, /could not be written to its end; what there is of it is kept/);
  });
}

test('where the disk has no room for any sound the recording fails, and leaves nothing', async (t) => {
  const folder = await emptyFolder(t.teardown.bind(t));
  const callId = randomUUID();
  const { told, logged } = await recordWithin(folder, callId, 'ogg', 1);
  t.deepEqual(told, [JSON.stringify({ failed: callId })]);
  t.regex(logged, /a recording failed/);
  const files = await readdir(folder, { recursive: true });
  t.deepEqual(
    files.filter((name) => name.includes('.')),
    [],
  );
});
