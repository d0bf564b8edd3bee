import test from 'ava';
import { PackagesMissing, prepareProject, type Project } from './prepare-project.ts';
import type { RealAgentServer } from './run-server.ts';

/** A third-party server from npm, with one of the project's examples. */
export type ExampleServer = {
  name: string;
  project: Project;
  /** `prepared` is what `prepareProject` returned. */
  start(prepared: string): Promise<RealAgentServer>;
};

const prepare = (project: Project): string | undefined => {
  try {
    return prepareProject(project);
  } catch (error) {
    if (!(error instanceof PackagesMissing)) throw error;
    console.error(error.message);
    return undefined;
  }
};

/**
 * Declares tests against this server, which runs during them. If its packages cannot be installed, one skipped test is
 * declared instead.
 */
export const testsAgainst = (
  { name, project, start }: ExampleServer,
  declare: (server: () => RealAgentServer) => void,
): void => {
  const prepared = prepare(project);
  if (prepared === undefined) {
    test.skip(`calls through a ${name} server: NOT RUN, because npm could not install it`, (t) => t.pass());
    return;
  }
  let server: RealAgentServer | undefined;
  test.before(async () => {
    server = await start(prepared);
  });
  test.after.always(() => server?.close());
  declare(() => {
    if (server === undefined) throw new Error('The server is not running');
    return server;
  });
};
