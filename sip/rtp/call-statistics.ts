/** Audio statistics of a call with its estimated quality. */
import type { MediaStatistics, StreamStatistics } from '#machines/media-statistics.ts';
import { meanOpinionScore } from './quality.ts';

export type Measured = Omit<StreamStatistics, 'mos'>;

/** Address in the form of call records: an IPv6 address in brackets. */
export const addressText = (address: string, port: number | string): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

const rounded = (value: number | null, digits: number): number | null =>
  value === null ? null : Number(value.toFixed(digits));

/** Adds the estimated quality, which is unknown for a stream without packets or without a known loss. */
const withMos = (stream: Measured, roundTripMs: number | null): StreamStatistics => {
  const { packets, loss, jitterMs } = stream;
  const statistics = { packets, loss: rounded(loss, 4), jitterMs: rounded(jitterMs, 1) };
  if (packets === null || packets === 0 || loss === null) return { ...statistics, mos: null };
  const mos = meanOpinionScore({ lost: loss, jitterMs: jitterMs ?? 0, roundTripMs: roundTripMs ?? 0 });
  return { ...statistics, mos };
};

export const callStatistics = (
  statistics: Omit<MediaStatistics, 'received' | 'sent'> & { received: Measured; sent: Measured },
): MediaStatistics => ({
  ...statistics,
  roundTripMs: rounded(statistics.roundTripMs, 1),
  received: withMos(statistics.received, statistics.roundTripMs),
  sent: withMos(statistics.sent, statistics.roundTripMs),
});
