import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { StartError } from '#src/domain/start-error.ts';
import { answersAt, ownerSocket, prepareSocketFolder } from './socket-folder.ts';
import { connectionAt, startEmbedded, type EmbeddedDatabase } from './start-embedded.ts';

/**
 * Opens the embedded database for a command beside the gateway: uses the running gateway's server or starts one
 * temporarily. No cluster is created. Throws a StartError.
 */
export const visitEmbedded = async (options: {
  dataFolder: string;
  logger: Logger;
}): Promise<Pick<EmbeddedDatabase, 'connection' | 'stop'>> => {
  const folder = join(options.dataFolder, 'postgresql');
  try {
    await access(join(folder, 'cluster', 'PG_VERSION'));
  } catch (cause) {
    throw new StartError(
      `there is no database in ${options.dataFolder}: start the gateway once, or say where it is (GW_DATA_DIR, or GW_DATABASE_URL)`,
      { cause },
    );
  }
  const socketFolder = await prepareSocketFolder(folder);
  if (!(await answersAt(ownerSocket(socketFolder)))) return startEmbedded(options);
  return { connection: connectionAt(socketFolder), stop: async () => {} };
};
