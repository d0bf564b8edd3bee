/**
 * Labels that an API client attaches to a call, such as an order number. Labels are returned with the call, its events
 * and records, and are never sent to agents or logged.
 */

/** Never an empty object: a call without metadata has no object. */
export type Metadata = Readonly<Record<string, string>>;

export const mostMetadataKeys = 20;
export const longestMetadataKey = 40;
/** Maximum length of a value in characters. */
export const longestMetadataValue = 500;

export const metadataKey = /^[A-Za-z0-9_.-]{1,40}$/;
