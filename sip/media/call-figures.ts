/** Audio statistics of a call with its estimated quality. */
import type { SoundFigures, StreamFigures } from '#machines/sound-figures.ts';
import { meanOpinionScore } from './rtp/quality.ts';

export type Measured = Omit<StreamFigures, 'mos'>;

/** Address in the form of call records: an IPv6 address in brackets. */
export const addressText = (address: string, port: number | string): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

const rounded = (value: number | null, digits: number): number | null =>
  value === null ? null : Number(value.toFixed(digits));

/** The quality is unknown for a stream without packets or without a known loss. */
const withMos = (stream: Measured, roundTripMs: number | null): StreamFigures => {
  const { packets, loss, jitterMs } = stream;
  const figures = { packets, loss: rounded(loss, 4), jitterMs: rounded(jitterMs, 1) };
  if (packets === null || packets === 0 || loss === null) return { ...figures, mos: null };
  const mos = meanOpinionScore({ lost: loss, jitterMs: jitterMs ?? 0, roundTripMs: roundTripMs ?? 0 });
  return { ...figures, mos };
};

export const callFigures = (
  figures: Omit<SoundFigures, 'received' | 'sent'> & { received: Measured; sent: Measured },
): SoundFigures => ({
  ...figures,
  roundTripMs: rounded(figures.roundTripMs, 1),
  received: withMos(figures.received, figures.roundTripMs),
  sent: withMos(figures.sent, figures.roundTripMs),
});
