/** A person at the console: a real browser on a gateway with the simulated line. */
import { existsSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { chromium, type Browser, type Page } from 'playwright-core';
import { testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';

const wholeBrowsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];

const findBrowser = (...paths: string[]): string | undefined => paths.find((path) => existsSync(path));

/** Chromium's headless shell opens no windows and takes a third of the time. */
let executablePath = findBrowser('/usr/bin/chromium-headless-shell', ...wholeBrowsers);

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let browser: Promise<Browser> | undefined;

/**
 * Before the first page of a file: its browser has a microphone that hears this WAV file again and again. The headless
 * shell can have none.
 */
export const hearInsteadOfMicrophone = (path: string): void => {
  executablePath = findBrowser(...wholeBrowsers);
  flags.push('--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${path}`);
};

/** Whether one is there that can have a microphone. */
export const hasWholeBrowser = findBrowser(...wholeBrowsers) !== undefined;

test.after.always('the browser of this file is closed', async () => {
  await (await browser)?.close();
});

export type Visit = {
  locale?: 'en-US' | 'ko-KR';
  width?: number;
  dark?: boolean;
  /** Behind the `#`. */
  page?: string;
  /** Already signed in, unless false. */
  isSignedIn?: boolean;
  /** It is let have the microphone; nobody is asked, and it is refused otherwise. */
  mayHear?: boolean;
  /** With this token instead of the first admin's. */
  token?: string;
};

export type ConsoleWorld = {
  gateway: TestGateway;
  databaseUrl: string;
  /** A browser of its own, with nothing remembered. */
  open(visit?: Visit): Promise<Page>;
  /** What the browser complained about: scripts that failed, and what the policy of the page forbids. */
  complaints: string[];
};

/** Long enough for a machine with much else to do. */
const patienceMs = 300_000;

const openPage = async (
  t: ExecutionContext,
  { credentials: { base_url: baseUrl, admin_token: adminToken } }: TestGateway,
  {
    locale = 'en-US',
    width = 1280,
    dark = false,
    page: path = '/calls',
    isSignedIn = true,
    token = adminToken,
    mayHear = false,
  }: Visit,
  complaints: string[],
): Promise<Page> => {
  const height = width < 600 ? 844 : 860;
  browser ??= chromium.launch({ ...(executablePath === undefined ? {} : { executablePath }), args: flags });
  const context = await (
    await browser
  ).newContext({ locale, viewport: { width, height }, colorScheme: dark ? 'dark' : 'light' });
  context.setDefaultTimeout(patienceMs);
  t.teardown(() => context.close());
  if (mayHear) await context.grantPermissions(['microphone'], { origin: baseUrl });
  if (isSignedIn) {
    const signedIn = await context.request.post(`${baseUrl}/console/session`, {
      headers: { origin: baseUrl, 'x-trunkline-console': '1' },
      data: { token },
    });
    if (!signedIn.ok()) throw new Error(`Nobody could be signed in: ${signedIn.status()}`);
  }
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A refused request is an answer; what a page does with it is what the tests look at.
    const isRefused = /^(Failed to load resource|WebSocket connection to )/.test(message.text());
    if (message.type() === 'error' && !isRefused) complaints.push(message.text());
  });
  await page.goto(`${baseUrl}/#${path}`);
  return page;
};

/** A test in a browser; skipped, and said so, where there is none. `settings` are those of the gateway. */
export const consoleTest = (
  title: string,
  run: (t: ExecutionContext, world: ConsoleWorld) => Promise<void>,
  settings: Record<string, string> = {},
): void => {
  if (executablePath === undefined) {
    test.skip(`${title} (not tried: Chromium is not installed)`, () => undefined);
    return;
  }
  test(title, async (t) => {
    const databaseUrl = await testDatabaseUrl(t);
    const gateway = await testGateway(t, { GW_DATABASE_URL: databaseUrl, ...settings });
    const complaints: string[] = [];
    await run(t, {
      gateway,
      databaseUrl,
      complaints,
      open: (visit = {}) => openPage(t, gateway, visit, complaints),
    });
    t.deepEqual(complaints, []);
  });
};
