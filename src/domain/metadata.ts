/**
 * Labels that a caller of the API gives a call for itself, such as the number of an order: they come back with every
 * read of the call, in its events and its records. No agent is told of them, and they reach no log.
 */

/** Never empty: of a call of which nothing was said there is none. */
export type Metadata = Readonly<Record<string, string>>;

export const mostMetadataKeys = 20;
export const longestMetadataKey = 40;
/** Characters. */
export const longestMetadataValue = 500;

export const metadataKey = /^[A-Za-z0-9_.-]{1,40}$/;
