/**
 * Limits of the input buffer of drachtio-server 0.9.10. The server collects input in a ring of 12,228 bytes, up to
 * 8,192 bytes at a time, and removes a message when it is complete. An overflow overwrites the oldest bytes, and
 * drachtio-server then waits forever for the rest of an overwritten message. Therefore a message longer than the ring
 * is never sent. After a message that could fill the ring together with later ones, sending pauses until its response
 * arrives.
 */

/**
 * Maximum length of a Request-URI outside of dialogs. drachtio-server copies the URI into 255 characters without a
 * terminator and reads beyond them.
 */
export const longestUri = 254;

/** Maximum length of a message in bytes. */
export const longestMessage = 12_000;
/** Length in bytes from which a message is sent alone. */
export const longestInCompany = 4_000;
