/** Sends the same request over and over from a few keep-alive connections. */
import { Pool } from 'undici';
import { percentile } from './percentile.ts';

export type LoadResult = { perSecond: number; p50: number; p99: number };

export const load = async (options: {
  url: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  requests: number;
  connections: number;
  expect: number;
}): Promise<LoadResult> => {
  const { path, headers, body, connections } = options;
  const pool = new Pool(options.url, { connections, pipelining: 1 });
  const times: number[] = [];
  let left = options.requests;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const started = performance.now();
      const response = await pool.request({ method: 'POST', path, headers, body });
      const text = await response.body.text();
      if (response.statusCode !== options.expect) throw new Error(`${response.statusCode}: ${text}`);
      times.push(performance.now() - started);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, one));
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  return { perSecond: times.length / seconds, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
};
