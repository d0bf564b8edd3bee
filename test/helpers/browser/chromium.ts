/** The installed Chromium, and how it is launched. */
import { existsSync } from 'node:fs';

const wholeBrowsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];

const findBrowser = (...paths: string[]): string | undefined => paths.find((path) => existsSync(path));

/** Chromium's headless shell has no windows and needs a third of the time. */
export const anyBrowser = findBrowser('/usr/bin/chromium-headless-shell', ...wholeBrowsers);

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
