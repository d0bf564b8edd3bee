/** The figures of a call's sound, with how good it is after them. */
import type { SoundFigures, StreamFigures } from '#machines/sound-figures.ts';
import { meanOpinionScore } from './rtp/quality.ts';

export type Measured = Omit<StreamFigures, 'mos'>;

/** As it stands in a record: an IPv6 address in brackets. */
export const addressText = (address: string, port: number | string): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

/** Nobody knows how good a stream is of which nothing came, or of which no loss is known. */
const withMos = (stream: Measured, roundTripMs: number | null): StreamFigures => {
  const { packets, loss, jitterMs } = stream;
  if (packets === null || packets === 0 || loss === null) return { ...stream, mos: null };
  const mos = meanOpinionScore({ lost: loss, jitterMs: jitterMs ?? 0, roundTripMs: roundTripMs ?? 0 });
  return { ...stream, mos };
};

export const callFigures = (
  figures: Omit<SoundFigures, 'received' | 'sent'> & { received: Measured; sent: Measured },
): SoundFigures => ({
  ...figures,
  received: withMos(figures.received, figures.roundTripMs),
  sent: withMos(figures.sent, figures.roundTripMs),
});
