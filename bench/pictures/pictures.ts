/**
 * `npm run pictures -- FOLDER`: pictures of every page of the console and of its main states, at three widths, light and
 * dark, in English and Korean, each checked with axe. Starts a gateway of its own and ends it. A page enters a state once
 * for each language and then changes its window and its colours, because a new page costs several times as much as a
 * picture. `--guides` takes only the pictures of the guides, and compresses them. `--only call-live,phone-ko-390` takes
 * only pictures whose names contain one of these.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { z } from 'zod';
import { fitsWindow, violationsOn, type Checks } from '#test/helpers/browser/axe.ts';
import { anyBrowser, browserFlags } from '#test/helpers/browser/chromium.ts';
import { signIn } from '../sign-in.ts';
import { startFurnishedGateway, type FurnishedGateway, type PictureLanguage } from './furnished-gateway.ts';
import { koreanFont } from './korean-font.ts';
import type { State, Visitor } from './state.ts';
import { statesOf } from './states.ts';

type Look = { language: PictureLanguage; width: number; isDark: boolean };

const widths = [390, 768, 1440];
const heightOf = (width: number): number => (width < 600 ? 844 : 900);
/** Chromium makes no larger pictures. */
const tallest = 8_000;

/** The narrowest first: a menu that was unfolded in a narrow window is open in a wide one, too. */
const looksIn = (language: PictureLanguage): readonly Look[] =>
  widths.flatMap((width) => [false, true].map((isDark) => ({ language, width, isDark })));

/** The pictures of the guides: few and small. */
const chosen: readonly { name: string; look: Look }[] = [
  { name: 'call-live', look: { language: 'en', width: 1440, isDark: false } },
  { name: 'overview', look: { language: 'en', width: 1440, isDark: false } },
  { name: 'reference-operation', look: { language: 'en', width: 1440, isDark: false } },
  { name: 'call-finished', look: { language: 'ko', width: 1440, isDark: true } },
  { name: 'phone', look: { language: 'en', width: 390, isDark: false } },
  { name: 'compare', look: { language: 'en', width: 1440, isDark: false } },
  { name: 'fleet', look: { language: 'en', width: 1440, isDark: false } },
  { name: 'rehearsal', look: { language: 'en', width: 1440, isDark: false } },
];

const webpQuality = 70;

const openContext = async (
  browser: Browser,
  { url, tokens }: FurnishedGateway,
  language: PictureLanguage,
  visitor: Visitor,
): Promise<BrowserContext> => {
  const context = await browser.newContext({
    locale: language === 'ko' ? 'ko-KR' : 'en-US',
    reducedMotion: 'reduce',
  });
  await context.route('https://stately.ai/**', (route) => route.abort());
  if (visitor !== 'nobody') await signIn(context, url, tokens[visitor]);
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

/** Sets the window and the colours of a page. */
const turnInto = async (page: Page, { width, isDark }: Look): Promise<void> => {
  await page.setViewportSize({ width, height: heightOf(width) });
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
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
const complaintsAbout = async (page: Page, checks: Checks): Promise<string[]> => [
  ...(await violationsOn(page, checks)).map(({ id, nodes }) => `axe ${id}: ${nodes[0]?.html ?? ''}`),
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

type Sitting = {
  context: BrowserContext;
  url: string;
  liveCall: string;
  state: State;
  looks: readonly Look[];
};

/** Takes the pictures of one state in one language, and reports what is wrong with the page. */
const takeState = async (
  { context, url, liveCall, state, looks }: Sitting,
  { folder, isForGuides }: Album,
  complain: (complaint: string) => void,
): Promise<void> => {
  const { path, end, as, isRefused = as === 'nobody' } = state;
  const address = url + (typeof path === 'string' ? path : await path(liveCall));
  const page = await context.newPage();
  const logged: string[] = [];
  page.on('pageerror', (error) => logged.push(`throws ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefused) logged.push(`logs ${message.text()}`);
  });
  try {
    for (const [index, look] of looks.entries()) {
      await turnInto(page, look);
      await (index === 0 ? enterState(page, address, state) : settle(page, state));
      const name = nameOf(state.name, look);
      const found = await complaintsAbout(page, index === 0 ? 'everything' : 'look');
      if (isForGuides) {
        await takeWebp(page, join(folder, `${state.name}.webp`));
      } else {
        await growToPage(page, look.width);
        await settle(page, state);
        await page.screenshot({ path: join(folder, `${name}.png`) });
      }
      for (const complaint of [...found, ...logged.splice(0)]) complain(`${name}: ${complaint}`);
    }
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
  const complain = (complaint: string): void => {
    console.log(complaint);
    complaints += 1;
  };
  for (const language of ['en', 'ko'] as const) {
    const sittings = statesOf(gateway, language)
      .map((state) => ({ state, looks: looksIn(language).filter((look) => isWanted(state.name, look)) }))
      .filter(({ looks }) => looks.length > 0);
    if (sittings.length === 0) continue;
    const liveCall = await gateway.placeLastingCall(language);
    const contexts = new Map<Visitor, BrowserContext>();
    for (const { state, looks } of sittings) {
      const { as: visitor = 'admin' } = state;
      const context = contexts.get(visitor) ?? (await openContext(browser, gateway, language, visitor));
      contexts.set(visitor, context);
      const sitting = { context, url: gateway.url, liveCall, state, looks };
      await takeState(sitting, album, complain).catch((error: unknown) =>
        complain(`${state.name}-${language}: ${error instanceof Error ? error.message : String(error)}`),
      );
      taken += looks.length;
    }
    await gateway.endCall(language, liveCall);
    for (const context of contexts.values()) await context.close();
    console.log(`all-${language}: done`);
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
