/**
 * Runs one Chromium for a whole test run, in a process of its own: `node browser-process.ts <JSON launch options>`.
 * Writes the address of the browser to stdout. Ends with its stdin, so with the process that started it, even a killed one.
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
