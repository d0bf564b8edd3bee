/** Runs AVA without the V8 options of this process, which worker threads reject. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

process.execArgv.length = 0;
await import(pathToFileURL(join(dirname(createRequire(import.meta.url).resolve('ava')), 'cli.js')).href);
