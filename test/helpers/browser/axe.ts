/** Checks a page with axe. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { z } from 'zod';

/** The minified source, less than half the size of the source that the package exports. */
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const checks = z.array(z.object({ message: z.string() }));

/** The reporter `no-passes` writes no `failureSummary`: the checks of the rule have the messages. */
const element = z
  .object({ html: z.string(), none: checks.catch([]), all: checks.catch([]), any: checks.catch([]) })
  .transform(({ html, none, all, any }) => ({
    html,
    failed: [...none, ...all, ...any].map(({ message }) => message),
  }));

const violations = z.array(z.object({ id: z.string(), nodes: z.array(element) }));

export type Violation = z.infer<typeof violations>[number];

/**
 * Returns only the data of violations: passed checks and the selectors of their elements cost more than the checks.
 */
const options = { resultTypes: ['violations'], reporter: 'no-passes', selectors: false, preload: false };

/** The rules about colours and about the width of the window; all others are about elements and their names. */
const rulesOfLook = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable'];

const optionsFor = {
  everything: options,
  look: { ...options, runOnly: { type: 'rule', values: rulesOfLook } },
};

/** `look` suffices for a page of which everything was checked in other colours or at another width. */
export type Checks = keyof typeof optionsFor;

/** Returns the violations that axe finds on the page as it is now. */
export const violationsOn = async (page: Page, checks: Checks = 'everything'): Promise<Violation[]> => {
  // Injected once per document, because axe is large.
  if (await page.evaluate('globalThis.axe === undefined')) await page.evaluate(axe);
  const chosen = JSON.stringify(optionsFor[checks]);
  const found = await page.evaluate(`axe.run(${chosen}).then((result) => result.violations)`);
  return violations.parse(found);
};

/** Whether the page is no wider than its window. */
export const fitsWindow = async (page: Page): Promise<boolean> =>
  (await page.evaluate('document.documentElement.scrollWidth <= innerWidth')) === true;
