/**
 * Removes the databases of a test run when AVA's process has ended: `node database-cleanup.ts <folder> <template>`. The
 * end of standard input is the signal. The program runs in its own session, so that Ctrl-C ends AVA but not this
 * process.
 */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { shutDown } from '#src/persistence/embedded/shut-down.ts';
import { prepareSocketFolder } from '#src/persistence/embedded/socket-folder.ts';
import { runStatement } from './database-statement.ts';

const [, , folder = '', template = ''] = process.argv;

process.stdin.resume();
await once(process.stdin, 'close');

const configured = process.env['GW_TEST_DATABASE_URL'];
if (configured !== undefined && configured !== '') {
  const names = await runStatement(
    configured,
    `select datname from pg_database where datname ~ '^${template}(_|$)'`,
  );
  for (const { datname } of names)
    await runStatement(configured, `drop database if exists ${String(datname)} with (force)`);
} else {
  const server = join(folder, 'postgresql');
  await shutDown(join(server, 'cluster'));
  // The socket folder is outside of `folder` if that path is too long for a socket.
  await rm(await prepareSocketFolder(server), { recursive: true, force: true });
}
await rm(folder, { recursive: true, force: true });
