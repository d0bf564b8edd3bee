/**
 * A person at the console: a page of a real browser, on a whole gateway with the simulated line. The tests of a thread
 * share a gateway for each set of settings and run one after another. Each has a workspace of its own, and pages without
 * cookies and storage of another test.
 */
import test, { type ExecutionContext } from 'ava';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { addNumber, addWorkspace } from '#test/api/fake-gateway.ts';
import type { Database } from '#src/persistence/database/database.ts';
import {
  browserFlags,
  connectToBrowser,
  hasBrowser,
  wholeBrowser,
} from '#test/helpers/browser/shared-browser.ts';
import { openTestDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { fileScope } from '#test/helpers/file-scope.ts';
import {
  asWorkspace,
  logWarningsOnFailure,
  startTestGateway,
  type TestGateway,
} from '#test/helpers/gateway.ts';

const scope = fileScope();

let browser: Promise<Browser> | undefined;

const openBrowser = (open: () => Promise<Browser>): Promise<Browser> => {
  const opening = open();
  scope.teardown(async () => (await opening).close());
  return opening;
};

/**
 * Before the first page of a thread: launches a browser of the file's own, whose microphone plays this WAV file again and
 * again. The shared headless shell can have no microphone.
 */
export const hearInsteadOfMicrophone = (path: string): void => {
  const microphone = ['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${path}`];
  browser = openBrowser(() =>
    chromium.launch({
      ...(wholeBrowser === undefined ? {} : { executablePath: wholeBrowser }),
      args: [...browserFlags, ...microphone],
    }),
  );
};

export type Visit = {
  locale?: 'en-US' | 'ko-KR';
  width?: number;
  dark?: boolean;
  /** Page of the console: the part of the address after the `#`. */
  page?: string;
  /** Already signed in, unless false. */
  isSignedIn?: boolean;
  /** Grants the microphone; without it the microphone is refused without a question. */
  mayHear?: boolean;
  /** Token to sign in with, instead of the workspace's own. */
  token?: string;
  /**
   * Uses a browser context that no other test uses: for `page.clock` and init scripts, which last as long as it does, and
   * for an empty cache.
   */
  isContextOwn?: boolean;
};

export type ConsoleWorld = {
  /** The gateway with the credentials of the test's own workspace. */
  gateway: TestGateway;
  databaseUrl: string;
  /** Opens a page of another browser user, without the cookies and storage of the test's other pages. */
  open(visit?: Visit): Promise<Page>;
  /** Scripts that failed, and violations of the page's content security policy. */
  complaints: string[];
};

/** Presses a button by keyboard, because a part of the page that arrives late would move it away from a pointer. */
export const pressInPlace = (button: Locator): Promise<void> => button.press('Enter');

const windowOf = (width: number) => ({ width, height: width < 600 ? 844 : 860 });

/**
 * Turns a page into that of another person in place: language, window and colours. A page of its own would cost several
 * times as much.
 */
export const turnInto = async (
  page: Page,
  { locale, width, dark }: Pick<Visit, 'locale' | 'width' | 'dark'>,
): Promise<void> => {
  if (width !== undefined) await page.setViewportSize(windowOf(width));
  if (dark !== undefined) await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  if (locale === undefined) return;
  const language = locale.slice(0, 2);
  // The menu may be folded away.
  await page.locator(`.languages [lang=${language}]`).dispatchEvent('click');
  await page.locator(`html[lang=${language}]`).waitFor({ state: 'attached' });
};

/** Turns to another page of the console without loading the document again. */
export const turnTo = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(path)}`);

/** The longest wait for anything on a page; only a hang reaches it. */
const patienceMs = 60_000;

type Locale = NonNullable<Visit['locale']>;

/**
 * Pages that no test uses at present, each alone in its browser context. Another document in the same page costs a third
 * of the processor time of a new page, which is a new process of Chromium.
 */
const freePages: Record<Locale, Page[]> = { 'en-US': [], 'ko-KR': [] };

const newPage = async (locale: Locale): Promise<Page> => {
  browser ??= openBrowser(connectToBrowser);
  const context = await (
    await browser
  ).newContext({
    locale,
    viewport: windowOf(1280),
    // Endless animations would cost processor time.
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(patienceMs);
  return context.newPage();
};

/** Events for which a test may add listeners to its page. Playwright itself listens for others. */
const heardEvents = [
  'pageerror',
  'console',
  'request',
  'response',
  'requestfailed',
  'websocket',
  'framenavigated',
  'popup',
  'download',
  'dialog',
];

/** Empties a page after a test. `baseUrl` is the origin of its storage. */
const emptyPage = async (page: Page, baseUrl: string): Promise<void> => {
  const context = page.context();
  for (const event of heardEvents) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  for (const other of context.pages()) if (other !== page) await other.close();
  await context.setOffline(false);
  await context.setExtraHTTPHeaders({});
  await page.goto(`${baseUrl}/healthz`);
  await page.mouse.move(0, 0);
  // Cookies last, because a response to the document that was left could set one.
  await context.clearPermissions();
  await context.clearCookies();
  const isClockReal = await page.evaluate(
    "localStorage.clear(); sessionStorage.clear(); String(Date).includes('[native code]')",
  );
  if (isClockReal !== true) throw new Error('A test that sets the clock of a page needs `isContextOwn`.');
};

/** Keeps a page for the next test. Closes a page of a failed test, which can be in any state. */
const freePage = async (t: ExecutionContext, page: Page, locale: Locale, baseUrl: string): Promise<void> => {
  if (t.passed && !page.isClosed()) {
    await emptyPage(page, baseUrl);
    freePages[locale].push(page);
  } else {
    await page.context().close();
  }
};

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
    isContextOwn = false,
  }: Visit,
  complaints: string[],
): Promise<Page> => {
  const page = (isContextOwn ? undefined : freePages[locale].pop()) ?? (await newPage(locale));
  const context = page.context();
  t.teardown(() => (isContextOwn ? context.close() : freePage(t, page, locale, baseUrl)));
  await page.setViewportSize(windowOf(width));
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  if (mayHear) await context.grantPermissions(['microphone'], { origin: baseUrl });
  if (isSignedIn) {
    const signedIn = await context.request.post(`${baseUrl}/console/session`, {
      headers: { origin: baseUrl, 'x-trunkline-console': '1' },
      data: { token },
    });
    if (!signedIn.ok()) throw new Error(`The sign-in failed: ${signedIn.status()}`);
  }
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A rejected request is no failure of a script: the tests check how a page handles its response.
    const isRefused = /^(Failed to load resource|WebSocket connection to )/.test(message.text());
    if (message.type() === 'error' && !isRefused) complaints.push(message.text());
  });
  await page.goto(`${baseUrl}/#${path}`);
  return page;
};

type StartedGateway = { gateway: TestGateway; databaseUrl: string; database: Database };

const startOn = async (settings: Record<string, string>): Promise<StartedGateway> => {
  const databaseUrl = await testDatabaseUrl(scope);
  const environment = {
    GW_DATABASE_URL: databaseUrl,
    // Master key, the same as in `addWorkspace` and `addNumber`.
    GW_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    ...settings,
  };
  const gateway = await startTestGateway(scope, environment, []);
  return { gateway, databaseUrl, database: await openTestDatabase(scope, databaseUrl, 'console test') };
};

/** Started gateways by their settings. */
const gateways = new Map<string, Promise<StartedGateway>>();

const gatewayWith = (settings: Record<string, string>): Promise<StartedGateway> => {
  const key = JSON.stringify(settings);
  const starting = gateways.get(key) ?? startOn(settings);
  gateways.set(key, starting);
  return starting;
};

/** The gateway with a new workspace. */
const inNewWorkspace = async ({ gateway, database }: StartedGateway): Promise<TestGateway> => {
  const { workspaceId, adminToken } = await addWorkspace(database);
  const { id, number, key } = await addNumber({ database, workspaceId });
  return asWorkspace(gateway, {
    workspace_id: workspaceId,
    admin_token: adminToken,
    number_id: id,
    number,
    number_key: key,
  });
};

/** A test in a browser, skipped without Chromium. `settings` are those of the gateway. */
export const consoleTest = (
  title: string,
  run: (t: ExecutionContext, world: ConsoleWorld) => Promise<void>,
  settings: Record<string, string> = {},
): void => {
  if (!hasBrowser) {
    test.skip(`${title} (skipped: Chromium is not installed)`, () => undefined);
    return;
  }
  test.serial(title, async (t) => {
    const started = await gatewayWith(settings);
    const gateway = await inNewWorkspace(started);
    logWarningsOnFailure(t, gateway.logged);
    const complaints: string[] = [];
    await run(t, {
      gateway,
      databaseUrl: started.databaseUrl,
      complaints,
      open: (visit = {}) => openPage(t, gateway, visit, complaints),
    });
    t.deepEqual(complaints, []);
  });
};
