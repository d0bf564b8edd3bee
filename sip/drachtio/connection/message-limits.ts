/**
 * Input ring buffer of drachtio-server 0.9.10. It collects input in a ring of 12,228 bytes, up to 8,192 at a time, and
 * removes a message when it is complete. Overflow overwrites the oldest bytes; drachtio-server then waits forever for
 * the rest of an overwritten message. So a message longer than the ring is never sent, and after a message that could
 * fill the ring together with later ones, sending pauses until it is answered.
 */

/**
 * drachtio-server copies the Request-URI of requests outside of dialogs into 255 characters without a terminator and
 * reads beyond them, so longer ones are not sent.
 */
export const longestUri = 254;

/** In bytes. */
export const longestMessage = 12_000;
/** Longer messages are sent alone. */
export const longestInCompany = 4_000;
