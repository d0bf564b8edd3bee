import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownPort } from '#test/helpers/own-port.ts';
import { runServer } from './run-server.ts';
import type { ExampleServer } from './tests-against.ts';

const noTelemetry = { MASTRA_TELEMETRY_DISABLED: '1' };

/** Mastra's server, built as for a deployment. */
export const mastraServer: ExampleServer = {
  name: 'Mastra',
  project: {
    folder: 'mastra',
    build: { program: 'mastra', args: ['build'], environment: noTelemetry },
  },
  async start(prepared) {
    const ownFolder = await mkdtemp(join(tmpdir(), 'trunkline-mastra-'));
    const port = await ownPort();
    return runServer({
      ownFolder,
      workingFolder: ownFolder,
      args: [join(prepared, 'mastra/.mastra/output/index.mjs')],
      environment: { ...noTelemetry, PORT: String(port) },
      port,
      health: '/api/agents',
    });
  },
};
