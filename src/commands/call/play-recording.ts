/** Plays a recording with an installed player. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Players for Ogg and MP3 that open no window and exit at the end of the file. */
const players: readonly (readonly [string, ...string[]])[] = [
  ['ffplay', '-nodisp', '-autoexit', '-loglevel', 'error'],
  ['mpv', '--no-video', '--really-quiet'],
  ['vlc', '--intf', 'dummy', '--quiet', '--play-and-exit'],
  ['play', '-q'],
];

export const playerNames = players.map(([name]) => name).join(', ');

type PlayOptions = { environment: NodeJS.ProcessEnv; onStart: (player: string) => void };

/** Resolves to false if this player is not installed. */
const playWith = async (
  [name, ...options]: readonly [string, ...string[]],
  file: string,
  { environment, onStart }: PlayOptions,
): Promise<boolean> => {
  const child = spawn(name, [...options, file], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  child.once('spawn', () => onStart(name));
  try {
    await once(child, 'exit');
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
};

/** Plays a recording and then removes its file. Resolves to false without an installed player. */
export const playRecording = async (recording: Response, options: PlayOptions): Promise<boolean> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-call-'));
  try {
    const isMp3 = recording.headers.get('content-type') === 'audio/mpeg';
    const file = join(folder, isMp3 ? 'call.mp3' : 'call.ogg');
    await writeFile(file, await recording.bytes(), { mode: 0o600 });
    for (const player of players) if (await playWith(player, file, options)) return true;
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
