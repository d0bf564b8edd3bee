import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { readWave, type Wave } from './wave.ts';

/** The audio in a recording's file: the counterparty on the first channel, the agent on the second. */
export const decodeRecording = async (file: Buffer): Promise<Wave> => {
  const sox = spawn('sox', ['-t', 'ogg', '-', '-b', '16', '-t', 'wav', '-'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(sox, 'exit');
  sox.stdin.end(file);
  const wave = await buffer(sox.stdout);
  const [code] = await exited;
  if (code !== 0) throw new Error('sox cannot read the recording');
  return readWave(wave);
};
