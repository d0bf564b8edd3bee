/** Runs small test files in one process: starting one for each of them costs more than most of them do. */
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { filesTogether, projectRoot } from './files.ts';
import { setRunningFile } from './running-file.ts';

const chain = new URL('chain.ts', import.meta.url).href;

/** `name` is one of the groups of `files.ts`. */
export const runTogether = (name: string): void => {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'ava' && context.parentURL !== chain
        ? { url: chain, format: 'module-typescript', shortCircuit: true }
        : next(specifier, context),
  });
  // The runner begins once the first tests have been told, so that all files are to be read at once: required, not imported.
  const read = createRequire(import.meta.url);
  for (const path of filesTogether(name)) {
    setRunningFile(
      path
        .replace(/^test\//, '')
        .replace(/\.test\.ts$/, '')
        .replaceAll('/', ' › '),
    );
    read(join(projectRoot, path));
  }
};
