/**
 * Returns the URL of a path below the chat URL of a binding. A trailing slash of the chat URL makes no difference; its
 * query, which may contain a key, remains. `path` begins with a slash and must be percent-encoded where the customer
 * chose its parts.
 */
export const endpointPath = (chatUrl: string, path: string): string => {
  const url = new URL(chatUrl);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`;
  return url.href;
};

/** Path of chat completions below the base URL of a server. */
export const completions = '/chat/completions';

/**
 * Returns the URL of a path below the base URL of a chat-completions server. A URL that already ends in the path is
 * returned unchanged.
 */
export const completionsUrl = (base: string): string =>
  new URL(base).pathname.replace(/(?<!\/)\/+$/, '').endsWith(completions)
    ? endpointPath(base, '')
    : endpointPath(base, completions);
