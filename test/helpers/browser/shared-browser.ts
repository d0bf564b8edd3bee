/** The Chromium shared by all test files of a run. */
import { registerSharedWorker } from 'ava/plugin';
import { chromium, type Browser } from 'playwright-core';
import { z } from 'zod';
import { anyBrowser, browserFlags } from './chromium.ts';

export { browserFlags, wholeBrowser } from './chromium.ts';

export const hasBrowser = anyBrowser !== undefined;

const answer = z.object({ endpoint: z.string() }).or(z.object({ failed: z.string() }));

const worker = registerSharedWorker({
  filename: new URL('browser-worker.ts', import.meta.url),
  supportedProtocols: ['ava-4'],
  initialData: JSON.stringify({
    executablePath: anyBrowser,
    // Pages that exist for seconds need less processor time without the background threads of V8.
    args: [...browserFlags, '--js-flags=--single-threaded'],
  }),
});

/**
 * Connects this test file to the shared browser. Browser contexts end with the connection in which they were created.
 */
export const connectToBrowser = async (): Promise<Browser> => {
  await worker.available;
  for await (const { data } of worker.publish('connect').replies()) {
    const answered = answer.parse(data);
    if ('failed' in answered) throw new Error(answered.failed);
    return chromium.connect(answered.endpoint);
  }
  throw new Error('The shared worker of the browser has ended.');
};
