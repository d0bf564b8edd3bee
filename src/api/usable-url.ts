import { invalidField } from '#src/domain/refusal.ts';
import type { ApiServices } from './api-services.ts';

/** Refuses a URL that the gateway must not call (guides/design/agents.md, "Targets"). */
export const requireUsableUrl = async (services: ApiServices, path: string, url: string): Promise<void> => {
  const message = await services.directory.urlProblem(url);
  if (message !== undefined) throw invalidField({ path, message });
};
