/** AVA's shared worker that runs the process that starts the programs of a test run. */
import { join } from 'node:path';
import { processWorker } from '#test/helpers/shared-process/process-worker.ts';

export default processWorker(join(import.meta.dirname, 'programs-process.ts'));
