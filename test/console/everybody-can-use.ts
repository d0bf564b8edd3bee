import axe from 'axe-core';
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { z } from 'zod';

const violations = z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) }));

/** What axe finds on the page as it stands, and whether it is wider than its window. */
export const everybodyCanUse = async (t: ExecutionContext, page: Page, what: string): Promise<void> => {
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    "axe.run({ resultTypes: ['violations'] }).then((result) => result.violations)",
  );
  t.deepEqual(violations.parse(found), [], what);
  t.true(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${what} is too wide`);
};
