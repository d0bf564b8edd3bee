import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownPort } from '#test/helpers/own-port.ts';
import { copySources } from './prepare-project.ts';
import { runServer } from './run-server.ts';
import type { ExampleServer } from './tests-against.ts';

const folder = 'langgraph';

/** LangGraph's in-memory API server. */
export const langgraphServer: ExampleServer = {
  name: 'LangGraph',
  project: { folder },
  async start(prepared) {
    // The server stores its threads in the folder of the project, so each run has one of its own.
    const ownFolder = await mkdtemp(join(tmpdir(), 'trunkline-langgraph-'));
    copySources(folder, ownFolder);
    const project = join(ownFolder, folder);
    await symlink(join(prepared, folder, 'node_modules'), join(project, 'node_modules'));
    const port = await ownPort();
    return runServer({
      ownFolder,
      workingFolder: project,
      args: [
        ['node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs', 'dev', '--no-browser', '--no-reload'],
        ['--host', '127.0.0.1', '--port', String(port)],
      ].flat(),
      environment: {
        LANGSMITH_TRACING: 'false',
        LANGCHAIN_TRACING_V2: 'false',
        LANGGRAPH_CLI_NO_ANALYTICS: '1',
      },
      port,
      health: '/ok',
    });
  },
};
