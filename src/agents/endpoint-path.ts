/**
 * Returns the URL of a path below the chat URL of a binding. A trailing slash of the chat URL makes no difference; its
 * query, which may contain a key, is kept. `path` begins with a slash and is ready for a URL: parts chosen by the
 * customer are percent-encoded.
 */
export const endpointPath = (chatUrl: string, path: string): string => {
  const url = new URL(chatUrl);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`;
  return url.href;
};

const completions = '/chat/completions';

/**
 * Returns the URL of a path below the base URL of a chat-completions server; a URL that already ends in the path is
 * unchanged.
 */
export const completionsUrl = (base: string): string =>
  new URL(base).pathname.replace(/(?<!\/)\/+$/, '').endsWith(completions)
    ? endpointPath(base, '')
    : endpointPath(base, completions);
