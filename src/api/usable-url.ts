import type { Interior } from './interior.ts';
import { invalidField } from './validated.ts';

/** Refuses a URL that the gateway would not call (decisions 4). */
export const requireUsableUrl = async (interior: Interior, path: string, url: string): Promise<void> => {
  const message = await interior.whyUrlIsRefused(url);
  if (message !== undefined) throw invalidField({ path, message });
};
