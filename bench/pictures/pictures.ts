/**
 * `npm run pictures -- FOLDER`: pictures of every page of the console and of its main states, at three widths, light and
 * dark, in English and Korean, each checked with axe. Starts a gateway of its own and ends it. `--guides` takes only the
 * pictures of the guides, and compresses them. `--only call-live,phone-ko-390` takes only pictures whose names contain
 * one of these.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { z } from 'zod';
import { fitsWindow, violationsOn } from '#test/helpers/browser/axe.ts';
import { anyBrowser, browserFlags } from '#test/helpers/browser/chromium.ts';
import { startFurnishedGateway, type FurnishedGateway, type PictureLanguage } from './furnished-gateway.ts';
import { koreanFont } from './korean-font.ts';
import type { State, Visitor } from './state.ts';
import { statesOf } from './states.ts';

type Look = { language: PictureLanguage; width: number; isDark: boolean };

const widths = [390, 768, 1440];
const heightOf = (width: number): number => (width < 600 ? 844 : 900);
/** Chromium makes no larger pictures. */
const tallest = 8_000;

const everyLook: readonly Look[] = (['en', 'ko'] as const).flatMap((language) =>
  widths.flatMap((width) => [false, true].map((isDark) => ({ language, width, isDark }))),
);

/** The pictures of the guides: few and small. */
const chosen: readonly { name: string; look: Look }[] = [
  { name: 'call-live', look: { language: 'en', width: 1440, isDark: false } },
  { name: 'overview', look: { language: 'en', width: 1440, isDark: false } },
  { name: 'reference-operation', look: { language: 'en', width: 1440, isDark: false } },
  { name: 'call-finished', look: { language: 'ko', width: 1440, isDark: true } },
  { name: 'phone', look: { language: 'en', width: 390, isDark: false } },
  { name: 'compare', look: { language: 'en', width: 1440, isDark: false } },
  { name: 'rehearsal', look: { language: 'en', width: 1440, isDark: false } },
];

const webpQuality = 70;

const openContext = async (
  browser: Browser,
  { url, tokens }: FurnishedGateway,
  look: Look,
  visitor: Visitor,
): Promise<BrowserContext> => {
  const context = await browser.newContext({
    locale: look.language === 'ko' ? 'ko-KR' : 'en-US',
    viewport: { width: look.width, height: heightOf(look.width) },
    colorScheme: look.isDark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  await context.route('https://stately.ai/**', (route) => route.abort());
  if (visitor !== 'nobody') {
    const response = await context.request.post(`${url}/console/session`, {
      headers: { origin: url, 'x-trunkline-console': '1' },
      data: { token: tokens[visitor] },
    });
    if (!response.ok()) throw new Error(`The sign-in failed: ${response.status()}`);
  }
  return context;
};

/** Resolves when the page has painted everything that it has. */
const settle = async (page: Page, { lastPart }: State): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  if (lastPart !== undefined) await page.locator(lastPart).first().waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await page.evaluate(
    'new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))',
  );
};

/** Brings a new page into a state. */
const enterState = async (page: Page, address: string, state: State): Promise<void> => {
  await page.goto(address);
  await settle(page, state);
  await state.act?.(page);
  await settle(page, state);
};

/** Makes the window as high as the page: in a picture of a scrolled page, the sticky menu would be cut. */
const growToPage = async (page: Page, width: number): Promise<void> => {
  const height = z.number().parse(await page.evaluate('document.documentElement.scrollHeight'));
  await page.setViewportSize({ width, height: Math.min(tallest, Math.max(height, heightOf(width))) });
};

const takeWebp = async (page: Page, path: string): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: webpQuality });
  await writeFile(path, Buffer.from(data, 'base64'));
};

/** Returns what is wrong with the page. */
const complaintsAbout = async (page: Page): Promise<string[]> => [
  ...(await violationsOn(page)).map(({ id, nodes }) => `axe ${id}: ${nodes[0]?.html ?? ''}`),
  ...((await fitsWindow(page)) ? [] : ['wider than its window']),
];

const nameOf = (state: string, { language, width, isDark }: Look): string =>
  `${state}-${language}-${width}-${isDark ? 'dark' : 'light'}`;

/** `only`: parts of the names of the wanted pictures; null for all. */
type Album = { folder: string; isForGuides: boolean; only: readonly string[] | null };

const readArguments = (given: readonly string[]): Album => {
  const { values, positionals } = parseArgs({
    args: [...given],
    allowPositionals: true,
    options: { guides: { type: 'boolean', default: false }, only: { type: 'string' } },
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0)
    throw new Error('Give the folder of the pictures: npm run pictures -- FOLDER [--guides] [--only NAMES]');
  return { folder, isForGuides: values.guides, only: values.only?.split(',') ?? null };
};

type Shot = { context: BrowserContext; url: string; liveCall: string; state: State; look: Look };

/** Takes one picture. Returns what is wrong with the page. */
const takePicture = async (
  { context, url, liveCall, state, look }: Shot,
  { folder, isForGuides }: Album,
): Promise<string[]> => {
  const { path, end, as, isRefused = as === 'nobody' } = state;
  const address = url + (typeof path === 'string' ? path : await path(liveCall));
  const page = await context.newPage();
  const logged: string[] = [];
  page.on('pageerror', (error) => logged.push(`throws ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefused) logged.push(`logs ${message.text()}`);
  });
  try {
    await enterState(page, address, state);
    const complaints = await complaintsAbout(page);
    if (isForGuides) {
      await takeWebp(page, join(folder, `${state.name}.webp`));
    } else {
      await growToPage(page, look.width);
      await settle(page, state);
      await page.screenshot({ path: join(folder, `${nameOf(state.name, look)}.png`) });
    }
    return [...complaints, ...logged];
  } finally {
    // Also after a failure: other states must not find this one.
    await end?.(page);
    await page.close();
  }
};

const takePictures = async (album: Album, started: AsyncDisposableStack): Promise<void> => {
  console.log(`Korean font: ${await koreanFont()}`);
  if (anyBrowser === undefined) throw new Error('Chromium is not installed.');
  await mkdir(album.folder, { recursive: true });
  const gateway = await startFurnishedGateway(started);
  const browser = await chromium.launch({ executablePath: anyBrowser, args: browserFlags });
  started.defer(() => browser.close());
  const isWanted = (state: string, look: Look): boolean => {
    const picture = nameOf(state, look);
    if (album.isForGuides) return chosen.some(({ name, look: wanted }) => nameOf(name, wanted) === picture);
    return album.only?.some((part) => picture.includes(part)) ?? true;
  };
  let taken = 0;
  let complaints = 0;
  for (const look of everyLook) {
    const states = statesOf(gateway, look.language).filter(({ name }) => isWanted(name, look));
    if (states.length === 0) continue;
    const liveCall = await gateway.placeLastingCall(look.language);
    const contexts = new Map<Visitor, BrowserContext>();
    for (const state of states) {
      const { as: visitor = 'admin' } = state;
      const context = contexts.get(visitor) ?? (await openContext(browser, gateway, look, visitor));
      contexts.set(visitor, context);
      const shot = { context, url: gateway.url, liveCall, state, look };
      const found = await takePicture(shot, album).catch((error: unknown) => [
        error instanceof Error ? error.message : String(error),
      ]);
      for (const complaint of found) console.log(`${nameOf(state.name, look)}: ${complaint}`);
      complaints += found.length;
      taken += 1;
    }
    await gateway.endCall(look.language, liveCall);
    for (const context of contexts.values()) await context.close();
    console.log(`${nameOf('all', look)}: done`);
  }
  console.log(`${taken} pictures in ${album.folder}, ${complaints} complaints`);
  if (complaints > 0) process.exitCode = 1;
};

await using started = new AsyncDisposableStack();
const interruption = Promise.withResolvers<never>();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interruption.reject(new Error(`ended by ${signal}`)));
try {
  await Promise.race([takePictures(readArguments(process.argv.slice(2)), started), interruption.promise]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
