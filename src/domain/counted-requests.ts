/** So many requests, and the seconds until none of them is counted any more. */
export type CountedRequests = { requests: number; seconds: number };
