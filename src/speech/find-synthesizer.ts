import { isInstalled } from './run-program.ts';

const programs = ['espeak-ng', 'flite'] as const;

/**
 * Returns the preferred program among those that are installed on this machine; null if there is none. `path` is the
 * search path for programs.
 */
export const findSynthesizer = async (path: string): Promise<(typeof programs)[number] | null> => {
  for (const program of programs) if (await isInstalled(program, path)) return program;
  return null;
};
