/** The Chromium shared by all test files of a run. */
import { existsSync } from 'node:fs';
import { registerSharedWorker } from 'ava/plugin';
import { chromium, type Browser } from 'playwright-core';
import { z } from 'zod';

const wholeBrowsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];

const findBrowser = (...paths: string[]): string | undefined => paths.find((path) => existsSync(path));

/** Chromium's headless shell has no windows and needs a third of the time. */
const executablePath = findBrowser('/usr/bin/chromium-headless-shell', ...wholeBrowsers);

export const hasBrowser = executablePath !== undefined;

/** Only a full Chromium supports a microphone. */
export const wholeBrowser = findBrowser(...wholeBrowsers);

export const browserFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const answer = z.object({ endpoint: z.string() }).or(z.object({ failed: z.string() }));

const worker = registerSharedWorker({
  filename: new URL('browser-worker.ts', import.meta.url),
  supportedProtocols: ['ava-4'],
  initialData: JSON.stringify({ executablePath, args: browserFlags }),
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
