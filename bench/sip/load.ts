/** Places calls by sipp at a given rate. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownPort } from '#test/helpers/own-port.ts';

const scenarioOf = (name: 'calling' | 'talking'): string =>
  fileURLToPath(new URL(`${name}.xml`, import.meta.url));

export type Load = {
  /** SIP port of the tested system. */
  sipPort: number;
  /** Source port of these calls: the address of a trunk. */
  localPort: number;
  number: string;
  callsPerSecond: number;
  calls: number;
  /** Duration of each call. */
  callMs: number;
  /** Sends `talking.ul` of the folder repeatedly (PCMU without a header); otherwise sends no audio. */
  isTalking?: boolean;
};

export type LoadResult = {
  failed: number;
  /** Time from the INVITE to the answer of each answered call. */
  answerMs: number[];
};

/** `folder` receives sipp's files. Resolves when every call is over; failed calls are counted, not thrown. */
export const placeLoad = async (folder: string, load: Load): Promise<LoadResult> => {
  const mediaPort = await ownPort();
  const name = `load-${load.localPort}-${Date.now()}`;
  const child = spawn(
    'sipp',
    [
      [
        `127.0.0.1:${load.sipPort}`,
        '-sf',
        scenarioOf(load.isTalking === true ? 'talking' : 'calling'),
        '-i',
        '127.0.0.1',
        '-p',
        String(load.localPort),
      ],
      ['-mp', String(mediaPort), '-nostdin', '-key', 'number', load.number],
      ['-r', String(load.callsPerSecond), '-m', String(load.calls), '-l', '2000', '-d', String(load.callMs)],
      [
        '-recv_timeout',
        '10000',
        '-trace_rtt',
        '-rtt_freq',
        '1',
        '-trace_stat',
        '-stf',
        join(folder, `${name}.csv`),
      ],
    ].flat(),
    { cwd: folder, stdio: 'ignore' },
  );
  await once(child, 'exit');
  const files = await readdir(folder);
  const times = files.find((file) => file.endsWith(`_${child.pid}_rtt.csv`));
  const rows =
    times === undefined ? [] : (await readFile(join(folder, times), 'utf8')).trim().split('\n').slice(1);
  const answerMs = rows.map((row) => Number(row.split(';')[1]));
  return { failed: load.calls - answerMs.length, answerMs };
};
