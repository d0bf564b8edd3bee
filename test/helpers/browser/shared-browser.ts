/** The Chromium shared by all test files of a run. */
import { registerSharedWorker } from 'ava/plugin';
import { chromium, type Browser } from 'playwright-core';
import { addressFrom } from '#test/helpers/shared-process/process-address.ts';
import { anyBrowser, browserFlags } from './chromium.ts';

export { browserFlags, wholeBrowser } from './chromium.ts';

export const hasBrowser = anyBrowser !== undefined;

const launchOptions = JSON.stringify({
  executablePath: anyBrowser,
  // Pages that exist for seconds need less processor time without the background threads of V8.
  args: [...browserFlags, '--js-flags=--single-threaded'],
});

const parameters: unknown = [launchOptions];

const worker = registerSharedWorker({
  filename: new URL('browser-worker.ts', import.meta.url),
  supportedProtocols: ['ava-4'],
  initialData: parameters,
});

/**
 * Connects this test file to the shared browser. Browser contexts end with the connection in which they were created.
 */
export const connectToBrowser = async (): Promise<Browser> => chromium.connect(await addressFrom(worker));
