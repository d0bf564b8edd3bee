/** Number of requests, and seconds until the count is zero again. */
export type CountedRequests = { requests: number; seconds: number };
