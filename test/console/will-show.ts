import type { Page } from 'playwright-core';

/**
 * Watches a page from now on for a text that a timer removes again. Resolves when the page has shown it, however briefly.
 */
export const willShow = (page: Page, text: string): Promise<unknown> =>
  page.evaluate(`new Promise((resolve, reject) => {
    const look = () => {
      if (!document.body.textContent.includes(${JSON.stringify(text)})) return;
      observer.disconnect();
      resolve();
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    setTimeout(() => reject(new Error('The text was not shown')), 60_000);
  })`);
