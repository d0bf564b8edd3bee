import type { Services } from './services.ts';
import { invalidField } from './validated.ts';

/** Refuses a URL that the gateway would not call (decisions 4). */
export const requireUsableUrl = async (services: Services, path: string, url: string): Promise<void> => {
  const message = await services.whyUrlIsRefused(url);
  if (message !== undefined) throw invalidField({ path, message });
};
