import type { BrowserContext } from 'playwright-core';

/** Signs a browser's context in to the console of the gateway at `url` with an admin's or viewer's token. */
export const signIn = async (context: BrowserContext, url: string, token: string): Promise<void> => {
  const response = await context.request.post(`${url}/console/session`, {
    headers: { origin: url, 'x-trunkline-console': '1' },
    data: { token },
  });
  if (!response.ok()) throw new Error(`The sign-in failed: ${response.status()}`);
};
