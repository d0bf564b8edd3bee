import { StartError } from '#src/domain/start-error.ts';

const explanations: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it is not a folder',
  ENOENT: 'it does not exist and cannot be made',
  EEXIST: 'it is not a folder',
};

const textOf = (error: unknown): string => {
  if (typeof error === 'string') return error;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // The last output of a PostgreSQL program is more precise than "Command failed".
  const output = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '';
  if (code === 'ENOSPC' || output.includes('No space left on device')) return 'the disk is full';
  const lastLine = output
    .trim()
    .split('\n')
    .findLast((line) => /error|fatal/i.test(line));
  return explanations[code] ?? lastLine ?? error.message.replaceAll(/\s+/g, ' ');
};

/** Reason why the embedded database cannot use the data folder, in one line. */
export const folderError = (dataFolder: string, error: unknown): StartError =>
  new StartError(
    `The embedded database cannot use the data folder ${dataFolder} (GW_DATA_DIR): ${textOf(error)}`,
    {
      cause: error,
    },
  );
