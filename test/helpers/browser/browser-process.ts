/**
 * Runs one Chromium for a whole test run, in its own process: `node browser-process.ts <JSON launch options>`. Writes
 * the browser's address to stdout. Ends with its stdin, and therefore with the process that started it, even if that is
 * killed.
 */
import { once } from 'node:events';
import { chromium } from 'playwright-core';
import { z } from 'zod';

const options = z
  .object({ executablePath: z.string(), args: z.array(z.string()) })
  .parse(JSON.parse(process.argv[2] ?? ''));

const server = await chromium.launchServer({ ...options, host: '127.0.0.1' });
process.stdin.resume();
const isOver = once(process.stdin, 'end');
process.stdout.write(`${server.wsEndpoint()}\n`);
await isOver;
await server.close();
