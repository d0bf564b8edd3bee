/**
 * Texts that the server prepares once per connection, because they are constant and run often. The server plans other
 * texts each time.
 */

/** Names under which the server prepares the texts, once per connection. */
const preparedNames = new Map<string, string>();

/** Marks a text for preparation by the server. The text must be constant. */
export const prepareText = (text: string): void => {
  if (!preparedNames.has(text)) preparedNames.set(text, `trunkline_${preparedNames.size + 1}`);
};

/** Returns the name of the prepared statement; undefined for a text that is not prepared. */
export const preparedNameOf = (text: string): string | undefined => preparedNames.get(text);
