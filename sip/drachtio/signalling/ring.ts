/**
 * The ring of drachtio-server 0.9.10, which limits what it takes in. It collects what it is sent in a ring of 12,228
 * bytes, up to 8,192 at a time, and takes a message out when it is whole. What does not fit pushes out what came first;
 * then it waits for ever for the rest of a message that it has overwritten. So nothing longer than the ring is sent,
 * and behind a message that could fill it together with the next ones nothing is sent until it was answered.
 */

/**
 * It copies the Request-URI of what is sent outside of dialogs into 255 characters without an end, and reads beyond them:
 * a longer one is not sent.
 */
export const longestUri = 254;

/** In bytes. */
export const longestMessage = 12_000;
/** A longer one is sent alone. */
export const longestInCompany = 4_000;
