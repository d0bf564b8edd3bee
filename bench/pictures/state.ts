/** A page of the console in a state that is worth a picture. */
import type { Locator, Page } from 'playwright-core';

/** `newcomer` is the admin of a workspace that has nothing yet; `nobody` is not signed in. */
export type Visitor = 'admin' | 'viewer' | 'newcomer' | 'nobody';

export type State = {
  name: string;
  /** Address of the page, after the origin, or what brings the gateway into the state and resolves to the address. */
  path: string | ((liveCall: string) => string | Promise<string>);
  /** The visitor who opens the page; by default the admin. */
  as?: Visitor;
  /** Changes the page before the picture. */
  act?: (page: Page) => Promise<void>;
  /** Selector of what arrives last, already before `act`. */
  lastPart?: string;
  /** Ends the state after the picture, while the page is still open. */
  end?: (page: Page) => Promise<void>;
  /** Whether a request of this page fails by design; true for `nobody`. Browsers log such requests as errors. */
  isRefused?: boolean;
};

export const first = (page: Page, selector: string): Locator => page.locator(selector).first();

/** Clicks the first element of the selector. */
export const click =
  (selector: string) =>
  (page: Page): Promise<void> =>
    first(page, selector).click();

/** Unfolds the menu of a narrow page; in a wide page it is open. */
export const openMenu = async (page: Page): Promise<void> => {
  const menu = first(page, '.menu');
  if (await menu.isVisible()) await menu.click();
};

/** Submits the first form of the page. */
export const submit = click('form button[type=submit]');
