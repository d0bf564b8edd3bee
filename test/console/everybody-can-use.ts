import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { type Checks, fitsWindow, violationsOn } from '#test/helpers/browser/axe.ts';

/** Asserts that axe finds no violation on the page as it is now, and that the page is no wider than its window. */
export const everybodyCanUse = async (
  t: ExecutionContext,
  page: Page,
  what: string,
  checks: Checks = 'everything',
): Promise<void> => {
  t.deepEqual(await violationsOn(page, checks), [], what);
  t.true(await fitsWindow(page), `${what} is too wide`);
};
