/**
 * A path of an agent server, below the chat URL of a binding. People end their chat URLs with a slash or without, some
 * keep a key in the query: the first makes no difference, the second stays. `path` begins with a slash and is ready for
 * a URL: what a customer has chosen in it is percent-encoded.
 */
export const endpointPath = (chatUrl: string, path: string): string => {
  const url = new URL(chatUrl);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`;
  return url.href;
};

const completions = '/chat/completions';

/** Below the base URL of a chat-completions server; a URL that already names the path is taken as it is. */
export const completionsUrl = (base: string): string =>
  new URL(base).pathname.replace(/(?<!\/)\/+$/, '').endsWith(completions)
    ? endpointPath(base, '')
    : endpointPath(base, completions);
