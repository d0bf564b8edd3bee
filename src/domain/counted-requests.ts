/** Number of counted requests, and seconds until the count is reset. */
export type CountedRequests = { requests: number; seconds: number };
