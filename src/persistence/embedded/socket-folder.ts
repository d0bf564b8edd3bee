/** Folder of the server's unix socket, the only address of the embedded database. */
import { createServer, connect, type Server } from 'node:net';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '#src/domain/start-error.ts';

/**
 * Maximum length of the folder's path. A socket path is limited to 104 bytes on macOS and 108 on Linux, and the
 * socket's own name needs 14 of them.
 */
const longestFolderBytes = 85;

/** Port number of the server, which without TCP is only part of the socket's name. */
export const postgresPort = 5432;

export const socketFile = (socketFolder: string): string => join(socketFolder, `.s.PGSQL.${postgresPort}`);

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};

/**
 * Returns the folder of the socket: one inside `folder` or, if that path is too long for a socket, a short temporary
 * folder whose path is stored in `folder`.
 */
export const prepareSocketFolder = async (folder: string): Promise<string> => {
  const inside = join(folder, 'socket');
  if (Buffer.byteLength(inside) <= longestFolderBytes) {
    await mkdir(inside, { recursive: true, mode: 0o700 });
    return inside;
  }
  const note = join(folder, 'socket-folder');
  const remembered = await readFile(note, 'utf8').catch(() => '');
  if (remembered !== '' && (await isFolder(remembered))) return remembered;
  const temporary = await mkdtemp(join(tmpdir(), 'trunkline-'));
  await writeFile(note, temporary);
  return temporary;
};

/** Whether a process accepts connections at a socket. */
export const answersAt = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/** Name of the socket at which the owner of the data folder listens. */
export const ownerSocket = (socketFolder: string): string => join(socketFolder, 'owner');

/**
 * Makes this process the owner of the data folder by listening at an exclusive socket. The kernel closes the socket
 * when the process ends for any reason. Throws a StartError if another process is the owner.
 */
export const takeOwnership = async (socketFolder: string, dataFolder: string): Promise<Server> => {
  const path = ownerSocket(socketFolder);
  if (await answersAt(path)) {
    throw new StartError(
      `Another gateway uses the data folder ${dataFolder}: stop it, or give this one its own (GW_DATA_DIR)`,
    );
  }
  await rm(path, { force: true });
  const server = createServer((socket) => socket.destroy());
  server.listen(path);
  await once(server, 'listening');
  return server.unref();
};
