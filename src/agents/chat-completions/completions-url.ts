import { endpointPath } from '../endpoint-path.ts';

const path = '/chat/completions';

/** Below the base URL of a chat-completions server; a URL that already names the path is taken as it is. */
export const completionsUrl = (base: string): string =>
  new URL(base).pathname.replace(/(?<!\/)\/+$/, '').endsWith(path)
    ? endpointPath(base, '')
    : endpointPath(base, path);
