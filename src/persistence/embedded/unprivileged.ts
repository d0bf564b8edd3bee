/**
 * Runs PostgreSQL as an unprivileged user, because PostgreSQL refuses to run as root. If the gateway runs as root,
 * PostgreSQL runs as user nobody in a user namespace, in which root keeps the files. If namespaces are not allowed
 * (many containers), PostgreSQL runs as the real user nobody, who must then own the files.
 */
import { execFile } from 'node:child_process';
import { chmod, chown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export type Unprivileged = {
  /** Returns the command line that runs a program as this user. */
  command(program: string, parameters: readonly string[]): [string, string[]];
  /** User options of `child_process`. */
  user: { uid?: number; gid?: number };
  /** Changes the owner of a folder and its content to the user. */
  handOver(folder: string): Promise<void>;
};

const nobody = 65_534;
const namespace = ['--user', `--map-user=${nobody}`, `--map-group=${nobody}`];

const asOneself: Unprivileged = {
  command: (program, parameters) => [program, [...parameters]],
  user: {},
  handOver: () => Promise.resolve(),
};

const inNamespace: Unprivileged = {
  ...asOneself,
  command: (program, parameters) => ['unshare', [...namespace, program, ...parameters]],
};

const chownTree = async (folder: string): Promise<void> => {
  for (const entry of await readdir(folder, { recursive: true }))
    await chown(join(folder, entry), nobody, nobody);
  await chown(folder, nobody, nobody);
};

const asNobody: Unprivileged = {
  ...asOneself,
  user: { uid: nobody, gid: nobody },
  async handOver(folder) {
    await chownTree(folder);
    const parent = dirname(folder);
    // The user nobody needs execute permission on the data folder, but no read permission.
    await chmod(parent, (await stat(parent)).mode | 0o011);
  },
};

/** Chooses the user. If `folder` already belongs to nobody from an earlier start, its owner is unchanged. */
export const chooseUnprivileged = async (folder: string): Promise<Unprivileged> => {
  if (process.getuid?.() !== 0) return asOneself;
  if ((await stat(folder)).uid === nobody) return asNobody;
  try {
    await promisify(execFile)('unshare', [...namespace, 'true']);
    return inNamespace;
  } catch {
    return asNobody;
  }
};
