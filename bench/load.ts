import { Pool } from 'undici';
import { percentile } from './percentile.ts';

/** Times in milliseconds. */
export type LoadResult = { perSecond: number; p50: number; p99: number };

/**
 * Repeats the same POST on a few keep-alive connections, one request at a time on each. Throws on any response other
 * than 201.
 */
export const load = async (options: {
  url: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  requests: number;
  connections: number;
}): Promise<LoadResult> => {
  const { path, headers, body, connections } = options;
  const pool = new Pool(options.url, { connections, pipelining: 1 });
  const times: number[] = [];
  let left = options.requests;
  const sendAll = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const started = performance.now();
      const response = await pool.request({ method: 'POST', path, headers, body });
      const text = await response.body.text();
      if (response.statusCode !== 201) throw new Error(`${path}: ${response.statusCode} ${text}`);
      times.push(performance.now() - started);
    }
  };
  try {
    const started = performance.now();
    await Promise.all(Array.from({ length: connections }, sendAll));
    const seconds = (performance.now() - started) / 1000;
    return { perSecond: times.length / seconds, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
  } finally {
    await pool.destroy();
  }
};
